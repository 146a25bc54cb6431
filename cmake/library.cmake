# The library: headers in include/, the compiled part in src/.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/everbloom/*.hpp
     ${PROJECT_SOURCE_DIR}/include/everbloom/*.h)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)

# One translation unit per kind of the list: all of a kind's code is compiled in make_entry.
include(cmake/kinds.cmake)
set(entry_text "#include \"make_entry.hpp\"

#include <kinds/KIND.hpp>

everbloom::kind_entry everbloom::make_KIND_entry() { return make_entry<kinds::KIND>(); }
")
everbloom_source_per_kind(entries entries "${entry_text}")
if(NOT EVERBLOOM_ENTRIES_IN_TESTS)
  list(APPEND sources ${entries})
endif()

configure_file(cmake/version.hpp.in ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp @ONLY)

add_library(everbloom STATIC ${sources})
add_library(everbloom::everbloom ALIAS everbloom)
target_sources(everbloom PUBLIC FILE_SET HEADERS
  BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
  FILES ${headers} ${kinds_public_headers} ${PROJECT_BINARY_DIR}/include/everbloom/version.hpp)
target_include_directories(everbloom PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(everbloom PUBLIC ${everbloom_dependencies} PRIVATE $<BUILD_INTERFACE:PkgConfig::libxxhash>)
# LINKER_LANGUAGE: so that an src/ without files still makes an (empty) archive.
set_target_properties(everbloom PROPERTIES LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
everbloom_own(everbloom)
# No filter in here: a change of one would recompile all.
everbloom_precompile(everbloom <everbloom/filter/concepts.hpp> <everbloom/runtime/any_filter.hpp> <everbloom/runtime/catalogue.hpp>)
everbloom_compile_together(everbloom src=6 src/jobs=4 src/slow=2 src/door src/foreign src/simulation)
# Hot loops are compiled as they were measured: what a compiler inlines depends on its neighbours.
everbloom_compile_alone(src/cell_batches.cpp src/dleft_fluid.cpp src/dleft_packed.cpp src/dleft_pair.cpp src/dleft_wide.cpp
                        src/elastic_page_change.cpp src/elastic_page_read.cpp src/elastic_page_remove.cpp
                        src/elastic_page_wide_append.cpp src/elastic_page_wide_change.cpp src/elastic_page_wide_read.cpp
                        src/elastic_page_wide_remove.cpp src/elastic_wide_query.cpp src/fuse_build.cpp src/integer_batch.cpp
                        src/quotient_batch.cpp src/quotient_brief.cpp src/quotient_change.cpp src/quotient_sieve.cpp
                        src/quotient_single.cpp src/quotient_wide.cpp src/quotient_wide_batch.cpp src/quotient_wide_change.cpp src/siphash.cpp
                        src/slow/slow_merge.cpp src/wide_cells_ask.cpp src/wide_cells_erase.cpp src/wide_cells_flags.cpp src/wide_cells_insert.cpp
                        src/wide_cells_pairs.cpp src/xxh3.cpp)
# They have names that a neighbour has as well.
everbloom_compile_alone(src/jobs/prefix_lengths.cpp src/foreign/guava_file.cpp)
