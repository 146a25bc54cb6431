// A filter under test, its type hidden, and a kind under test as a row of functions.
//
// Tests written against these are compiled once, not once per kind; a new kind costs the compiler one adapter
// (subject_of_kind.hpp). Unlike any_filter this shows everything a concrete filter has: operations on one digest beside those on
// a batch, views, and being moved.
#pragma once

#include "support/must.hpp"
#include "support/snapshot.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/filter/outcomes.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/capabilities.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::support {

/// The values of a spec's fields, in their order.
using geometry = std::vector<std::uint64_t>;

class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    [[nodiscard]] virtual support::geometry geometry() const = 0;
    [[nodiscard]] virtual support::snapshot snapshot() const = 0;
    [[nodiscard]] virtual std::vector<std::uint64_t> section_words() const = 0; // how many each section has
    [[nodiscard]] virtual std::uint64_t cells() const = 0;
    [[nodiscard]] virtual std::uint64_t cell(std::uint64_t index) const = 0;
    [[nodiscard]] virtual everbloom::measurement measure() const = 0;

    [[nodiscard]] virtual bool may_contain(digest item) const = 0;
    virtual void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const = 0;

    // What the kind cannot do throws: a test that asks for it is wrong.
    virtual insert_outcome insert(digest item) = 0;
    virtual void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) = 0;
    virtual erase_outcome erase(digest item) = 0;
    virtual void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) = 0;
    [[nodiscard]] virtual erase_outcome can_erase(digest item) const = 0;
    [[nodiscard]] virtual std::uint64_t estimate_count(digest item) const = 0;
    virtual result<void> merge(const subject& other) = 0;
    virtual result<void> grow() = 0;
    virtual result<void> shrink() = 0;
    virtual result<void> resize(const support::geometry& wanted) = 0;
    virtual result<void> intersect(const subject& other) = 0;
    [[nodiscard]] virtual bool confirm(digest item) const = 0;
    virtual void clear() = 0;
    virtual result<void> build(std::span<const digest> keys) = 0;

    /// A read-only filter over the same words; it lives no longer than this one.
    [[nodiscard]] virtual std::unique_ptr<subject> view() const = 0;
    /// Taken apart into its words and put together again from a copy of them, as loading does.
    [[nodiscard]] virtual std::unique_ptr<subject> reassembled() const = 0;
    /// Moves the filter out of this subject; what stays behind can be assigned to and destroyed.
    [[nodiscard]] virtual std::unique_ptr<subject> moved_out() = 0;
    /// Moves the filter of another subject of the same kind into this one.
    virtual void assign(subject&& other) = 0;
};

struct subject_kind {
    std::string_view name;
    std::uint32_t id;
    capability_set capabilities;
    bool keeps_members; // false: loses members after removals, by design, and says so
    std::vector<std::string_view> section_names;
    result<geometry> (*plan)(const workload&);
    geometry (*started)(const geometry&); // with the state that a new filter of these choices has
    result<void> (*check)(const geometry&);
    std::vector<std::uint64_t> (*section_lines)(const geometry&);
    result<std::unique_ptr<subject>> (*make)(const geometry&);
    prediction (*predict)(const geometry&, const lifetime&);

    [[nodiscard]] bool can(capability wanted) const noexcept { return capabilities.has(wanted); }
};

/// Every kind of THE list; defined in subjects.cpp.
[[nodiscard]] const std::vector<subject_kind>& subject_kinds();

/// A parameter of tests: which kind.
using kind_pointer = const subject_kind*;

[[nodiscard]] inline std::vector<kind_pointer> subjects_that_can(capability wanted) {
    std::vector<kind_pointer> chosen;
    for (const subject_kind& kind : subject_kinds()) {
        if (kind.can(wanted)) chosen.push_back(&kind);
    }
    return chosen;
}

[[nodiscard]] inline std::vector<kind_pointer> all_subjects() { return subjects_that_can(capability::query); }

/// Those that remove keys and promise to lose no other.
[[nodiscard]] inline std::vector<kind_pointer> subjects_that_erase_safely() {
    std::vector<kind_pointer> chosen = subjects_that_can(capability::erase);
    std::erase_if(chosen, [](kind_pointer kind) { return !kind->keeps_members; });
    return chosen;
}

/// How GoogleTest prints the parameter of a failed test.
inline void PrintTo(kind_pointer kind, std::ostream* out) { *out << kind->name; }

/// Tests are called kinds/erasing.a_test/counting, not kinds/erasing.a_test/2.
inline constexpr auto subject_name = [](const auto& info) { return std::string(info.param->name); };

[[nodiscard]] inline std::uint64_t words_of(const subject& filter) {
    std::uint64_t sum = 0;
    for (const std::uint64_t words : filter.section_words()) sum += words;
    return sum;
}

[[nodiscard]] inline std::unique_ptr<subject> make_planned(const subject_kind& kind, std::uint64_t items, double fpr) {
    return must(kind.make(must(kind.plan(workload{items, fpr}))));
}

} // namespace everbloom::support
