# `cmake --install`: headers, archive, and the two ways to find them, find_package(everbloom) and pkg-config. The components are those of
# the packages (cmake/packages.cmake): library, dev; program (cmake/apps.cmake), python, redis, sqlite.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/everbloom)
# The prefix is relative to the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")

install(TARGETS everbloom EXPORT everbloomTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT everbloomTargets NAMESPACE everbloom:: DESTINATION ${package_dir} COMPONENT dev)

configure_package_config_file(cmake/everbloomConfig.cmake.in ${PROJECT_BINARY_DIR}/everbloomConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/everbloomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/everbloomConfig.cmake ${PROJECT_BINARY_DIR}/everbloomConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)

configure_file(cmake/everbloom.pc.in ${PROJECT_BINARY_DIR}/everbloom.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/everbloom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(EVERBLOOM_CAPI)
  install(TARGETS everbloom_c EXPORT everbloomTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  configure_file(cmake/everbloom-c.pc.in ${PROJECT_BINARY_DIR}/everbloom-c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/everbloom-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endif()
