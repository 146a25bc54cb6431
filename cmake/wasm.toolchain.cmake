# Finds emscripten's own toolchain file, wherever emscripten is installed, and hands over to it.

find_program(EVERBLOOM_EM_CONFIG em-config PATHS /usr/share/emscripten $ENV{EMSDK}/upstream/emscripten REQUIRED)
execute_process(COMMAND ${EVERBLOOM_EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE emscripten_root
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include(${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)
