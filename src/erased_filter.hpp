// The implementation of any_filter: the virtual interface, and its one implementation for all kinds.
#pragma once

#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/model/query_copy.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <algorithm>
#include <functional>

namespace everbloom {

class any_filter::interface {
public:
    interface() = default;
    interface(const interface&) = delete;
    interface& operator=(const interface&) = delete;
    virtual ~interface() = default;

    /// The concrete filter, and the functions for it.
    [[nodiscard]] virtual void* object() noexcept = 0;
    [[nodiscard]] virtual key_calls calls() const noexcept = 0;
    /// In memory, not mapped.
    [[nodiscard]] virtual bool writable() const noexcept = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> keys() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t memory_words() const noexcept = 0;
    [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
    [[nodiscard]] virtual std::uint32_t kind_id() const noexcept = 0;
    [[nodiscard]] virtual capability_set capabilities() const noexcept = 0;
    [[nodiscard]] virtual std::vector<geometry_value> geometry() const = 0;
    [[nodiscard]] virtual std::uint64_t structure_bits() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t cells() const noexcept = 0;
    virtual void read_cells(std::uint64_t first, std::span<std::uint64_t> values) const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t payload_words() const noexcept = 0; // of all sections
    [[nodiscard]] virtual bool may_contain(digest item) const noexcept = 0;
    virtual void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept = 0;
    /// Whole numbers, hashed in the loop itself; false, and nothing is done, if kind or hash function has no such loop.
    [[nodiscard]] virtual bool may_contain(const any_hasher& hash, std::span<const std::uint64_t> numbers,
                                           std::span<std::uint8_t> answers) const noexcept = 0;
    [[nodiscard]] virtual bool insert(const any_hasher& hash, std::span<const std::uint64_t> numbers) noexcept = 0;
    // Below, a kind that cannot do it does nothing; any_filter has asked `capabilities` before.
    virtual void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept = 0;
    virtual void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept = 0;
    /// False where the kind cannot remove at all.
    [[nodiscard]] virtual bool can_erase(std::span<const digest> items,
                                         std::span<erase_outcome> outcomes) const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t estimate_count(digest item) const noexcept = 0;
    [[nodiscard]] virtual result<void> merge(const interface& other) = 0;
    [[nodiscard]] virtual result<void> grow() = 0;
    [[nodiscard]] virtual result<void> shrink() = 0;
    [[nodiscard]] virtual result<void> resize(const interface& like) = 0;
    [[nodiscard]] virtual result<void> intersect(const interface& other) = 0;
    /// The geometry of a copy for queries that keys are inserted into, and of one that is built from them; digests that stand for the keys.
    [[nodiscard]] virtual result<query_copy_geometry> query_copy(double fpr) const = 0;
    [[nodiscard]] virtual result<query_copy_geometry> fuse_copy(double fpr) const = 0;
    virtual void for_each_digest(const std::function<void(digest, std::uint64_t)>& visit) const = 0;
    [[nodiscard]] virtual result<void> build(std::span<const digest> keys) = 0;
    virtual void confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept = 0;
    [[nodiscard]] virtual result<protection> protect(std::span<const digest> members, std::span<const digest> negatives,
                                                     const protection_options& how) = 0;
    virtual void clear() noexcept = 0;
    [[nodiscard]] virtual measurement measure() const = 0;
    [[nodiscard]] virtual prediction predict(const lifetime& lived) const = 0;
    [[nodiscard]] virtual std::optional<bucket_statistics> buckets() const = 0;
    [[nodiscard]] virtual std::vector<double> predict_buckets(const lifetime& lived) const = 0;
    [[nodiscard]] virtual std::optional<growth_statistics> growth() const = 0;
    [[nodiscard]] virtual std::vector<word_pieces> sections() const = 0;
};

/// Batches prefetch. WebAssembly cannot: there the code of the operations on one key does for many, too.
#if defined(EVERBLOOM_SMALL)
inline constexpr bool prefetches = false;
#else
inline constexpr bool prefetches = true;
#endif

/// The function `protect` of the kind's own header, which a member function of that name would hide.
template <Filter F>
[[nodiscard]] result<protection> protect_in_its_way(F& filter, std::span<const digest> members,
                                                    std::span<const digest> negatives, const protection_options& how) {
    return protect(filter, members, negatives, how);
}

/// A call: code for a value, in every field of every kind, would be a part of the program that counts in browsers.
[[gnu::noinline]] inline geometry_value named_value(std::string_view name, std::uint64_t value,
                                                    std::span<const std::string_view> words, field_form form,
                                                    field_role role) {
    return {name, value, value < words.size() ? words[static_cast<std::size_t>(value)] : std::string_view{}, form,
            role};
}

[[gnu::noinline]] inline unexpected<failure> no_query_copy() {
    return fail(failure_reason::unsupported, "it keeps too little of each key's hash");
}

/// Key by key, where batches do not prefetch: one loop for all kinds.
[[gnu::noinline]] inline void ask_each(bool (*ask)(const void*, std::uint64_t, std::uint64_t) noexcept,
                                       const void* filter, std::span<const digest> items,
                                       std::span<std::uint8_t> answers) noexcept {
    for (std::size_t i = 0; i < items.size(); ++i) answers[i] = ask(filter, items[i].low, items[i].high) ? 1 : 0;
}
template <class Outcome>
[[gnu::noinline]] void change_each(Outcome (*change)(void*, std::uint64_t, std::uint64_t) noexcept, void* filter,
                                   std::span<const digest> items, std::span<Outcome> outcomes) noexcept {
    for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = change(filter, items[i].low, items[i].high);
}

template <class Kind, Filter F>
class erased_filter final : public any_filter::interface {
public:
    explicit erased_filter(F filter) : filter_(std::move(filter)) {}

