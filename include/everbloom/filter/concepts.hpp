// Concepts: what a filter can do. Runtime capability bits, the command line, bindings and contract tests all use them.
//
// Filters take digests, never keys. Operations on one digest need the concrete type; operations on a batch prefetch across it and
// are what the runtime calls. Spans passed together have equal lengths.
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/bits/word_store.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/outcomes.hpp>
#include <everbloom/filter/spec.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

namespace everbloom {

/// Answers "surely not" (false, 0) or "maybe" (true, 1).
template <class F>
concept Queryable =
    requires(const F& filter, digest item, std::span<const digest> items, std::span<std::uint8_t> answers) {
        { filter.may_contain(item) } noexcept -> std::same_as<bool>;
        { filter.may_contain(items, answers) } noexcept -> std::same_as<void>;
    };

/// Its loops take digests that they make themselves.
template <class F>
concept HashesItself = requires(const F* filter, const digests_on_demand<digest (*)(std::size_t) noexcept>& items,
                                std::span<std::uint8_t> answers) { filter->may_contain(items, answers); };

/// The same for insertions, none of which fails.
template <class F>
concept InsertsItself =
    requires(F* filter, const digests_on_demand<digest (*)(std::size_t) noexcept>& items) { filter->insert(items); };

/// What the sections of a filter are put together from: its stores, unless it says otherwise.
template <class F>
struct section_store {
    using type = typename F::store_type;
};
template <class F>
    requires requires { typename F::section_store; }
struct section_store<F> {
    using type = typename F::section_store;
};
template <class F>
using section_store_of = typename section_store<F>::type;

/// Words of sections: each a span, or in pieces.
template <class A, std::size_t Count>
concept ArrayOfWords = std::same_as<A, std::array<std::span<const std::uint64_t>, Count>> ||
                       std::same_as<A, std::array<word_pieces, Count>>;

/// Its storage is a fixed number of word stores, whose sizes follow from the spec.
template <class F>
concept Storable = requires(const F& filter, const typename F::spec_type& spec) {
    requires WordStore<typename F::store_type>;
    { F::section_names.size() } -> std::convertible_to<std::size_t>;
    { F::section_lines(spec) } -> std::same_as<std::array<std::uint64_t, F::section_names.size()>>;
    { filter.sections() } noexcept -> ArrayOfWords<F::section_names.size()>;
    /// Takes stores of exactly those sizes; refuses contents that no sequence of operations can produce.
    {
        F::assemble(spec, std::declval<std::array<section_store_of<F>, F::section_names.size()>>())
    } -> std::same_as<result<F>>;
};

/// Its state can be read as an array of small numbers, zero meaning empty.
template <class F>
concept Cellular = requires(const F& filter, std::uint64_t index) {
    { filter.cells() } noexcept -> std::same_as<std::uint64_t>;
    { filter.cell(index) } noexcept -> std::same_as<std::uint64_t>;
};

template <class F>
concept Filter = std::movable<F> && Queryable<F> && Storable<F> && Cellular<F> && GeometrySpec<typename F::spec_type> &&
                 requires(const F& filter) {
                     { F::kind_name } -> std::convertible_to<std::string_view>;
                     { F::summary } -> std::convertible_to<std::string_view>;
                     { filter.spec() } noexcept -> std::same_as<const typename F::spec_type&>;
                 };

template <class F>
concept Insertable =
    Filter<F> && requires(F& filter, digest item, std::span<const digest> items, std::span<insert_outcome> outcomes) {
        { filter.insert(item) } noexcept -> std::same_as<insert_outcome>;
        { filter.insert(items, outcomes) } noexcept -> std::same_as<void>;
        { filter.clear() } noexcept -> std::same_as<void>;
    };

/// Made of all its keys at once, and of others only by being built again. A failure changes nothing.
template <class F>
concept Buildable = Filter<F> && requires(F& filter, std::span<const digest> keys) {
    { filter.build(keys) } -> std::same_as<result<void>>;
};

/// A dry run of `erase`: returns its outcome and changes nothing, so read-only views can do it too.
template <class F>
concept EraseCheckable = Filter<F> && requires(const F& filter, digest item) {
    { filter.can_erase(item) } noexcept -> std::same_as<erase_outcome>;
};

template <class F>
concept Deletable = Insertable<F> && EraseCheckable<F> &&
                    requires(F& filter, digest item, std::span<const digest> items, std::span<erase_outcome> outcomes) {
                        { filter.erase(item) } noexcept -> std::same_as<erase_outcome>;
                        { filter.erase(items, outcomes) } noexcept -> std::same_as<void>;
                    };

/// Knows how often a key was inserted: never too low for a member.
template <class F>
concept Countable = Filter<F> && requires(const F& filter, digest item) {
    { filter.estimate_count(item) } noexcept -> std::same_as<std::uint64_t>;
};

/// Stores more of each hash than its cells: a slower, verified query with a negligible FPR and no false negatives.
template <class F>
concept Confirming = Filter<F> && requires(const F& filter, digest item) {
    { filter.confirm(item) } noexcept -> std::same_as<bool>;
};

/// Keeps so much of every key's hash that a smaller copy for queries can be made without the keys. `visit(digest, copies)` gets, for each
/// key, a digest that stands for it in the copy.
template <class F>
concept QueryCopyable = Filter<F> && requires(const F& filter, void (*visit)(digest, std::uint64_t)) {
    { filter.for_each_digest(visit) } -> std::same_as<void>;
};

/// Adds the keys of another filter of the same spec, or of any spec it can convert.
template <class F>
concept Mergeable = Insertable<F> && requires(F& filter, const F& other) {
    { filter.merge(other) } -> std::same_as<result<void>>;
};

/// Keeps the keys that another filter holds as well.
template <class F>
concept Intersectable = Insertable<F> && requires(F& filter, const F& other) {
    { filter.intersect(other) } -> std::same_as<result<void>>;
};

/// Grows or shrinks without the keys.
template <class F>
concept Growable = Insertable<F> && requires(F& filter) {
    { filter.grow() } -> std::same_as<result<void>>;
};
template <class F>
concept Shrinkable = Insertable<F> && requires(F& filter) {
    { filter.shrink() } -> std::same_as<result<void>>;
};

/// Resizes to another geometry without the keys: any size, and any other parameter that its kind can change.
template <class F>
concept Resizable = Growable<F> && Shrinkable<F> && requires(F& filter, const typename F::spec_type& spec) {
    { filter.resize(spec) } -> std::same_as<result<void>>;
};

} // namespace everbloom
