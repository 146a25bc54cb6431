# The list of kinds (include/everbloom/runtime/kinds.hpp) for the build: a header per kind, so that a file that needs one kind does not
# see the others, and translation units made from it.
#
#   kinds/<name>.hpp   everbloom::kinds::<name>, the kind as a type; includes its filter and its model, and nothing else
#   kinds/all.hpp      everbloom::all_kinds, for code that is a template over all of them (the benchmarks)
#   everbloom/kinds/<name>.hpp   everbloom::<name>, for filter<Key, Kind>; installed
#   everbloom/kinds.hpp   all of these

set(kinds_header ${PROJECT_SOURCE_DIR}/include/everbloom/runtime/kinds.hpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kinds_header})
file(READ ${kinds_header} kinds_text)
string(REGEX MATCHALL "\n *KIND\\([0-9]+, [a-z_]+, [a-z_]+\\)" kind_lines "${kinds_text}")
set(everbloom_kinds "")
set(kinds_dir ${PROJECT_BINARY_DIR}/generated/kinds)
set(all_includes "")
set(all_types "")
set(tag_includes "")
set(kinds_public_headers ${PROJECT_BINARY_DIR}/include/everbloom/kinds.hpp)
foreach(line ${kind_lines})
  string(REGEX REPLACE "\n *KIND\\(([0-9]+), ([a-z_]+), ([a-z_]+)\\)" "\\1;\\2;\\3" fields "${line}")
  list(GET fields 0 id)
  list(GET fields 1 family)
  list(GET fields 2 name)
  list(APPEND everbloom_kinds ${name})
  file(CONFIGURE OUTPUT ${kinds_dir}/${name}.hpp CONTENT "#pragma once

#include <everbloom/filter/@family@/@name@.hpp>
#include <everbloom/model/@family@/@name@.hpp>
#include <everbloom/runtime/kind.hpp>

namespace everbloom::kinds {

using @name@ = kind<@id@, basic_@name@_filter, @name@_model>;

} // namespace everbloom::kinds
" @ONLY)
  string(APPEND all_includes "#include <kinds/${name}.hpp>\n")
  list(APPEND all_types "kinds::${name}")
  # The kind describes itself in its header; the same sentence explains its name.
  file(READ ${PROJECT_SOURCE_DIR}/include/everbloom/filter/${family}/${name}.hpp filter_text)
  string(REGEX MATCH "summary =[ \n]*\"([^\"]*)\"" matched "${filter_text}")
  set(summary ${CMAKE_MATCH_1})
  set(tag_header ${PROJECT_BINARY_DIR}/include/everbloom/kinds/${name}.hpp)
  file(CONFIGURE OUTPUT ${tag_header} CONTENT "#pragma once

#include <everbloom/filter/@family@/@name@.hpp>
#include <everbloom/filter/fixed_kind.hpp>

namespace everbloom {

/// @name@: @summary@.
using @name@ = fixed_kind<@id@, basic_@name@_filter>;

} // namespace everbloom
" @ONLY)
  list(APPEND kinds_public_headers ${tag_header})
  string(APPEND tag_includes "#include <everbloom/kinds/${name}.hpp>\n")
endforeach()
list(JOIN all_types ", " all_types)
file(CONFIGURE OUTPUT ${kinds_dir}/all.hpp CONTENT "#pragma once

@all_includes@
namespace everbloom {

template <class... Kinds>
struct kind_list {
    /// Calls `visit.template operator()<Kind>()` for every kind, in order.
    template <class Visitor>
    static void for_each(Visitor&& visit) {
        (visit.template operator()<Kinds>(), ...);
    }
};

using all_kinds = kind_list<@all_types@>;

} // namespace everbloom
" @ONLY)

list(GET kinds_public_headers 0 kinds_public_header)
file(CONFIGURE OUTPUT ${kinds_public_header} CONTENT "// The kinds by name, to fix one at compile time: filter<std::string, everbloom::blocked>. A program that needs one includes
// <everbloom/kinds/blocked.hpp> instead and compiles faster.
#pragma once

@tag_includes@" @ONLY)

# everbloom_source_per_kind(VARIABLE FOLDER TEXT): a translation unit for every kind; "KIND" in its text is the kind's name.
function(everbloom_source_per_kind variable folder text)
  set(made "")
  foreach(name ${everbloom_kinds})
    string(REPLACE "KIND" "${name}" contents "${text}")
    set(source ${PROJECT_BINARY_DIR}/generated/${folder}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${contents}" @ONLY)
    list(APPEND made ${source})
  endforeach()
  set(${variable} ${made} PARENT_SCOPE)
endfunction()
