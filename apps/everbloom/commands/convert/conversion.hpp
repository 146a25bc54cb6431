// conversion: writes converted files, `.bloom` to filter and back. What is in them is the library's (jobs/dcso_conversion.hpp).
#pragma once

#include "filters/dcso_file.hpp"
#include "filters/output_file.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

namespace everbloom::cli {

/// Prepares a filter file with the contents of a .bloom file; the caller publishes it.
[[nodiscard]] result<void> prepare_everbloom(const dcso_file& from, output_file& to);

/// The header of a .bloom file for this filter; a failure names the command that helps.
[[nodiscard]] result<dcso_header> header_with_advice(const filter_file& from);

enum class packing { plain, gzip };

/// Prepares that file; the caller publishes it.
[[nodiscard]] result<void> prepare_dcso(const filter_file& from, const dcso_header& header, packing how,
                                        output_file& to);

} // namespace everbloom::cli
