# One GoogleTest executable, test_<suite>, per folder tests/<suite> that has sources.

find_package(Boost REQUIRED) # its headers: distributions of Boost.Math
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

# What all suites share. A test finds its neighbours with "support/x.hpp", the tree's data files through
# EVERBLOOM_SOURCE_DIR, and the built command line tool through EVERBLOOM_CLI_PATH. The definitions are the same
# for every suite because a precompiled header is shared only between equal command lines.
add_library(everbloom_test_base INTERFACE)
target_include_directories(everbloom_test_base INTERFACE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(everbloom_test_base INTERFACE everbloom::everbloom Boost::headers GTest::gtest)
target_compile_definitions(everbloom_test_base INTERFACE EVERBLOOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(TARGET everbloom_cli)
  target_compile_definitions(everbloom_test_base INTERFACE EVERBLOOM_CLI_PATH="$<TARGET_FILE:everbloom_cli>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(everbloom_test_base INTERFACE -fpch-preprocess) # lets ccache see into the header
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_pch.cpp CONTENT "// Carries the precompiled header of the tests.\n")
add_library(everbloom_test_pch OBJECT ${PROJECT_BINARY_DIR}/test_pch.cpp)
target_link_libraries(everbloom_test_pch PRIVATE everbloom_test_base)
target_precompile_headers(everbloom_test_pch PRIVATE <gtest/gtest.h>)
everbloom_own(everbloom_test_pch)

foreach(suite unit contract property statistical golden hostile cli)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${suite}/*.cpp)
  if(NOT sources OR (suite STREQUAL "cli" AND NOT TARGET everbloom_cli))
    continue()
  endif()
  set(test test_${suite})
  add_executable(${test} ${sources})
  everbloom_own_executable(${test})
  target_link_libraries(${test} PRIVATE everbloom_test_base GTest::gtest_main)
  target_precompile_headers(${test} REUSE_FROM everbloom_test_pch)
  if(suite STREQUAL "property")
    target_link_libraries(${test} PRIVATE rapidcheck rapidcheck_gtest)
  elseif(suite STREQUAL "cli")
    add_dependencies(${test} everbloom_cli)
  endif()
  add_test(NAME ${suite} COMMAND ${test})
endforeach()
