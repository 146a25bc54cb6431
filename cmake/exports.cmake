# everbloom_export_only(TARGET MAP [OPTION...]): a shared object shows the names behind "global:" in MAP, a version script, and nothing else. The
# linker of macOS knows no version scripts, but takes the names one by one. Options are for the other linkers alone: GNU's, gold, lld.
function(everbloom_export_only target map)
  if(APPLE)
    file(STRINGS ${map} lines REGEX "global:")
    foreach(line ${lines})
      string(REGEX REPLACE ".*global: *([A-Za-z0-9_*]+).*" "\\1" name "${line}")
      target_link_options(${target} PRIVATE "LINKER:-exported_symbol,_${name}")
    endforeach()
  else()
    target_link_options(${target} PRIVATE LINKER:--version-script=${map} ${ARGN})
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
