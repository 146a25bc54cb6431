// foreign_portrait: what `show` says about a filter of another program, with the names that it uses for ours.
#pragma once

#include "output/json_output.hpp"

#include <everbloom/foreign/foreign_filter.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>

namespace everbloom::cli {

struct foreign_portrait {
    foreign_format format;
    std::uint64_t disk_bytes = 0; // as it is stored, perhaps compressed
    foreign_facts facts;

    [[nodiscard]] std::uint64_t items() const noexcept { return facts.whole_items(); }
    [[nodiscard]] capacity_target target() const noexcept { return {facts.capacity, facts.target_fpr}; }
};

[[nodiscard]] result<foreign_portrait> portray_foreign(const std::string& path, foreign_format format);
[[nodiscard]] json foreign_document(const foreign_portrait& of);
void print_foreign_portrait(const std::string& path, const foreign_portrait& of);

} // namespace everbloom::cli
