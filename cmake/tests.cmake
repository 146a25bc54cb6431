# One GoogleTest executable, test_<suite>, per folder tests/<suite> that has sources.

find_package(Boost REQUIRED) # its headers: distributions of Boost.Math
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium) # its SipHash, to compare ours with

# What all suites share. A test finds its neighbours with "support/x.hpp", the tree's data files through
# EVERBLOOM_SOURCE_DIR, and the built command line tool through EVERBLOOM_CLI_PATH. The definitions are the same
# for every suite because a precompiled header is shared only between equal command lines.
add_library(everbloom_test_base INTERFACE)
target_include_directories(everbloom_test_base INTERFACE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(everbloom_test_base INTERFACE everbloom::everbloom Boost::headers GTest::gtest)
target_compile_definitions(everbloom_test_base INTERFACE EVERBLOOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# Kinds are compiled once more for some suites: -O1 takes half the time of -O2 and runs nearly as fast. The other suites compute little
# themselves: -O0 takes half the time of -O1.
set(quickly_built test_cli test_unit test_contract test_hostile)
target_compile_options(everbloom_test_base INTERFACE $<IF:$<IN_LIST:$<TARGET_PROPERTY:NAME>,${quickly_built}>,-O0,-O1>)
if(TARGET everbloom_cli)
  target_compile_definitions(everbloom_test_base INTERFACE EVERBLOOM_CLI_PATH="$<TARGET_FILE:everbloom_cli>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(everbloom_test_base INTERFACE -fpch-preprocess) # lets ccache see into the header
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_pch.cpp CONTENT "// Carries the precompiled header of the tests.\n")
add_library(everbloom_test_pch OBJECT ${PROJECT_BINARY_DIR}/test_pch.cpp)
target_link_libraries(everbloom_test_pch PRIVATE everbloom_test_base)
set(test_headers <gtest/gtest.h> <everbloom/filter/concepts.hpp> <everbloom/runtime/catalogue.hpp>)
target_precompile_headers(everbloom_test_pch PRIVATE ${test_headers})
everbloom_own(everbloom_test_pch)

# Every kind behind one interface, for the contract suite, which is written against support/subject.hpp.
# Under the sanitizers a kind's entry in the library and its subject are one translation unit: both instantiate the whole filter, which
# takes most of the build's time.
if(EVERBLOOM_ENTRIES_IN_TESTS)
  set(subject_entry_text "${entry_text}")
  if(TARGET everbloom_cli)
    set_target_properties(everbloom_cli PROPERTIES EXCLUDE_FROM_ALL ON) # it would need a whole library
  endif()
endif()
everbloom_source_per_kind(subjects subjects "${subject_entry_text}#include \"support/subject_of_kind.hpp\"

#include <kinds/KIND.hpp>

namespace everbloom::support {

subject_kind make_KIND_subject();
subject_kind make_KIND_subject() { return subject_kind_of<kinds::KIND>(); }

} // namespace everbloom::support
")
add_library(everbloom_test_subjects OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/subjects.cpp ${subjects})
target_include_directories(everbloom_test_subjects PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(everbloom_test_subjects PUBLIC everbloom_test_base)
target_precompile_headers(everbloom_test_subjects REUSE_FROM everbloom_test_pch)
everbloom_own(everbloom_test_subjects)

foreach(suite unit contract statistical golden hostile cli)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${suite}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/tests/hostile/(driver|shim)/") # programs of their own, below
  if(suite STREQUAL "hostile" AND TARGET everbloom_cli)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/apps/gate/sender_table.cpp ${PROJECT_SOURCE_DIR}/apps/gate/flows/flow_table.cpp)
  elseif(suite STREQUAL "hostile")
    list(FILTER sources EXCLUDE REGEX "/gate_tables.cpp") # a part of the command line
  endif()
  if(suite STREQUAL "unit") # the rivals of the laboratory need nothing but headers
    file(GLOB rivals CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lab/rivals/*.cpp
         ${PROJECT_SOURCE_DIR}/lab/papers/dleft/bucket_process.cpp)
    list(APPEND sources ${rivals})
  endif()
  if(NOT sources OR (suite STREQUAL "cli" AND NOT TARGET everbloom_cli))
    continue()
  endif()
  set(test test_${suite})
  add_executable(${test} ${sources})
  everbloom_own_executable(${test})
  # They have names that a neighbour has as well; the last one replaces operator new.
  everbloom_compile_alone(tests/unit/filter/elastic/elastic.cpp tests/unit/filter/elastic/elastic_growth.cpp
                          tests/unit/filter/chain/scalable.cpp tests/unit/model/yes_no_plan.cpp tests/hostile/failing_new.cpp)
  if(suite STREQUAL "cli")
    everbloom_compile_together(${test} tests/cli=6)
  elseif(suite STREQUAL "contract")
    everbloom_compile_together(${test} tests/contract=2 tests/contract/random)
  elseif(suite STREQUAL "statistical")
    everbloom_compile_together(${test} tests/statistical=3)
  elseif(suite STREQUAL "hostile")
    everbloom_compile_together(${test} tests/hostile=2)
  elseif(suite STREQUAL "unit")
    everbloom_compile_together(${test} tests/unit/bits tests/unit/core tests/unit/door tests/unit/filter tests/unit/filter/bloom tests/unit/filter/cells
                               tests/unit/filter/chain tests/unit/filter/dleft tests/unit/filter/elastic tests/unit/filter/quotient
                               tests/unit/filter/yes_no
                               tests/unit/hash tests/unit/jobs tests/unit/model tests/unit/probe tests/unit/rivals
                               tests/unit/runtime lab/rivals)
    target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR})
  endif()
  target_link_libraries(${test} PRIVATE everbloom_test_base GTest::gtest_main)
  if(suite STREQUAL "cli")
    everbloom_precompile(${test} <gtest/gtest.h> <nlohmann/json.hpp>)
  elseif(suite STREQUAL "unit")
    everbloom_precompile(${test} ${test_headers})
  elseif(test IN_LIST quickly_built)
    target_precompile_headers(${test} REUSE_FROM test_unit)
  else()
    target_precompile_headers(${test} REUSE_FROM everbloom_test_pch)
  endif()
  if(EVERBLOOM_ENTRIES_IN_TESTS OR suite STREQUAL "contract")
    target_link_libraries(${test} PRIVATE everbloom_test_subjects)
  endif()
  if(suite STREQUAL "contract")
    target_link_libraries(${test} PRIVATE rapidcheck rapidcheck_gtest)
  elseif(suite STREQUAL "unit")
    target_link_libraries(${test} PRIVATE PkgConfig::libsodium)
  elseif(suite STREQUAL "cli")
    add_dependencies(${test} everbloom_cli)
    target_link_libraries(${test} PRIVATE BZip2::BZip2 LibLZMA::LibLZMA ZLIB::ZLIB PkgConfig::libzstd)
  elseif(suite STREQUAL "hostile" AND TARGET everbloom_cli)
    target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/apps)
    target_link_libraries(${test} PRIVATE absl::flat_hash_map absl::flat_hash_set)
  endif()
  add_test(NAME ${suite} COMMAND ${test})
endforeach()

# What several threads do at once. Headers and slow filters are tested here, so it needs no library: under ThreadSanitizer that would have
# to be built once more.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/threads/*.cpp ${PROJECT_SOURCE_DIR}/src/slow/*.cpp)
list(FILTER sources EXCLUDE REGEX "/slow_file.cpp") # which knows all kinds
add_executable(test_threads EXCLUDE_FROM_ALL ${sources} ${PROJECT_SOURCE_DIR}/tests/hostile/failing_new.cpp
               ${PROJECT_SOURCE_DIR}/src/heap_words.cpp ${PROJECT_SOURCE_DIR}/src/check_stored_hashes.cpp ${PROJECT_SOURCE_DIR}/src/page_copy.cpp ${PROJECT_SOURCE_DIR}/src/overflow_pages.cpp
               ${PROJECT_SOURCE_DIR}/src/elastic_page_change.cpp
               ${PROJECT_SOURCE_DIR}/src/elastic_page_read.cpp ${PROJECT_SOURCE_DIR}/src/elastic_page_remove.cpp
               ${PROJECT_SOURCE_DIR}/src/elastic_page_wide_append.cpp ${PROJECT_SOURCE_DIR}/src/elastic_page_wide_change.cpp
               ${PROJECT_SOURCE_DIR}/src/elastic_page_wide_read.cpp ${PROJECT_SOURCE_DIR}/src/elastic_page_wide_remove.cpp
               ${PROJECT_SOURCE_DIR}/src/elastic_wide_query.cpp
               ${PROJECT_SOURCE_DIR}/src/hash_key.cpp ${PROJECT_SOURCE_DIR}/src/xxh3.cpp)
everbloom_own_executable(test_threads)
target_include_directories(test_threads PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(test_threads PRIVATE ${everbloom_dependencies} PkgConfig::libxxhash GTest::gtest_main)

# What the hostile suite runs in a process of its own: a driver, and a library to be preloaded that makes its system
# calls fail. Neither is sanitized, for the library replaces malloc, which a sanitizer wants for itself; in a sanitized
# build the driver therefore gets a plain everbloom: the archive EVERBLOOM_PLAIN_LIBRARY if given, otherwise a copy of
# its own. The suite finds both beside itself.
if(TARGET test_hostile)
  add_library(hostile_shim MODULE ${PROJECT_SOURCE_DIR}/tests/hostile/shim/shim.cpp)
  add_executable(hostile_driver ${PROJECT_SOURCE_DIR}/tests/hostile/driver/driver.cpp)
  if(EVERBLOOM_SANITIZE AND EVERBLOOM_PLAIN_LIBRARY)
    target_include_directories(hostile_driver PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
    target_link_libraries(hostile_driver PRIVATE ${EVERBLOOM_PLAIN_LIBRARY} ${everbloom_dependencies})
  elseif(EVERBLOOM_SANITIZE)
    get_target_property(library_sources everbloom SOURCES)
    target_sources(hostile_driver PRIVATE ${library_sources})
    target_include_directories(hostile_driver PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                                      ${PROJECT_BINARY_DIR}/include)
    target_link_libraries(hostile_driver PRIVATE ${everbloom_dependencies})
  else()
    target_link_libraries(hostile_driver PRIVATE everbloom::everbloom)
  endif()
  target_link_libraries(hostile_driver PRIVATE ${CMAKE_DL_LIBS})
  target_link_libraries(hostile_shim PRIVATE ${CMAKE_DL_LIBS})
  foreach(target hostile_shim hostile_driver)
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${EVERBLOOM_WERROR}>:-Werror>)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
                                               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  endforeach()
  add_dependencies(test_hostile hostile_driver hostile_shim)
  if(TARGET test_cli)
    add_dependencies(test_cli hostile_shim) # the program itself runs out of memory there
  endif()
endif()

if(EVERBLOOM_CAPI)
  include(cmake/capi_tests.cmake)
endif()
