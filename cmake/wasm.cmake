# The WebAssembly modules, for the npm package and the page, with the toolchain of emscripten (preset web):
#
#   everbloom_wasm         everbloom.wasm: the C interface without files and simulation (bindings/js/exports.txt)
#   everbloom_wasm_check   everbloom-check.wasm: loads filters and asks them (bindings/js/exports_check.txt)
#
# Without emscripten's JavaScript: bindings/js/src/module.ts instantiates them and gives them the few functions of a system that they import.
# Exceptions are those of WebAssembly itself, which cost little; memory that runs out is an error with a sentence here, too.

set(wasm_options -fwasm-exceptions -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.) # no path of this machine in what is shipped
target_compile_options(everbloom PUBLIC ${wasm_options} -fno-rtti) # the names of types alone are kilobytes
# After -Oz emscripten forbids inlining, also where it makes code smaller: a twentieth of the module.
target_compile_options(everbloom PRIVATE -finline-functions)
target_compile_definitions(everbloom PUBLIC EVERBLOOM_SMALL)
target_compile_options(everbloom_c_static PUBLIC ${wasm_options} -fno-rtti)
set_target_properties(everbloom everbloom_c_static PROPERTIES POSITION_INDEPENDENT_CODE OFF)

# EVERBLOOM_SMALL leaves out what pays only natively: views of mapped files, batches (they prefetch), code for single widths and shapes.
# Small code everywhere, except where numbers are crunched: the planner solves differential equations.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/dleft_fluid.cpp PROPERTIES COMPILE_OPTIONS "-Os;-finline-functions") # after -Oz emscripten forbids inlining

# --converge: binaryen repeats its passes until nothing becomes smaller, which saves two kilobytes.
function(everbloom_wasm_module target name exports)
  file(STRINGS ${exports} functions)
  list(TRANSFORM functions PREPEND "_")
  list(JOIN functions "," functions)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX ".wasm" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/wasm)
  target_link_options(${target} PRIVATE ${wasm_options} -Oz --no-entry "SHELL:-s STANDALONE_WASM" "SHELL:-s WASM_BIGINT"
    "SHELL:-s EXPORTED_FUNCTIONS=${functions}" "SHELL:-s ALLOW_MEMORY_GROWTH" "SHELL:-s MAXIMUM_MEMORY=2147418112"
    "SHELL:-s BINARYEN_EXTRA_PASSES=--converge" "SHELL:-s ABORTING_MALLOC=0" "SHELL:-s TOTAL_STACK=1048576" "SHELL:-s INITIAL_MEMORY=4194304")
endfunction()

# The functions are in the archives; this file only checks the layout that the package relies on.
add_executable(everbloom_wasm ${PROJECT_SOURCE_DIR}/bindings/js/src/layout.cpp)
target_link_libraries(everbloom_wasm PRIVATE everbloom_c_static everbloom)
everbloom_wasm_module(everbloom_wasm everbloom ${PROJECT_SOURCE_DIR}/bindings/js/exports.txt)

# The rows of the small module are linked before the archive, whose own rows are then left out.
everbloom_source_per_kind(query_only query_only "#include \"query_only_entry.hpp\"

#include <kinds/KIND.hpp>

everbloom::kind_entry everbloom::make_KIND_entry() { return make_query_only_entry<kinds::KIND>(); }
")
add_executable(everbloom_wasm_check ${query_only})
target_include_directories(everbloom_wasm_check PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(everbloom_wasm_check PRIVATE everbloom_c_static everbloom)
everbloom_own(everbloom_wasm_check)
# Reading headers takes longer than compiling these; in two parts, for two processors.
set_target_properties(everbloom_wasm_check PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
everbloom_wasm_module(everbloom_wasm_check everbloom-check ${PROJECT_SOURCE_DIR}/bindings/js/exports_check.txt)
