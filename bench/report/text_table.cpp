#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::bench {
namespace {

constexpr std::size_t gap = 2;

void end_line(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    line += '\n';
}

} // namespace

std::vector<text_table::placed_column> text_table::used_columns() const {
    std::vector<placed_column> placed;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = 0;
        for (const auto& row : rows_) widest = std::max(widest, row[i].size());
        if (widest != 0) placed.push_back({i, std::max(widest, columns_[i].heading.size())});
    }
    // A group's heading must fit above its columns.
    for (std::size_t from = 0; from < placed.size();) {
        std::size_t to = from;
        std::size_t width = 0;
        const std::string& group = columns_[placed[from].index].group;
        for (; to < placed.size() && columns_[placed[to].index].group == group; ++to) width += placed[to].width + gap;
        if (width < group.size() + gap) placed[to - 1].width += group.size() + gap - width;
        from = to;
    }
    return placed;
}

std::string text_table::group_line(const std::vector<placed_column>& placed) const {
    std::string line;
    std::size_t at = 0;
    std::string last;
    for (const placed_column& one : placed) {
        const std::string& group = columns_[one.index].group;
        if (group != last) {
            line.resize(at, ' ');
            line += group;
            last = group;
        }
        at += one.width + gap;
    }
    return line;
}

std::string text_table::text() const {
    const auto placed = used_columns();
    std::string all = group_line(placed);
    if (!all.empty()) end_line(all);
    const auto write = [&](auto&& cell) {
        std::string line;
        for (const placed_column& one : placed) {
            // Names stand left, numbers right.
            line += one.index == 0 ? fmt::format("{:<{}}", cell(one.index), one.width + gap)
                                   : fmt::format("{:>{}}{:{}}", cell(one.index), one.width, "", gap);
        }
        end_line(line);
        all += line;
    };
    write([&](std::size_t i) { return columns_[i].heading; });
    for (const auto& row : rows_) write([&](std::size_t i) { return row[i]; });
    return all;
}

} // namespace everbloom::bench
