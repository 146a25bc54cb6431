#include <everbloom/bits/bit_array.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/spec.hpp>
#include <everbloom/filter/yes_no/yes_no_places.hpp>
#include <everbloom/runtime/exclusion_list.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace everbloom {
namespace {

/// The filter behind the exclusion list uses the digest itself; the exclusion list uses the independent digest of yes_no's no-filters.
digest seen(digest item) noexcept { return yes_no_places::negated(item); }

} // namespace

exclusion_list_size exclusion_list_size::for_keys(std::uint64_t false_positives, double members) noexcept {
    constexpr double fullest = 0.25;
    constexpr double covered_members = 1e-9; // expected, of all
    const double enough = std::log(std::fmax(members, 1) / covered_members) / -std::log(fullest);
    const double hashes = std::clamp(std::ceil(enough), 1.0, double{max_hashes});
    const double bits =
        static_cast<double>(std::max<std::uint64_t>(false_positives, 1)) * hashes / -std::log1p(-fullest);
    const double whole_lines = std::ceil(bits / static_cast<double>(line_bits)) * static_cast<double>(line_bits);
    return {static_cast<std::uint64_t>(std::fmin(whole_lines, static_cast<double>(most_bits))),
            static_cast<std::uint64_t>(hashes)};
}

result<void> exclusion_list_size::check() const {
    if (auto checked = check_range("exclusion_bits", bits, 1, most_bits); !checked) return checked;
    return check_range("exclusion_hashes", hashes, 1, max_hashes);
}

std::uint64_t exclusion_list_size::lines() const noexcept { return lines_for_bits(bits); }

exclusion_list::exclusion_list(const exclusion_list_size& size, heap_words words) noexcept
    : size_(size), own_(std::move(words)), words_(std::as_const(own_).data(), own_.words()) {}
exclusion_list::exclusion_list(const exclusion_list_size& size, const_words words) noexcept
    : size_(size), mapped_(std::move(words)), words_(mapped_.data(), mapped_.words()) {}

exclusion_list::exclusion_list(exclusion_list&& other) noexcept
    : size_(std::exchange(other.size_, {})), own_(std::move(other.own_)), mapped_(std::move(other.mapped_)),
      words_(std::exchange(other.words_, {})) {}
exclusion_list& exclusion_list::operator=(exclusion_list&& other) noexcept {
    if (this != &other) {
        size_ = std::exchange(other.size_, {});
        own_ = std::move(other.own_);
        mapped_ = std::move(other.mapped_);
        words_ = std::exchange(other.words_, {});
    }
    return *this;
}

result<exclusion_list> exclusion_list::make(const exclusion_list_size& size) {
    if (auto checked = size.check(); !checked) return fail(std::move(checked.error()));
    auto words = heap_words::make(size.lines());
    if (!words) return fail(std::move(words.error()));
    return exclusion_list(size, std::move(*words));
}

result<exclusion_list> exclusion_list::assemble(const exclusion_list_size& size, heap_words words) {
    exclusion_list made(size, std::move(words));
    if (auto checked = made.check_words(); !checked) return fail(std::move(checked.error()));
    return made;
}

result<exclusion_list> exclusion_list::assemble(const exclusion_list_size& size, const_words words) {
    exclusion_list made(size, std::move(words));
    if (auto checked = made.check_words(); !checked) return fail(std::move(checked.error()));
    return made;
}

result<exclusion_list> exclusion_list::copy() const {
    auto words = heap_words::make(words_.size() / line_words);
    if (!words) return fail(std::move(words.error()));
    if (!words_.empty()) std::memcpy(words->data(), words_.data(), words_.size_bytes());
    return exclusion_list(size_, std::move(*words));
}

result<void> exclusion_list::check_words() const { return check_tail(words_, size_.bits, "exclusion list"); }

probing exclusion_list::places() const noexcept {
    return {size_.bits, static_cast<unsigned>(size_.hashes), probe_scheme::independent};
}

bool exclusion_list::vetoes(digest item) const noexcept {
    if (words_.empty()) return false;
    const bit_view<const std::uint64_t> bits(words_.data());
    return all_positions(seen(item), places(), [bits](std::uint64_t at) { return bits.test(at); });
}

double exclusion_list::vetoed_share() const noexcept {
    if (words_.empty()) return 0;
    double ones = 0;
    for (const std::uint64_t word : words_) ones += std::popcount(word);
    return std::pow(ones / static_cast<double>(size_.bits), static_cast<double>(size_.hashes));
}

void exclusion_list::veto(digest item) noexcept {
    if (own_.words() == 0) return;
    for_each_position(seen(item), places(),
                      [bits = bit_view<std::uint64_t>(own_.data())](std::uint64_t at) { bits.set(at); });
}

void exclusion_list::let_pass(digest item) noexcept {
    if (own_.words() == 0) return;
    const position_list positions = position_list::all(seen(item), places());
    bit_view<std::uint64_t>(own_.data()).reset(positions.get().front());
}

void exclusion_list::clear() noexcept {
    if (own_.words() != 0) std::memset(own_.data(), 0, own_.words() * sizeof(std::uint64_t));
}

} // namespace everbloom
