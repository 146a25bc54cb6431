// conversion: `.bloom` file to filter file and back, without the keys: the bits stay where they are; the hash and the probe scheme of
// those files exist in the library (both are called dcso).
#pragma once

#include "commands/convert/dcso_file.hpp"
#include "filters/output_file.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <string>

namespace everbloom::cli {

/// Prepares a filter file with the contents of a .bloom file; the caller publishes it.
[[nodiscard]] result<void> prepare_everbloom(const dcso_file& from, output_file& to);

enum class packing { plain, gzip };

/// The header of a .bloom file for this filter. Refuses filters with another hash, and what such a file cannot store.
[[nodiscard]] result<dcso_header> header_as_dcso(const filter_file& from);
/// Prepares that file; the caller publishes it.
[[nodiscard]] result<void> prepare_dcso(const filter_file& from, const dcso_header& header, packing how,
                                        output_file& to);

} // namespace everbloom::cli
