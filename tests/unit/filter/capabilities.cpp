// What must not compile, and that runtime capability bits and concepts say the same: checked by the compiler for every kind.
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/kinds.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

template <class F>
constexpr bool bits_agree_with_concepts() {
    constexpr capability_set bits = capability_set::of<F>();
    return bits.has(capability::query) && bits.has(capability::insert) == Insertable<F> &&
           bits.has(capability::erase) == Deletable<F> && bits.has(capability::count) == Countable<F> &&
           bits.has(capability::merge) == Mergeable<F> && bits.has(capability::grow) == Growable<F> &&
           bits.has(capability::shrink) == Shrinkable<F>;
}

/// A view of somebody else's words has no verb that writes.
template <class View>
concept HasNoWritingVerb =
    !requires(View& view, digest item) { view.insert(item); } &&
    !requires(View& view, digest item) { view.erase(item); } &&
    !requires(View& view, const View& other) { view.merge(other); } && !requires(View& view) { view.clear(); } &&
    !requires(View& view) { view.grow(); } && !requires(View& view) { view.shrink(); };

template <class... Kinds>
struct checked_by_the_compiler {
    static_assert((bits_agree_with_concepts<typename Kinds::filter>() && ...));
    static_assert((bits_agree_with_concepts<typename Kinds::view>() && ...));
    static_assert(((!Insertable<typename Kinds::view> && HasNoWritingVerb<typename Kinds::view>)&&...));
    // What can be erased from can be asked beforehand, also read-only.
    static_assert(((!Deletable<typename Kinds::filter> || ErasureJudge<typename Kinds::view>)&&...));
    static constexpr std::size_t count = sizeof...(Kinds);
};

TEST(kinds, have_numbers_and_names_of_their_own) {
    std::set<std::uint32_t> numbers;
    std::set<std::string_view> names;
    all_kinds::for_each([&]<class Kind>() {
        EXPECT_TRUE(numbers.insert(Kind::id).second) << Kind::id;
        EXPECT_TRUE(names.insert(Kind::name).second) << Kind::name;
        EXPECT_FALSE(Kind::filter::summary.empty());
    });
    EXPECT_EQ(numbers.size(), all_kinds::wrapped<checked_by_the_compiler>::count);
}

TEST(capability_names, are_different_and_their_bits_too) {
    std::set<std::string_view> names;
    std::uint32_t bits = 0;
    for (const named_capability& one : named_capabilities) {
        EXPECT_TRUE(names.insert(one.name).second);
        EXPECT_EQ(bits & static_cast<std::uint32_t>(one.bit), 0u);
        bits |= static_cast<std::uint32_t>(one.bit);
    }
}

TEST(outcome_names, are_different_and_success_means_what_it_says) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < insert_outcome_names.size(); ++i) {
        const auto outcome = static_cast<insert_outcome>(i);
        EXPECT_TRUE(names.insert(name_of(outcome)).second);
        EXPECT_EQ(succeeded(outcome), name_of(outcome).starts_with("inserted"));
    }
    for (std::size_t i = 0; i < erase_outcome_names.size(); ++i) {
        const auto outcome = static_cast<erase_outcome>(i);
        EXPECT_TRUE(names.insert(name_of(outcome)).second);
        EXPECT_EQ(succeeded(outcome), name_of(outcome).starts_with("removed"));
    }
}

} // namespace
} // namespace everbloom
