// key_reader: eb_keys, checked as a whole, and then read a batch at a time: as digests, or as bytes.
#pragma once

#include "handle.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom::capi {

class key_reader {
public:
    /// Checks shape, pointers, counts and offsets, and that the keys are of the filter's type. `name` is that of the argument.
    [[nodiscard]] static result<key_reader> over(const eb_filter& filter, const eb_keys* keys,
                                                 std::string_view name = "keys");

    [[nodiscard]] std::uint64_t count() const noexcept { return keys_.count; }
    [[nodiscard]] bool has_bytes() const noexcept { return keys_.shape != EB_DIGESTS; }

    /// Calls `use(digests, index of the first)` for up to `batch_items` keys at a time; stops at the first failure it returns.
    template <class Use>
    [[nodiscard]] result<void> for_each_batch(Use use) const {
        std::array<digest, batch_items> digests;
        for (std::uint64_t first = 0; first < count(); first += batch_items) {
            const auto some = std::span(digests).first(batch_at(first));
            hash(first, some);
            if (result<void> used = use(std::span<const digest>(some), first); !used) return used;
        }
        return {};
    }

    /// The digests of all keys.
    [[nodiscard]] std::vector<digest> digests() const;

    /// Calls `use(bytes of the key)` for each key; those of a number are its eight. Not for digests. Stops at the first failure.
    template <class Use>
    [[nodiscard]] result<void> for_each_key(Use use) const {
        std::array<std::uint64_t, batch_items> numbers;
        std::array<std::string_view, batch_items> views;
        for (std::uint64_t first = 0; first < count(); first += batch_items) {
            const auto some = std::span(views).first(batch_at(first));
            if (keys_.shape == EB_U64) {
                const std::span<const std::uint64_t> read = numbers_at(first, std::span(numbers).first(some.size()));
                for (std::size_t i = 0; i < some.size(); ++i) {
                    some[i] = {reinterpret_cast<const char*>(&read[i]), sizeof read[i]};
                }
            } else {
                view(first, some);
            }
            for (const std::string_view key : some) {
                if (result<void> used = use(key); !used) return used;
            }
        }
        return {};
    }

private:
    key_reader(const any_hasher& hasher, const eb_keys& keys) noexcept : hasher_(&hasher), keys_(keys) {}

    [[nodiscard]] std::size_t batch_at(std::uint64_t first) const noexcept {
        return static_cast<std::size_t>(std::min<std::uint64_t>(batch_items, count() - first));
    }
    [[nodiscard]] const char* element(const void* base, std::uint64_t index) const noexcept {
        return static_cast<const char*>(base) +
               static_cast<std::ptrdiff_t>(index) * static_cast<std::ptrdiff_t>(keys_.stride);
    }
    [[nodiscard]] result<void> check_elements(std::string_view name) const;
    [[nodiscard]] result<void> check_pointers(std::string_view name) const;
    template <class Offset>
    [[nodiscard]] result<void> check_offsets(std::string_view name) const;

    /// The numbers of a batch: those of the caller where they lie as needed, otherwise copied to `room`.
    [[nodiscard]] std::span<const std::uint64_t> numbers_at(std::uint64_t first,
                                                            std::span<std::uint64_t> room) const noexcept;
    void view(std::uint64_t first, std::span<std::string_view> into) const noexcept;
    template <class Offset>
    void view_offsets(std::uint64_t first, std::span<std::string_view> into) const noexcept;
    void hash(std::uint64_t first, std::span<digest> into) const noexcept;

    const any_hasher* hasher_;
    eb_keys keys_; // the stride is never 0
};

} // namespace everbloom::capi
