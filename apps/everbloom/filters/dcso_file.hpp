// dcso_file: reads a `.bloom` file from disk, plain or compressed. The library knows its contents (jobs/dcso_file.hpp).
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/dcso_file.hpp>

#include <string>

namespace everbloom::cli {

/// Does the file have a plausible header of a .bloom file, plain or gzip?
[[nodiscard]] bool looks_like_dcso(const std::string& path, const cancellation& cancel);

/// Plain or compressed. Reads the file twice: allocates only after the length is checked.
[[nodiscard]] result<dcso_file> read_dcso(const std::string& path, const cancellation& cancel);

} // namespace everbloom::cli
