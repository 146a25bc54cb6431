// file_access: owner, group, mode bits and access control list of a file that is being replaced.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>

namespace everbloom {

/// Refuses a file that the caller may not write, or that has no write bit at all: it is read-only on purpose, also for root, and a
/// rename would not even notice.
[[nodiscard]] result<void> refuse_read_only(const std::string& path);

/// Gives the open file the owner, group, mode bits and access control list of `old`, as far as the system allows. What cannot be kept
/// never widens access. True: done; false: `old` does not exist.
[[nodiscard]] result<bool> copy_access(const std::string& old, int descriptor);

} // namespace everbloom
