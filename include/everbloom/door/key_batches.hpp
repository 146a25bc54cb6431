// Batches: a range of keys becomes digests, a batch at a time, which the hash functions and filters then work on together.
#pragma once

#include <everbloom/core/error.hpp>
#include <everbloom/key.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <vector>

namespace everbloom::door {

/// A range of keys, not a key itself: a string is one key, a vector of strings are many. A text is no range of numbers.
template <class Range, class KeyType>
concept KeysOf =
    detail::any_range<Range> && !detail::text_key<Range> && !(detail::same_encoding<KeyType, Range>()) &&
    detail::same_encoding<KeyType, std::remove_cvref_t<decltype(*std::begin(std::declval<const Range&>()))>>();

/// One key, not a range of them. Whether it is a key of this filter is decided inside, where there is room for a sentence.
template <class Given, class KeyType>
concept OneKey = !KeysOf<Given, KeyType>;

/// The digest of a key of the filter's type, of a type with the same bytes, or of one that converts to it. Anything else does not
/// compile, with a sentence that says why; a double would convert to a whole number, and a null pointer to a string, so they are
/// refused by name.
template <class KeyType, class Given>
[[nodiscard]] digest item_of(const any_hasher& hash, const Given& key) {
    constexpr bool never = std::floating_point<Given> || std::is_null_pointer_v<Given>;
    if constexpr (detail::same_encoding<KeyType, Given>()) {
        return digest_of(hash, key);
    } else if constexpr (never) {
        detail::explain_refusal<Given>();
        return {};
    } else if constexpr (std::convertible_to<const Given&, KeyType> && !detail::number_key<Given>) {
        return digest_of(hash, static_cast<KeyType>(key));
    } else {
        detail::explain_refusal<Given>();
        static_assert(
            detail::same_encoding<KeyType, Given>() || !Key<Given>,
            "everbloom: this is not a key of this filter: a number is no text, and a text is no number; convert it "
            "to the filter's key type first");
        return {};
    }
}

/// Answers and outcomes are as many as the keys.
inline void check_count(std::size_t keys, std::size_t results) {
    if (keys > results) {
        throw error({failure_reason::bad_parameter,
                     "there are more keys than places for their answers; make both the same number"});
    }
}

/// Whole numbers that lie as the hash functions take them.
template <class Range>
concept NumbersInARow = requires(const Range& keys) {
    { std::data(keys) } -> std::convertible_to<const std::uint64_t*>;
    { std::size(keys) } -> std::convertible_to<std::size_t>;
} && !detail::custom_key<std::uint64_t>;

/// Calls `use(digests, index of the first)` for up to `batch_items` keys at a time.
template <NumbersInARow Range, class Use>
void hash_in_batches(const any_hasher& hash, const Range& keys, Use use) {
    const std::span<const std::uint64_t> numbers(std::data(keys), std::size(keys));
    std::array<digest, batch_items> digests;
    for (std::size_t first = 0; first < numbers.size(); first += batch_items) {
        const std::size_t count = std::min(batch_items, numbers.size() - first);
        hash(numbers.subspan(first, count), std::span(digests).first(count));
        use(std::span<const digest>(digests.data(), count), first);
    }
}
template <class Range, class Use>
void hash_in_batches(const any_hasher& hash, const Range& keys, Use use) {
    using reference = decltype(*std::begin(keys));
    using value = std::remove_cvref_t<reference>;
    // A string that the range makes on the way does not live until the batch is hashed.
    constexpr bool text = (detail::text_key<value> || detail::bytes_key<value>)&&!detail::custom_key<value> &&
                          (std::is_lvalue_reference_v<reference> || std::is_trivially_copyable_v<value>);
    std::array<digest, batch_items> digests;
    auto next = std::begin(keys);
    const auto end = std::end(keys);
    for (std::size_t first = 0; next != end;) {
        std::size_t count = 0;
        if constexpr (detail::number_key<value> && !detail::custom_key<value>) {
            std::array<std::uint64_t, batch_items> numbers;
            for (; count < batch_items && next != end; ++next) numbers[count++] = detail::number_of(*next);
            hash(std::span<const std::uint64_t>(numbers.data(), count), std::span(digests).first(count));
        } else if constexpr (text) {
            std::array<std::string_view, batch_items> views;
            for (; count < batch_items && next != end; ++next) views[count++] = detail::view_of(*next);
            hash(std::span<const std::string_view>(views.data(), count), std::span(digests).first(count));
        } else {
            for (; count < batch_items && next != end; ++next) digests[count++] = digest_of(hash, *next);
        }
        use(std::span<const digest>(digests.data(), count), first);
        first += count;
    }
}

/// Calls `use(digests, count)`, whose digests are made where they are needed, if the keys are numbers in a row and their hash is short; false
/// if not, and then `hash_in_batches` does it.
template <class Range, class Use>
[[gnu::always_inline]] inline bool hash_on_demand(const any_hasher& hash, const Range& keys, Use use) {
    if constexpr (NumbersInARow<Range>) {
        return hash.digests_of(std::span<const std::uint64_t>(std::data(keys), std::size(keys)), use);
    } else {
        return false;
    }
}

template <class Range>
[[nodiscard]] std::vector<digest> digests_of(const any_hasher& hash, const Range& keys) {
    std::vector<digest> made;
    hash_in_batches(hash, keys, [&](std::span<const digest> items, std::size_t) {
        made.insert(made.end(), items.begin(), items.end());
    });
    return made;
}

} // namespace everbloom::door
