// The adapter from a concrete filter to a subject. Included by one generated file per kind (cmake/tests.cmake).
//
// Here the compiler also checks, for every kind, that concepts and run-time capabilities say the same, and that a read-only view has no
// verb that writes.
#pragma once

#include "support/store_like.hpp"
#include "support/subject.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/kind.hpp>

#include <algorithm>
#include <stdexcept>

namespace everbloom::support {

template <class Spec>
[[nodiscard]] Spec spec_from(const geometry& values) {
    Spec spec;
    std::size_t i = 0;
    for (const auto& field : Spec::fields()) spec.*field.value = values.at(i++);
    return spec;
}

template <class Spec>
[[nodiscard]] geometry geometry_of(const Spec& spec) {
    geometry values;
    for (const auto& field : Spec::fields()) values.push_back(spec.*field.value);
    return values;
}

template <class Kind, Filter F>
class subject_of_kind final : public subject {
public:
    explicit subject_of_kind(F filter) : filter_(std::move(filter)) {}

    [[nodiscard]] support::geometry geometry() const override { return geometry_of(filter_.spec()); }
    [[nodiscard]] support::snapshot snapshot() const override { return snapshot_of(filter_); }
    [[nodiscard]] std::vector<std::uint64_t> section_words() const override {
        std::vector<std::uint64_t> counts;
        for (const auto& words : filter_.sections()) counts.push_back(words.size());
        return counts;
    }
    [[nodiscard]] std::uint64_t cells() const override { return filter_.cells(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const override { return filter_.cell(index); }
    [[nodiscard]] everbloom::measurement measure() const override { return Kind::model::measure(filter_); }

    [[nodiscard]] bool may_contain(digest item) const override { return filter_.may_contain(item); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const override {
        filter_.may_contain(items, answers);
    }

    insert_outcome insert([[maybe_unused]] digest item) override {
        if constexpr (Insertable<F>) return filter_.insert(item);
        cannot("insert");
    }
    void insert([[maybe_unused]] std::span<const digest> items,
                [[maybe_unused]] std::span<insert_outcome> outcomes) override {
        if constexpr (Insertable<F>) return filter_.insert(items, outcomes);
        cannot("insert");
    }
    erase_outcome erase([[maybe_unused]] digest item) override {
        if constexpr (Deletable<F>) return filter_.erase(item);
        cannot("erase");
    }
    void erase([[maybe_unused]] std::span<const digest> items,
               [[maybe_unused]] std::span<erase_outcome> outcomes) override {
        if constexpr (Deletable<F>) return filter_.erase(items, outcomes);
        cannot("erase");
    }
    [[nodiscard]] erase_outcome can_erase([[maybe_unused]] digest item) const override {
        if constexpr (EraseCheckable<F>) return filter_.can_erase(item);
        cannot("judge");
    }
    [[nodiscard]] std::uint64_t estimate_count([[maybe_unused]] digest item) const override {
        if constexpr (Countable<F>) return filter_.estimate_count(item);
        cannot("count");
    }
    result<void> merge([[maybe_unused]] const subject& other) override {
        if constexpr (Mergeable<F>) return filter_.merge(dynamic_cast<const subject_of_kind&>(other).filter_);
        cannot("merge");
    }
    result<void> grow() override {
        if constexpr (Growable<F>) return filter_.grow();
        cannot("grow");
    }
    result<void> shrink() override {
        if constexpr (Shrinkable<F>) return filter_.shrink();
        cannot("shrink");
    }
    result<void> resize([[maybe_unused]] const support::geometry& wanted) override {
        if constexpr (Resizable<F>) return filter_.resize(spec_from<typename F::spec_type>(wanted));
        cannot("resize");
    }
    result<void> intersect([[maybe_unused]] const subject& other) override {
        if constexpr (Intersectable<F>) return filter_.intersect(dynamic_cast<const subject_of_kind&>(other).filter_);
        cannot("intersect");
    }
    [[nodiscard]] bool confirm([[maybe_unused]] digest item) const override {
        if constexpr (Confirming<F>) return filter_.confirm(item);
        cannot("confirm");
    }
    void clear() override {
        if constexpr (Insertable<F>) return filter_.clear();
        cannot("clear");
    }

    result<void> build([[maybe_unused]] std::span<const digest> keys) override {
        if constexpr (Buildable<F>) return filter_.build(keys);
        cannot("build");
    }

    [[nodiscard]] std::unique_ptr<subject> view() const override {
        using view_type = typename Kind::view;
        std::array<const_words, F::section_names.size()> stores;
        const auto sections = filter_.sections();
        for (std::size_t i = 0; i < stores.size(); ++i) stores[i] = {word_pieces(sections[i]), nullptr};
        return std::make_unique<subject_of_kind<Kind, view_type>>(
            must(view_type::assemble(filter_.spec(), std::move(stores))));
    }

    [[nodiscard]] std::unique_ptr<subject> reassembled() const override {
        using filter_type = typename Kind::filter;
        using store = section_store_of<filter_type>;
        std::array<store, F::section_names.size()> stores;
        const auto sections = filter_.sections();
        for (std::size_t i = 0; i < stores.size(); ++i) stores[i] = store_like<store>(sections[i]);
        return std::make_unique<subject_of_kind<Kind, filter_type>>(
            must(filter_type::assemble(filter_.spec(), std::move(stores))));
    }

    [[nodiscard]] std::unique_ptr<subject> moved_out() override {
        return std::make_unique<subject_of_kind>(std::move(filter_));
    }
    void assign(subject&& other) override { filter_ = std::move(dynamic_cast<subject_of_kind&>(other).filter_); }

private:
    [[noreturn]] static void cannot(const char* deed) {
        throw std::logic_error(std::string(F::kind_name) + " cannot " + deed);
    }

    F filter_;
};

/// A read-only view has no operation that writes.
template <class View>
concept HasNoWritingVerb =
    !requires(View& view, digest item) { view.insert(item); } &&
    !requires(View& view, digest item) { view.erase(item); } &&
    !requires(View& view, const View& other) { view.merge(other); } && !requires(View& view) { view.clear(); } &&
    !requires(View& view) { view.grow(); } && !requires(View& view) { view.shrink(); } &&
    !requires(View& view, std::span<const digest> keys) { view.build(keys); };

template <class Kind>
struct checked_by_the_compiler {
    using filter = typename Kind::filter;
    using view = typename Kind::view;
    static_assert(!Insertable<view> && HasNoWritingVerb<view>);
    static_assert(!Deletable<filter> || EraseCheckable<view>,
                  "what can be erased from can be asked beforehand, also read-only");
    static_assert(!filter::summary.empty());
};

template <class Kind>
[[nodiscard]] subject_kind subject_kind_of() {
    [[maybe_unused]] constexpr checked_by_the_compiler<Kind> checked;
    using filter = typename Kind::filter;
    using spec = typename filter::spec_type;
    constexpr bool loses_members = requires { requires filter::has_false_negatives; };
    return {
        Kind::name,
        Kind::id,
        capability_set::of<filter>(),
        !loses_members,
        {filter::section_names.begin(), filter::section_names.end()},
        [](const workload& wanted) -> result<geometry> {
            auto planned = Kind::model::plan(wanted);
            if (!planned) return fail(std::move(planned.error()));
            return geometry_of(*planned);
        },
        [](const geometry& values) -> geometry {
            const auto chosen = spec_from<spec>(values);
            if constexpr (requires { chosen.started(); }) return geometry_of(chosen.started());
            return values;
        },
        [](const geometry& values) { return spec_from<spec>(values).check(); },
        [](const geometry& values) -> std::vector<std::uint64_t> {
            const auto lines = filter::section_lines(spec_from<spec>(values));
            return {lines.begin(), lines.end()};
        },
        [](const geometry& values) -> result<std::unique_ptr<subject>> {
            auto made = make<filter>(spec_from<spec>(values));
            if (!made) return fail(std::move(made.error()));
            return std::make_unique<subject_of_kind<Kind, filter>>(std::move(*made));
        },
        [](const geometry& values, const lifetime& lived) {
            return Kind::model::predict(spec_from<spec>(values), lived);
        },
    };
}

} // namespace everbloom::support
