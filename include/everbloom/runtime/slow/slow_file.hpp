// slow_file: a slow filter as programs see filters that are known at run time only, an any_filter with its hash and key type.
//
// It can be asked, and keys can be inserted and removed; it is not saved, but flushed. Failures of the disk on the way are kept:
// `failed` has the first one.
#pragma once

#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <memory>
#include <optional>
#include <string>

namespace everbloom {

struct slow_filter_file {
    filter_file file;
    std::shared_ptr<slow_elastic> slow; // the same filter
    std::shared_ptr<std::optional<failure>> failed;

    /// Makes the attachment of `file` and all updates durable, and gives up the file.
    [[nodiscard]] result<void> close();
};

/// Whether queries may be verified with the hashes on the disk (capability confirm): one read for each key that may be there.
enum class slow_queries { fast_only, verified };

/// For reading, removals are a dry run: outcomes without a change.
[[nodiscard]] result<slow_filter_file> open_slow_filter(const std::string& path, slow_access how,
                                                        slow_queries queries = slow_queries::fast_only);
[[nodiscard]] result<slow_filter_file> as_slow_filter_file(slow_elastic filter,
                                                           slow_queries queries = slow_queries::fast_only);

/// Whether a regular file begins as a slow filter does.
[[nodiscard]] bool is_slow_filter(const std::string& path);

} // namespace everbloom
