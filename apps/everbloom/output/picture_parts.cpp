#include "output/picture_parts.hpp"

#include "output/picture_heat_map.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace everbloom::cli {
namespace {

constexpr double strip_height = 16;
constexpr double strip_row = 24;
constexpr double strip_caption = 22;

/// Of the words [from, to).
double ones_share(const word_pieces& words, std::size_t from, std::size_t to) {
    std::uint64_t ones = 0;
    words.for_each_run(from, to, [&](std::span<const std::uint64_t> run) {
        for (const std::uint64_t word : run) ones += static_cast<std::uint64_t>(std::popcount(word));
    });
    return from == to ? 0 : static_cast<double>(ones) / (64.0 * static_cast<double>(to - from));
}
double ones_share(const word_pieces& words) { return ones_share(words, 0, words.size()); }

void draw_strip(picture_canvas& canvas, point at, double width, const word_pieces& words) {
    constexpr std::size_t most_slices = 160;
    const std::size_t slices = std::min(most_slices, words.size());
    const double step = width / static_cast<double>(slices);
    for (std::size_t i = 0; i < slices; ++i) {
        const std::size_t from = words.size() * i / slices;
        const std::size_t to = words.size() * (i + 1) / slices;
        canvas.shape(fmt::format("M{:.2f} {:g}h{:.2f}v{:g}h{:.2f}z", at.x + step * static_cast<double>(i), at.y, step,
                                 strip_height, -step),
                     heat_colour(ones_share(words, from, to)));
    }
}

} // namespace

std::vector<picture_part> parts_beside_the_cells(const any_filter& filter) {
    auto sections = filter.sections();
    std::vector<picture_part> parts;
    const auto add = [&](std::string name, const word_pieces& words) {
        if (ones_share(words) > 0) parts.push_back({std::move(name), words});
    };
    const auto& exclusions = filter.exclusions();
    const std::size_t own = sections.size() - (exclusions ? 1 : 0); // the exclusion list is the last section
    for (std::size_t i = 1; i < own; ++i) add(fmt::format("section {} of {}", i + 1, own), sections[i]);
    if (exclusions) add("exclusion list", exclusions->words());
    return parts;
}

double height_of_parts(std::size_t parts) noexcept {
    return parts == 0 ? 0 : strip_caption + strip_row * static_cast<double>(parts) + 8;
}

void draw_parts(picture_canvas& canvas, point at, extent of, const std::vector<picture_part>& parts) {
    if (parts.empty()) return;
    canvas.text(at, "Other sections of the file: the darker, the more bits are set", {13, "#22303c", "start", "bold"});
    double top = at.y + strip_caption - 8;
    for (const picture_part& one : parts) {
        draw_strip(canvas, {at.x, top}, of.width, one.words);
        canvas.text({at.x + of.width + 12, top + 12},
                    fmt::format("{}: {}, {} of its bits set", one.name, bytes_text(one.words.size_bytes()),
                                rate_text(ones_share(one.words))),
                    {12, "#5a6773", "start", "normal"});
        top += strip_row;
    }
}

} // namespace everbloom::cli
