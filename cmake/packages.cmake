# Debian packages by CPack, one per component of `cmake --install`. tools/make_packages runs it with the preset `packages`.
#
#   everbloom           program   the command, manual pages, completion scripts, the pages of docs/
#   libeverbloom0       library   libeverbloom.so.0
#   libeverbloom-dev    dev       headers, libeverbloom.a, libeverbloom.so, CMake and pkg-config files
#   python3-everbloom   python    the Python package
#   redis-everbloom     redis     the Redis module
#
# What CPack cannot know is in packaging/debian: copyright, maintainer scripts. Times in archives are SOURCE_DATE_EPOCH, so that equal
# contents make equal packages.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME everbloom)
set(CPACK_PACKAGE_VENDOR "the everbloom authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/deb)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library dev python redis)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the everbloom authors <everbloom@localhost>")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# everbloom_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [CPACK-VARIABLE VALUE]...)
function(everbloom_package component name section summary description)
  string(TOUPPER ${component} key)
  set(settings PACKAGE_NAME ${name} PACKAGE_SECTION ${section} FILE_NAME DEB-DEFAULT ${ARGN})
  while(settings)
    list(POP_FRONT settings variable value)
    set(CPACK_DEBIAN_${key}_${variable} "${value}" PARENT_SCOPE)
  endwhile()
  # At most 80 columns.
  set(lines "")
  set(line "")
  string(REPLACE " " ";" words "${description}")
  foreach(word ${words})
    string(LENGTH "${line} ${word}" columns)
    if(columns GREATER 76)
      string(APPEND lines "\n${line}")
      set(line "${word}")
    else()
      string(STRIP "${line} ${word}" line)
    endif()
  endforeach()
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}${lines}\n${line}" PARENT_SCOPE)
  # Each has its licence and its changes, as Debian's policy asks (sections 12.5 and 12.7).
  set(folder ${CMAKE_INSTALL_DATADIR}/doc/${name})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION ${folder} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/packages/changelog.gz ${PROJECT_BINARY_DIR}/packages/changelog.Debian.gz DESTINATION ${folder}
    COMPONENT ${component})
  if(EXISTS ${PROJECT_SOURCE_DIR}/packaging/debian/${name}.README.Debian)
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/${name}.README.Debian DESTINATION ${folder} COMPONENT ${component}
      RENAME README.Debian)
  endif()
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
find_program(EVERBLOOM_GZIP gzip REQUIRED)
mark_as_advanced(EVERBLOOM_GZIP)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
execute_process(COMMAND ${EVERBLOOM_GZIP} -9 -n -c ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                OUTPUT_FILE ${PROJECT_BINARY_DIR}/packages/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
# That of the package, in Debian's form.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -R -d ${EVERBLOOM_RELEASE_DATE} OUTPUT_VARIABLE day
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${PROJECT_BINARY_DIR}/packages/changelog.Debian "everbloom (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Release ${PROJECT_VERSION}: see changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${day}
")
execute_process(COMMAND ${EVERBLOOM_GZIP} -9 -n -c ${PROJECT_BINARY_DIR}/packages/changelog.Debian
                OUTPUT_FILE ${PROJECT_BINARY_DIR}/packages/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)

everbloom_package(program everbloom utils "membership filters for sets that change"
  "everbloom creates, queries, updates, plans and measures Bloom filters and 17 other kinds of membership filters. Unlike a classic Bloom filter most of them delete, grow, shrink and merge. It follows lists from day to day, finds first occurrences in streams, filters packets, and re-runs the figures of five papers."
  PACKAGE_SHLIBDEPS ON PACKAGE_RECOMMENDS man-db PACKAGE_SUGGESTS gnuplot-nox)
everbloom_package(library libeverbloom0 libs "membership filters for sets that change (C library)"
  "The shared object of the C interface: every kind of filter of everbloom and every operation on them, for programs in C and in all languages that can call C."
  PACKAGE_SHLIBDEPS ON)
everbloom_package(dev libeverbloom-dev libdevel "membership filters for sets that change (development files)"
  "Headers and the static library of the C++20 interface, header and link of the C interface, and files for CMake and pkg-config."
  PACKAGE_DEPENDS "libeverbloom0 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libc6-dev" PACKAGE_SUGGESTS "pkg-config, cmake")
everbloom_package(python python3-everbloom python "membership filters for sets that change (Python 3)"
  "Filters that are used like a set, with bulk calls for lists, numpy, pandas and Arrow, files that the command line reads and writes, the planner and the models."
  PACKAGE_SHLIBDEPS ON PACKAGE_DEPENDS "python3 (>= 3.11)" PACKAGE_RECOMMENDS python3-numpy PACKAGE_SUGGESTS python3-redis)
everbloom_package(redis redis-everbloom database "membership filters for sets that change (Redis module)"
  "RedisBloom's commands BF.* and CF.* with its replies on one filter that grows instead of a chain, removal, merging, and EB.* for every kind of filter of everbloom."
  PACKAGE_SHLIBDEPS ON PACKAGE_DEPENDS "redis-server (>= 5:7.0)")

set(scripts ${PROJECT_SOURCE_DIR}/packaging/debian)
# CPack calls ldconfig in a script. Debian wants a trigger (section 8.1.1), and a file that says which package a program needs (8.6.4).
file(WRITE ${PROJECT_BINARY_DIR}/packages/shlibs "libeverbloom 0 libeverbloom0 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${scripts}/libeverbloom0/triggers ${PROJECT_BINARY_DIR}/packages/shlibs)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${scripts}/python3-everbloom/postinst ${scripts}/python3-everbloom/prerm)

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/everbloom COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/everbloom COMPONENT program
  PATTERN Doxyfile EXCLUDE)

# Manual pages are compressed (section 12.1).
install(CODE "
  file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/*.1\")
  execute_process(COMMAND ${EVERBLOOM_GZIP} -9 -n -f \${pages} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)

include(CPack)
