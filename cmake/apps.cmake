# The command line tool. Its file is called `everbloom`; its target cannot be, for the library has that name.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.cpp)
if(NOT sources)
  return()
endif()

find_package(Boost REQUIRED) # its headers: quantiles of Boost.Math
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)

add_executable(everbloom_cli ${sources})
set_target_properties(everbloom_cli PROPERTIES OUTPUT_NAME everbloom)
target_include_directories(everbloom_cli PRIVATE ${PROJECT_SOURCE_DIR}/apps/cli)
target_link_libraries(everbloom_cli PRIVATE everbloom::everbloom Boost::headers CLI11::CLI11 fmt::fmt
                                            nlohmann_json::nlohmann_json ZLIB::ZLIB PkgConfig::libzstd)
# Nearly every file of the program needs these, and they are large.
target_precompile_headers(everbloom_cli PRIVATE <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>
                                                <everbloom/runtime/catalogue.hpp> <everbloom/runtime/filter_file.hpp>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(everbloom_cli PRIVATE -fpch-preprocess) # lets ccache see into the header
endif()
everbloom_own_executable(everbloom_cli)
install(TARGETS everbloom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
