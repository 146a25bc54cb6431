# The SQLite extension, everbloom_sqlite.so: one file that needs nothing else of ours, because it has the C interface in it.

enable_language(C)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
add_library(everbloom_sqlite MODULE ${PROJECT_SOURCE_DIR}/bindings/sqlite/everbloom_sqlite.c)
# An extension gets SQLite's functions from the program that loads it: the headers only.
target_include_directories(everbloom_sqlite SYSTEM PRIVATE ${sqlite3_INCLUDE_DIRS})
target_link_libraries(everbloom_sqlite PRIVATE everbloom_c_static everbloom::everbloom)
target_compile_options(everbloom_sqlite PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${EVERBLOOM_WERROR}>:-Werror>)
everbloom_export_only(everbloom_sqlite ${PROJECT_SOURCE_DIR}/bindings/sqlite/exports.map LINKER:--no-undefined)
set_target_properties(everbloom_sqlite PROPERTIES PREFIX "" C_STANDARD 99 C_VISIBILITY_PRESET hidden LINKER_LANGUAGE CXX)
install(TARGETS everbloom_sqlite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sqlite3 COMPONENT sqlite)
