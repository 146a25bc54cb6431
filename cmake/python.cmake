# The extension module of the Python package (bindings/python), for the stable ABI of Python 3.11 and later: one file that needs libc and
# libm only. setup.py builds this target and puts the file into the package; it says where Python.h is.

enable_language(C)
set(EVERBLOOM_PYTHON_INCLUDE "" CACHE PATH "The folder of Python.h, of Python 3.11 or later")
set(EVERBLOOM_PYTHON_DIR "" CACHE STRING "Where `cmake --install` puts the package, below the prefix; empty: nowhere")
if(NOT EXISTS ${EVERBLOOM_PYTHON_INCLUDE}/Python.h)
  message(FATAL_ERROR "EVERBLOOM_PYTHON_INCLUDE must name the folder of Python.h (Debian: python3-dev)")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/python/src/*.c)
add_library(everbloom_python MODULE EXCLUDE_FROM_ALL ${python_sources})
target_include_directories(everbloom_python SYSTEM PRIVATE ${EVERBLOOM_PYTHON_INCLUDE})
target_link_libraries(everbloom_python PRIVATE everbloom_c_static everbloom::everbloom)
target_compile_options(everbloom_python PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${EVERBLOOM_WERROR}>:-Werror>)
everbloom_export_only(everbloom_python ${PROJECT_SOURCE_DIR}/bindings/python/src/exports.map
  -static-libstdc++ -static-libgcc LINKER:--gc-sections LINKER:--exclude-libs,ALL)
if(APPLE)
  target_link_options(everbloom_python PRIVATE LINKER:-undefined,dynamic_lookup) # the functions of Python
endif()
set_target_properties(everbloom_python PROPERTIES
  PREFIX "" OUTPUT_NAME _everbloom SUFFIX .abi3.so LINKER_LANGUAGE CXX
  C_STANDARD 11 C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
target_compile_definitions(everbloom_python PRIVATE _POSIX_C_SOURCE=200809L)
# For packages of a distribution; wheels are made by setup.py.
if(EVERBLOOM_PYTHON_DIR)
  install(TARGETS everbloom_python LIBRARY DESTINATION ${EVERBLOOM_PYTHON_DIR}/everbloom COMPONENT python)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/python/everbloom/ DESTINATION ${EVERBLOOM_PYTHON_DIR}/everbloom COMPONENT python
    FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  # What importlib.metadata and pip list read.
  set(metadata ${PROJECT_BINARY_DIR}/python/everbloom-${PROJECT_VERSION}.dist-info)
  file(WRITE ${metadata}/METADATA "Metadata-Version: 2.1\nName: everbloom\nVersion: ${PROJECT_VERSION}\nSummary: ${PROJECT_DESCRIPTION}\nLicense: MIT\n")
  file(WRITE ${metadata}/INSTALLER "cmake\n")
  install(DIRECTORY ${metadata} DESTINATION ${EVERBLOOM_PYTHON_DIR} COMPONENT python)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT APPLE)
  target_link_options(everbloom_python PRIVATE LINKER:--strip-all)
endif()
