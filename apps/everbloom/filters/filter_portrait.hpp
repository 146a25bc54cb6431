// filter_portrait: the facts about a filter file, read and measured once.
#pragma once

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace everbloom::cli {

struct filter_portrait {
    filter_file file;
    const kind_info* kind = nullptr; // for its capabilities: a mapped filter has fewer
    std::uint64_t file_bytes = 0;
    measurement now;
    double occupied_share = 0;

    [[nodiscard]] const any_filter& filter() const noexcept { return file.filter(); }
    [[nodiscard]] std::uint64_t items() const noexcept;
    [[nodiscard]] std::optional<double> deletable_at_twice_the_items() const;
};

[[nodiscard]] result<filter_portrait> portray_filter(const std::string& path);

/// Its cells as an SVG picture with a caption; `path` gives the name.
[[nodiscard]] std::string picture_of(const filter_portrait& seen, const std::string& path);

} // namespace everbloom::cli
