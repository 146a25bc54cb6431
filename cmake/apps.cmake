# The command line tool, in rooms with targets of their own (tools/check_layers knows who may include whom):
#
#   everbloom_program   apps/everbloom, all but its commands: output, frame, keys, filters
#   everbloom_gate      apps/gate, the packet filter; the only one that needs libpcap
#   everbloom_servers   apps/redis, filters on Redis servers; the only one that needs hiredis
#   everbloom_lab       lab, the laboratory: simulate, reproduce, report, route, papers
#   everbloom_cli       apps/everbloom/commands and all of the above in one program. Its file is called `everbloom`; its target cannot be, for
#                       the library has that name.

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
pkg_check_modules(hiredis REQUIRED hiredis)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)         # keys in lines by regular expressions
pkg_check_modules(libidn2 REQUIRED IMPORTED_TARGET libidn2) # domains in all scripts

# The claims of the papers are part of the program: each lab/papers/<paper>/claims.json becomes a text in C++, so that the program needs
# no file beside it.
set(embedded "")
file(GLOB papers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lab/papers/*/claims.json)
foreach(claims ${papers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${claims})
  cmake_path(GET claims PARENT_PATH paper)
  cmake_path(GET paper FILENAME paper)
  file(READ ${claims} text)
  set(source ${PROJECT_BINARY_DIR}/generated/lab/claims_of_${paper}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include <string_view>

namespace everbloom::lab {

extern const std::string_view claims_of_@paper@;
const std::string_view claims_of_@paper@ = R\"claims(@text@)claims\";

} // namespace everbloom::lab
")
  list(APPEND embedded ${source})
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
set(embedded_networks ${PROJECT_BINARY_DIR}/generated/lab/example_networks.cpp)
file(CONFIGURE OUTPUT ${embedded_networks} @ONLY CONTENT "#include \"lab/route/example_networks.hpp\"

namespace everbloom::cli {

std::span<const example_network> example_networks() {
    static constexpr example_network all[]{
@network_list@    };
    return all;
}

} // namespace everbloom::cli
")

# Nearly every file of the program needs these, and they are large. CLI11 is larger still, but not among them: its global
# objects cost six seconds in every file that sees it, precompiled or not.
set(program_headers <fmt/format.h> <nlohmann/json.hpp> <everbloom/runtime/catalogue.hpp> <everbloom/runtime/filter_file.hpp>)

# everbloom_app_target(TARGET [FOLDER...]): what all parts of the program have in common. The folders are compiled together.
function(everbloom_app_target target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/apps/everbloom ${PROJECT_SOURCE_DIR}/apps ${PROJECT_SOURCE_DIR})
  # Calls of the library take the time; what tests run of the program itself compiles a quarter faster so.
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O1>)
  everbloom_own(${target})
  if(target STREQUAL "everbloom_program")
    everbloom_precompile(${target} ${program_headers})
  else()
    target_precompile_headers(${target} REUSE_FROM everbloom_program)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
  everbloom_compile_together(${target} ${ARGN})
endfunction()

set(program ${PROJECT_SOURCE_DIR}/apps/everbloom)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${program}/output/*.cpp ${program}/frame/*.cpp ${program}/keys/*.cpp ${program}/filters/*.cpp)
add_library(everbloom_program STATIC ${sources})
target_link_libraries(everbloom_program PUBLIC everbloom::everbloom CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json BZip2::BZip2
                                               LibLZMA::LibLZMA ZLIB::ZLIB PkgConfig::libzstd PkgConfig::re2 PkgConfig::libidn2
                                               absl::flat_hash_map absl::flat_hash_set)
everbloom_app_target(everbloom_program apps/everbloom/output=2 apps/everbloom/frame apps/everbloom/frame/completion
                     apps/everbloom/keys=5 apps/everbloom/filters=2)
# The files that see CLI11 see it together.
everbloom_compile_group(cli11 apps/everbloom/frame/command_flags.cpp apps/everbloom/frame/command_description.cpp
                        apps/everbloom/frame/help_format.cpp apps/everbloom/frame/usage_error.cpp)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/gate/*.cpp)
add_library(everbloom_gate STATIC ${sources})
target_link_libraries(everbloom_gate PUBLIC everbloom_program absl::flat_hash_map absl::flat_hash_set PkgConfig::libpcap)
everbloom_app_target(everbloom_gate apps/gate=4 apps/gate/commands apps/gate/flows apps/gate/patterns)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/redis/*.cpp)
add_library(everbloom_servers STATIC ${sources})
# Without its definition of _FILE_OFFSET_BITS, with which no precompiled header can be used.
target_link_libraries(everbloom_servers PUBLIC everbloom_program PRIVATE ${hiredis_LINK_LIBRARIES})
everbloom_app_target(everbloom_servers apps/redis)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lab/*.cpp)
add_library(everbloom_lab STATIC ${sources} ${embedded} ${embedded_networks})
target_link_libraries(everbloom_lab PUBLIC everbloom_gate Boost::headers pugixml::pugixml)
everbloom_app_target(everbloom_lab lab/commands lab/report=2 lab/reproduce lab/route=2 lab/papers lab/papers/dfp lab/papers/dleft
                     lab/papers/elastic=2 lab/papers/summary lab/papers/today lab/papers/yesno=2 lab/rivals)
# They have names that a neighbour has as well.
everbloom_compile_alone(lab/route/map_labels.cpp lab/papers/dfp/fig6_7_removals.cpp lab/papers/dfp/removals_keep_deletability.cpp
                        lab/papers/elastic/fig6_mixes.cpp lab/papers/elastic/fig7_threads.cpp lab/papers/summary/deletion_methods.cpp
                        lab/papers/summary/sizing.cpp)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${program}/commands/*.cpp)
add_executable(everbloom_cli ${sources})
set_target_properties(everbloom_cli PROPERTIES OUTPUT_NAME everbloom RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_link_libraries(everbloom_cli PRIVATE everbloom_program everbloom_gate everbloom_servers everbloom_lab)
everbloom_app_target(everbloom_cli apps/everbloom/commands=5 apps/everbloom/commands/check apps/everbloom/commands/convert apps/everbloom/commands/delta
                     apps/everbloom/commands/diff
                     apps/everbloom/commands/plan apps/everbloom/commands/redis=2 apps/everbloom/commands/sync apps/everbloom/commands/uniq)
everbloom_compile_alone(apps/everbloom/commands/main.cpp) # sees CLI11
# What --version says of the build. A precompiled header would have to be made with the same definitions.
set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/everbloom/frame/build_facts.cpp PROPERTIES
  COMPILE_DEFINITIONS "EVERBLOOM_BUILD_TYPE=\"${CMAKE_BUILD_TYPE}\";EVERBLOOM_SANITIZERS=\"${EVERBLOOM_SANITIZE}\""
  SKIP_PRECOMPILE_HEADERS ON)
install(TARGETS everbloom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

# The manual pages and the completion scripts are what the program prints, so they are made as soon as it is there.
set(printed ${PROJECT_BINARY_DIR}/printed)
set(EVERBLOOM_ZSH_DIR zsh/site-functions CACHE STRING "Where zsh looks for completion functions, below share")
mark_as_advanced(EVERBLOOM_ZSH_DIR)
file(MAKE_DIRECTORY ${printed})
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  add_custom_command(TARGET everbloom_cli POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${printed}/man1 # a command may have gone
    COMMAND everbloom_cli man --out ${printed}/man1
    COMMAND everbloom_cli completion bash > ${printed}/everbloom
    COMMAND everbloom_cli completion zsh > ${printed}/_everbloom
    COMMAND everbloom_cli completion fish > ${printed}/everbloom.fish)
  install(DIRECTORY ${printed}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  install(FILES ${printed}/everbloom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${printed}/_everbloom DESTINATION ${CMAKE_INSTALL_DATADIR}/${EVERBLOOM_ZSH_DIR} COMPONENT program)
  install(FILES ${printed}/everbloom.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()
