// keyed: adapter from keys to digests, a filter plus its hash function.
//
//     keyed<blocked_filter, integer_hasher> seen(std::move(*filter), integer_hasher{});
//     seen.insert(42);  if (seen.may_contain(43)) ...
#pragma once

#include <everbloom/filter/outcomes.hpp>
#include <everbloom/hash/hash_key.hpp>

#include <utility>

namespace everbloom {

template <class F, Hasher H>
class keyed {
public:
    keyed() = default;
    keyed(F filter, H hasher) noexcept : filter_(std::move(filter)), hasher_(std::move(hasher)) {}

    template <class Key>
    [[nodiscard]] bool may_contain(const Key& key) const noexcept {
        return filter_.may_contain(hasher_(key));
    }
    template <class Key>
    auto insert(const Key& key) {
        return filter_.insert(hasher_(key));
    }
    template <class Key>
    auto erase(const Key& key) {
        return filter_.erase(hasher_(key));
    }
    template <class Key>
    [[nodiscard]] auto estimate_count(const Key& key) const {
        return filter_.estimate_count(hasher_(key));
    }

    [[nodiscard]] F& filter() noexcept { return filter_; }
    [[nodiscard]] const F& filter() const noexcept { return filter_; }
    [[nodiscard]] const H& hasher() const noexcept { return hasher_; }

private:
    F filter_;
    H hasher_;
};

} // namespace everbloom
