#include "commands/diff/comparison.hpp"

#include "filters/filter_argument.hpp"

#include <everbloom/model/occupancy.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

namespace everbloom::cli {
namespace {

bool equal_geometry(const any_filter& a, const any_filter& b) {
    const auto first = a.geometry();
    const auto second = b.geometry();
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [](const geometry_value& one, const geometry_value& other) { return one.value == other.value; });
}

bool equal_exclusions(const any_filter& a, const any_filter& b) {
    const auto& first = a.exclusions();
    const auto& second = b.exclusions();
    if (!first || !second) return !first && !second;
    return first->size().bits == second->size().bits && first->size().hashes == second->size().hashes &&
           std::equal(first->words().begin(), first->words().end(), second->words().begin(), second->words().end());
}

/// The sections of the filter itself, without its exclusion list.
std::vector<word_pieces> cells_of(const any_filter& filter) {
    auto sections = filter.sections();
    if (filter.exclusions()) sections.pop_back();
    return sections;
}

using combining = result<void> (any_filter::*)(const any_filter&);

/// The filters of two files combined in memory: mapped filters cannot be. Nothing if the two cannot be combined.
std::optional<any_filter> combined(const std::string& path, const std::string& other_path, combining how) {
    auto file = open_filter_argument(path);
    const auto other = open_filter_argument(other_path);
    if (!file || !other || !(file->filter().*how)(other->filter())) return std::nullopt;
    return std::move(file->filter());
}

/// The number of distinct keys behind the occupied cells: one cell each in buckets, otherwise k cells that may coincide.
std::optional<double> different_keys(const any_filter& filter) {
    const auto cells = static_cast<double>(filter.cells());
    const double occupied = filter.census(1, 2).occupied_shares.front() * cells;
    if (filter.buckets()) return occupied;
    const auto hashes = filter.geometry("hashes");
    if (!hashes) return std::nullopt;
    const double items = items_for_occupied(occupied, cells, static_cast<double>(*hashes));
    return std::isfinite(items) ? std::optional(items) : std::nullopt;
}

std::optional<double> keys_united(const compared_filter& a, const compared_filter& b) {
    const auto united = combined(a.path, b.path, &any_filter::merge);
    return united ? different_keys(*united) : std::nullopt;
}

std::optional<double> items_in_both(const compared_filter& a, const compared_filter& b) {
    if (const auto both = combined(a.path, b.path, &any_filter::intersect)) return both->measure().items;
    const auto in_a = different_keys(a.file.filter());
    const auto in_b = different_keys(b.file.filter());
    const auto with_itself = keys_united(a, a);
    constexpr double tolerance = 0.01;
    if (!in_a || !in_b || !with_itself || *with_itself > (1 + tolerance) * *in_a + tolerance) return std::nullopt;
    const auto united = keys_united(a, b);
    return united ? std::optional(*in_a + *in_b - *united) : std::nullopt;
}

std::optional<key_overlap> overlap_of(const compared_filter& a, const compared_filter& b) {
    auto both = items_in_both(a, b);
    if (!both) return std::nullopt;
    both = std::clamp(*both, 0.0, std::min(a.now.items, b.now.items));
    return key_overlap{a.now.items - *both, b.now.items - *both, *both};
}

} // namespace

result<compared_filter> look_at_filter(const std::string& path) {
    auto file = map_filter_argument(path);
    if (!file) return fail(std::move(file.error()));
    compared_filter seen;
    seen.path = path;
    seen.file = std::move(*file);
    std::error_code gone; // deleted after it was mapped; then its size does not matter
    seen.file_bytes = std::filesystem::file_size(path, gone);
    seen.now = seen.file.filter().measure();
    seen.occupied_share = seen.file.filter().census(1, 2).occupied_shares.front();
    return seen;
}

result<filter_comparison> compare(const compared_filter& a, const compared_filter& b) {
    const any_filter& first = a.file.filter();
    const any_filter& second = b.file.filter();
    filter_comparison made;
    made.same_kind = first.kind_id() == second.kind_id();
    made.same_geometry = made.same_kind && equal_geometry(first, second);
    made.same_hash = a.file.hasher() == b.file.hasher();
    made.same_key_type = a.file.keys == b.file.keys;
    made.same_target = a.file.target.items == b.file.target.items && a.file.target.fpr == b.file.target.fpr;
    made.same_guard = equal_exclusions(first, second);
    made.same_attachment = a.file.attached == b.file.attached;
    if (!made.same_kind || !made.same_hash || !made.same_key_type) return made;
    const auto cells = cells_of(first);
    const auto others = cells_of(second);
    if (made.same_geometry) made.different_bits = 0;
    for (std::size_t i = 0; made.same_geometry && i < cells.size(); ++i) {
        made.compared_bits += word_bits * cells[i].size();
        for (std::size_t j = 0; j < cells[i].size(); ++j) {
            *made.different_bits += static_cast<std::uint64_t>(std::popcount(cells[i][j] ^ others[i][j]));
        }
    }
    made.overlap = made.different_bits == 0 ? key_overlap{0, 0, a.now.items} : overlap_of(a, b);
    return made;
}

} // namespace everbloom::cli
