# vcpkg port, as an overlay in this tree. Not tried: written by vcpkg's documentation. A port of a registry fetches the published archive of
# sources instead (vcpkg_from_github, with its checksum).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DEVERBLOOM_APPS=OFF
    -DEVERBLOOM_CAPI=OFF
    -DEVERBLOOM_TESTS=OFF
    -DEVERBLOOM_BENCH=OFF
    -DEVERBLOOM_WERROR=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME everbloom CONFIG_PATH lib/cmake/everbloom)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
