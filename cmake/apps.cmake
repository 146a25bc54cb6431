# The command line tool. Its file is called `everbloom`; its target cannot be, for the library has that name.

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.cpp)
if(NOT sources)
  return()
endif()

# The experiments that `reproduce` runs are part of the program, and so is what the papers claim: each
# experiments/<paper>/claims.json becomes a text in C++, so that the program needs no file beside it.
file(GLOB_RECURSE experiments CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.cpp)
file(GLOB papers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*/claims.json)
foreach(claims ${papers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${claims})
  cmake_path(GET claims PARENT_PATH paper)
  cmake_path(GET paper FILENAME paper)
  file(READ ${claims} text)
  set(embedded ${PROJECT_BINARY_DIR}/experiments/claims_of_${paper}.cpp)
  file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT "#include <string_view>

namespace everbloom::experiments {

extern const std::string_view claims_of_@paper@;
const std::string_view claims_of_@paper@ = R\"claims(@text@)claims\";

} // namespace everbloom::experiments
")
  list(APPEND experiments ${embedded})
endforeach()

# So are the networks that `route` can be tried with.
file(GLOB networks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/networks/*.graphml)
set(network_list "")
foreach(network ${networks})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${network})
  cmake_path(GET network STEM name)
  file(READ ${network} text)
  string(APPEND network_list "    {\"${name}\", R\"graphml(${text})graphml\"},\n")
endforeach()
set(embedded_networks ${PROJECT_BINARY_DIR}/route/example_networks.cpp)
file(CONFIGURE OUTPUT ${embedded_networks} @ONLY CONTENT "#include <route/example_networks.hpp>

namespace everbloom::cli {

std::span<const example_network> example_networks() {
    static constexpr example_network all[]{
@network_list@    };
    return all;
}

} // namespace everbloom::cli
")

find_package(absl REQUIRED)
find_package(Boost REQUIRED) # its headers: quantiles of Boost.Math
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
pkg_check_modules(libpcap REQUIRED IMPORTED_TARGET libpcap)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)

add_executable(everbloom_cli ${sources} ${experiments} ${embedded_networks})
set_target_properties(everbloom_cli PROPERTIES OUTPUT_NAME everbloom)
target_include_directories(everbloom_cli PRIVATE ${PROJECT_SOURCE_DIR}/apps/cli ${PROJECT_SOURCE_DIR})
target_link_libraries(everbloom_cli PRIVATE everbloom::everbloom absl::flat_hash_map absl::flat_hash_set
                                            Boost::headers CLI11::CLI11 fmt::fmt
                                            nlohmann_json::nlohmann_json pugixml::pugixml BZip2::BZip2 LibLZMA::LibLZMA ZLIB::ZLIB
                                            PkgConfig::libpcap PkgConfig::libzstd)
# Nearly every file of the program needs these, and they are large. CLI11 is larger still, but not among them: its global
# objects cost six seconds in every file that sees it, precompiled or not.
everbloom_precompile(everbloom_cli <fmt/format.h> <nlohmann/json.hpp> <everbloom/runtime/catalogue.hpp>
                     <everbloom/runtime/filter_file.hpp>)
everbloom_compile_together(everbloom_cli apps/cli=5 apps/cli/commands=4 apps/cli/completion apps/cli/convert apps/cli/diff apps/cli/gate=4
                           apps/cli/keys=2 apps/cli/manual apps/cli/plan apps/cli/report=2 apps/cli/reproduce apps/cli/route=2
                           apps/cli/simulation apps/cli/sync experiments
                           experiments/dfp experiments/dleft experiments/elastic
                           experiments/summary experiments/yesno)
# Those who see CLI11 see it together; the others have names that a neighbour has as well.
everbloom_compile_group(cli11 apps/cli/main.cpp apps/cli/command_flags.cpp apps/cli/command_description.cpp apps/cli/help_format.cpp
                        apps/cli/usage_error.cpp)
everbloom_compile_alone(apps/cli/build_facts.cpp apps/cli/route/map_labels.cpp experiments/dfp/fig6_7_removals.cpp
                        experiments/dfp/removals_keep_deletability.cpp experiments/elastic/fig6_mixes.cpp
                        experiments/elastic/fig7_threads.cpp experiments/summary/deletion_methods.cpp
                        experiments/summary/sizing.cpp)
# The work is done in the library; what tests run of the program itself compiles a quarter faster so.
target_compile_options(everbloom_cli PRIVATE $<$<NOT:$<CONFIG:Release>>:-O1>)
# What --version says of the build. A precompiled header would have to be made with the same definitions.
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/cli/build_facts.cpp PROPERTIES
  COMPILE_DEFINITIONS "EVERBLOOM_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";EVERBLOOM_SANITIZERS=\"${EVERBLOOM_SANITIZE}\""
  SKIP_PRECOMPILE_HEADERS ON)
everbloom_own_executable(everbloom_cli)
install(TARGETS everbloom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The manual page and the completion scripts are what the program prints, so they are made as soon as it is there.
set(printed ${PROJECT_BINARY_DIR}/printed)
file(MAKE_DIRECTORY ${printed})
add_custom_command(TARGET everbloom_cli POST_BUILD
  COMMAND everbloom_cli man > ${printed}/everbloom.1
  COMMAND everbloom_cli completion bash > ${printed}/everbloom
  COMMAND everbloom_cli completion zsh > ${printed}/_everbloom
  COMMAND everbloom_cli completion fish > ${printed}/everbloom.fish)
install(FILES ${printed}/everbloom.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${printed}/everbloom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${printed}/_everbloom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${printed}/everbloom.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