    [[nodiscard]] void* object() noexcept override { return &filter_; }
    [[nodiscard]] any_filter::key_calls calls() const noexcept override { return {ask_one, insert_one, erase_one}; }
    [[nodiscard]] bool writable() const noexcept override { return WritableWordStore<typename F::store_type>; }
    [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept override {
        if constexpr (requires { filter_.keys(); }) return filter_.keys();
        return std::nullopt;
    }
    [[nodiscard]] std::uint64_t memory_words() const noexcept override {
        if (!writable()) return 0;
        if constexpr (requires { filter_.memory_words(); }) return filter_.memory_words();
        return payload_words();
    }

    [[nodiscard]] std::string_view kind() const noexcept override { return F::kind_name; }
    [[nodiscard]] std::uint32_t kind_id() const noexcept override { return Kind::id; }
    [[nodiscard]] capability_set capabilities() const noexcept override { return capability_set::of<F>(); }

    [[nodiscard]] std::vector<geometry_value> geometry() const override {
        std::vector<geometry_value> made;
        for (const auto& field : F::spec_type::fields()) {
            made.push_back(named_value(field.name, filter_.spec().*field.value, field.words, field.form, field.role));
        }
        return made;
    }

    [[nodiscard]] std::uint64_t structure_bits() const noexcept override {
        if constexpr (requires { filter_.spec().structure_bits(); }) return filter_.spec().structure_bits();
        if constexpr (requires { filter_.spec().bits; }) return filter_.spec().bits;
        return payload_words() * word_bits;
    }
    [[nodiscard]] std::uint64_t payload_words() const noexcept override {
        std::uint64_t words = 0;
        for (const auto& section : filter_.sections()) words += section.size();
        return words;
    }
    [[nodiscard]] std::uint64_t cells() const noexcept override { return filter_.cells(); }
    void read_cells(std::uint64_t first, std::span<std::uint64_t> values) const noexcept override {
        for (std::uint64_t& value : values) value = filter_.cell(first++);
    }
    [[nodiscard]] bool may_contain(digest item) const noexcept override { return filter_.may_contain(item); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept override {
        if constexpr (prefetches) {
            filter_.may_contain(items, answers);
        } else {
            ask_each(ask_one, &filter_, items, answers);
        }
    }

    [[nodiscard]] bool may_contain([[maybe_unused]] const any_hasher& hash,
                                   [[maybe_unused]] std::span<const std::uint64_t> numbers,
                                   [[maybe_unused]] std::span<std::uint8_t> answers) const noexcept override {
        if constexpr (HashesItself<F> && prefetches) {
            return hash.digests_of(numbers, [&](const auto& items) { filter_.may_contain(items, answers); });
        }
        return false;
    }
    [[nodiscard]] bool insert([[maybe_unused]] const any_hasher& hash,
                              [[maybe_unused]] std::span<const std::uint64_t> numbers) noexcept override {
        if constexpr (InsertsItself<F> && prefetches) {
            return hash.digests_of(numbers, [&](const auto& items) { filter_.insert(items); });
        }
        return false;
    }

    void insert([[maybe_unused]] std::span<const digest> items,
                [[maybe_unused]] std::span<insert_outcome> outcomes) noexcept override {
        if constexpr (Insertable<F> && prefetches) {
            filter_.insert(items, outcomes);
        } else if constexpr (Insertable<F>) {
            change_each(insert_one, &filter_, items, outcomes);
        }
    }
    void erase([[maybe_unused]] std::span<const digest> items,
               [[maybe_unused]] std::span<erase_outcome> outcomes) noexcept override {
        if constexpr (Deletable<F> && prefetches) {
            filter_.erase(items, outcomes);
        } else if constexpr (Deletable<F>) {
            change_each(erase_one, &filter_, items, outcomes);
        }
    }
    [[nodiscard]] bool can_erase([[maybe_unused]] std::span<const digest> items,
                                 [[maybe_unused]] std::span<erase_outcome> outcomes) const noexcept override {
        if constexpr (EraseCheckable<F>) {
            for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = filter_.can_erase(items[i]);
        }
        return EraseCheckable<F>;
    }
    [[nodiscard]] std::uint64_t estimate_count([[maybe_unused]] digest item) const noexcept override {
        if constexpr (Countable<F>) return filter_.estimate_count(item);
        return 0;
    }

    /// `other` is of the same kind, and in memory.
    [[nodiscard]] result<void> merge([[maybe_unused]] const interface& other) override {
        if constexpr (Mergeable<F>) return filter_.merge(static_cast<const erased_filter&>(other).filter_);
        return {};
    }

    [[nodiscard]] result<void> grow() override {
        if constexpr (Growable<F>) return filter_.grow();
        return {};
    }
    [[nodiscard]] result<void> shrink() override {
        if constexpr (Shrinkable<F>) return filter_.shrink();
        return {};
    }
    /// Only the geometry of `like` is used, so it may be a read-only view.
    [[nodiscard]] result<void> resize([[maybe_unused]] const interface& like) override {
        if constexpr (Resizable<F>) {
            typename F::spec_type wanted;
            const auto values = like.geometry();
            std::size_t i = 0;
            for (const auto& field : F::spec_type::fields()) wanted.*field.value = values[i++].value;
            return filter_.resize(wanted);
        } else {
            return {};
        }
    }
    [[nodiscard]] result<void> intersect([[maybe_unused]] const interface& other) override {
        if constexpr (Intersectable<F>) return filter_.intersect(static_cast<const erased_filter&>(other).filter_);
        return {};
    }
    [[nodiscard]] result<query_copy_geometry> query_copy([[maybe_unused]] double fpr) const override {
        if constexpr (QueryCopyable<F>) {
            return Kind::model::query_copy(filter_, fpr);
        } else {
            return no_query_copy();
        }
    }
    [[nodiscard]] result<query_copy_geometry> fuse_copy([[maybe_unused]] double fpr) const override {
#if !defined(EVERBLOOM_SMALL)
        if constexpr (QueryCopyable<F>) return Kind::model::fuse_copy(filter_, fpr);
#endif
        return no_query_copy();
    }
    [[nodiscard]] result<void> build([[maybe_unused]] std::span<const digest> keys) override {
        if constexpr (Buildable<F>) return filter_.build(keys);
        return {};
    }
    void for_each_digest([[maybe_unused]] const std::function<void(digest, std::uint64_t)>& visit) const override {
        if constexpr (QueryCopyable<F>) filter_.for_each_digest(visit);
    }
    void confirm([[maybe_unused]] std::span<const digest> items,
                 [[maybe_unused]] std::span<std::uint8_t> answers) const noexcept override {
        if constexpr (requires { filter_.confirm(items, answers); }) {
            filter_.confirm(items, answers);
        } else if constexpr (Confirming<F>) {
            for (std::size_t i = 0; i < items.size(); ++i) {
                answers[i] = static_cast<std::uint8_t>(filter_.confirm(items[i]));
            }
        }
    }
    [[nodiscard]] result<protection> protect([[maybe_unused]] std::span<const digest> members,
                                             [[maybe_unused]] std::span<const digest> negatives,
                                             [[maybe_unused]] const protection_options& how) override {
        if constexpr (Protectable<F>) return protect_in_its_way(filter_, members, negatives, how);
        return protection{};
    }
    void clear() noexcept override {
        if constexpr (Insertable<F>) filter_.clear();
    }

    [[nodiscard]] measurement measure() const override { return Kind::model::measure(filter_); }
    [[nodiscard]] prediction predict(const lifetime& lived) const override {
        return Kind::model::predict(filter_.spec(), lived);
    }

    [[nodiscard]] std::optional<bucket_statistics> buckets() const override {
        if constexpr (requires { Kind::model::buckets(filter_); }) return Kind::model::buckets(filter_);
        return std::nullopt;
    }
    [[nodiscard]] std::vector<double> predict_buckets([[maybe_unused]] const lifetime& lived) const override {
        if constexpr (requires { Kind::model::predict_buckets(filter_.spec(), lived); }) {
            return Kind::model::predict_buckets(filter_.spec(), lived);
        }
        return {};
    }

    [[nodiscard]] std::optional<growth_statistics> growth() const override {
        if constexpr (requires { Kind::model::growth(filter_); }) return Kind::model::growth(filter_);
        return std::nullopt;
    }

    [[nodiscard]] std::vector<word_pieces> sections() const override {
        const auto parts = filter_.sections();
        return {parts.begin(), parts.end()};
    }

private:
    /// Flat: a kind that chooses between layouts would pass the choice on through memory, which costs as much as the query.
#if !defined(EVERBLOOM_SMALL)
    [[gnu::flatten]]
#endif
    [[nodiscard]] static bool
    ask_one(const void* filter, std::uint64_t low, std::uint64_t high) noexcept {
        return static_cast<const F*>(filter)->may_contain(digest{low, high});
    }
    static insert_outcome insert_one([[maybe_unused]] void* filter, [[maybe_unused]] std::uint64_t low,
                                     [[maybe_unused]] std::uint64_t high) noexcept {
        if constexpr (Insertable<F>) return static_cast<F*>(filter)->insert(digest{low, high});
        return insert_outcome::not_writable;
    }
    static erase_outcome erase_one([[maybe_unused]] void* filter, [[maybe_unused]] std::uint64_t low,
                                   [[maybe_unused]] std::uint64_t high) noexcept {
        if constexpr (Deletable<F>) return static_cast<F*>(filter)->erase(digest{low, high});
        return erase_outcome::unsupported;
    }

    F filter_;
};

} // namespace everbloom
