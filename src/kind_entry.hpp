// kind_entry: a table of functions per kind, for kinds known by name or number only, generated from the list.
//
// Parameters are the fields of the kind's spec as plain numbers, in its order, as in files.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/kinds.hpp>

#include <span>
#include <vector>

namespace everbloom {

using parameter_values = std::vector<std::uint64_t>;

struct kind_entry {
    kind_info info;
    std::vector<std::string_view> chosen_by_plan; // parameters that `plan` chooses if they are 0
    result<parameter_values> (*plan)(const workload&, const parameter_values& preset);
    parameter_values (*with_best_hashes)(const parameter_values&, std::uint64_t items);
    parameter_values (*rounded_up)(const parameter_values&);
    result<void> (*check)(const parameter_values&);
    std::vector<std::uint64_t> (*section_lines)(const parameter_values&); // of parameters that passed `check`
    std::size_t fast_sections; // the first ones, which queries read; the others are slow memory
    prediction (*predict)(const parameter_values&, const lifetime&);
    parameter_values (*grown)(const parameter_values&,
                              const lifetime&); // the geometry after growth, for kinds that grow by themselves
    std::uint64_t (*query_lines)(const parameter_values&); // cache lines that a query reads, at most
    result<any_filter> (*make)(const parameter_values&);
    std::size_t chunked_sections; // the first ones, which grow and shrink by themselves: their memory comes in chunks
    result<any_filter> (*assemble)(const parameter_values&, std::vector<chunked_words>);
    // For kinds whose first section can be checked in pieces, while a file arrives: the number of items in these lines, the first of which
    // has the number `first`; and the filter of sections of which the first was checked so. Null for kinds that look at a whole.
    result<std::uint64_t> (*check_lines)(const parameter_values&, std::uint64_t first,
                                         std::span<const std::uint64_t> lines);
    result<any_filter> (*assemble_checked)(const parameter_values&, std::vector<chunked_words>, std::uint64_t items);
    result<any_filter> (*assemble_view)(const parameter_values&, std::vector<const_words>);
};

// make_bloom_entry() and so on: defined in one generated file per kind (cmake/library.cmake), so that they compile in parallel.
#define EVERBLOOM_DECLARE_ENTRY(id, family, name) [[nodiscard]] kind_entry make_##name##_entry();
EVERBLOOM_KINDS(EVERBLOOM_DECLARE_ENTRY)
#undef EVERBLOOM_DECLARE_ENTRY

// The rows are made at the first call, which may throw std::bad_alloc; so none of these is noexcept.
[[nodiscard]] const std::vector<kind_entry>& kind_entries();
[[nodiscard]] const kind_entry* find_entry(std::uint32_t id);
[[nodiscard]] const kind_entry* find_entry(std::string_view name);

} // namespace everbloom
