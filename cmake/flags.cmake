# Compiler settings of this project. Nothing here leaks into a project that embeds us: what is global is set
# only when we are the top level, the rest is applied per target by everbloom_own().

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  endif()
  # CMake's own defaults are -O3 for Release and -DNDEBUG for RelWithDebInfo; we want -O2 in both, and asserts
  # alive in the build that developers and tests use.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  # -g1 gives stack traces their lines; full debug information makes our templates half as slow again to compile.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
  # For the browser: what is downloaded must be small.
  set(CMAKE_CXX_FLAGS_MINSIZEREL "-Oz -DNDEBUG")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

  # g++ begins to look for memory that it could use again at 128 MiB, which every file of ours exceeds. With 512 MiB it compiles a tenth faster.
  cmake_host_system_information(RESULT everbloom_host_mib QUERY TOTAL_PHYSICAL_MEMORY)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND everbloom_host_mib GREATER 4000)
    string(APPEND CMAKE_CXX_FLAGS " --param=ggc-min-heapsize=524288")
  endif()

  find_program(EVERBLOOM_CCACHE ccache)
  mark_as_advanced(EVERBLOOM_CCACHE)
  if(EVERBLOOM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(everbloom_compiler_type "")
    if(EMSCRIPTEN)
      set(everbloom_compiler_type CCACHE_COMPILERTYPE=clang) # em++ is a script around it
    endif()
    # Without these sloppiness settings ccache refuses every file that uses a precompiled header. With comments, because a precompiled
    # header remembers the bytes of what it contains: g++ would read a header again in which only a comment has changed since.
    # CCACHE_DEPEND: ccache learns from the compiler which headers a file has read. Otherwise it runs the preprocessor for that, and a
    # first build takes an eighth longer.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_COMMENTS=1 CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${everbloom_compiler_type} ${EVERBLOOM_CCACHE})
  endif()
endif()

# Gives a target of ours the language level, the warnings and the sanitizers. Headers of other projects come
# through imported targets, which CMake treats as SYSTEM, so their warnings stay silent.
function(everbloom_own target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${EVERBLOOM_WERROR}>:-Werror>)
  if(EVERBLOOM_SANITIZE)
    target_compile_options(${target} PRIVATE -O1 -fsanitize=${EVERBLOOM_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    # The sanitizers hide from g++ 12 what is initialized where; the plain build has this warning.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    if(EVERBLOOM_SANITIZE_LESS)
      target_compile_options(${target} PRIVATE -fno-sanitize=${EVERBLOOM_SANITIZE_LESS})
    endif()
    # PUBLIC: what links an instrumented archive needs the sanitizer's runtime too.
    target_link_options(${target} PUBLIC -fsanitize=${EVERBLOOM_SANITIZE})
  endif()
endfunction()

# Headers that nearly every file of a target needs are parsed once.
function(everbloom_precompile target)
  if(EMSCRIPTEN)
    return() # ccache takes no file with a precompiled header of clang, and in this build it matters more
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess) # lets ccache see into the header
  endif()
endfunction()

# The files of a folder are compiled together: reading headers takes longer than all else in a small file. A large folder is
# compiled in several parts, FOLDER=PARTS; which part a file belongs to follows from its name alone, so that a new file has neighbours, but
# does not change those of others. Names that are local to a file must not be those of a neighbour.
function(everbloom_compile_together target)
  if(NOT EVERBLOOM_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(argument ${ARGN})
    string(REGEX MATCH "^([^=]+)=?([0-9]*)$" matched ${argument})
    set(folder ${CMAKE_MATCH_1})
    set(parts ${CMAKE_MATCH_2})
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
    foreach(file ${files})
      set(part 0)
      if(parts)
        cmake_path(GET file STEM name)
        string(MD5 hash "${name}")
        string(SUBSTRING ${hash} 0 6 hash)
        math(EXPR part "0x${hash} % ${parts}")
      endif()
      string(MAKE_C_IDENTIFIER "${folder}_${part}" group)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
endfunction()

# These files are compiled together, wherever they are.
function(everbloom_compile_group group)
  foreach(file ${ARGN})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Except these.
function(everbloom_compile_alone)
  foreach(file ${ARGN})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

function(everbloom_own_executable target)
  everbloom_own(${target})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
