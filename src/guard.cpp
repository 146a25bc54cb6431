#include <everbloom/bits/bit_array.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/spec.hpp>
#include <everbloom/filter/yes_no/yes_no_places.hpp>
#include <everbloom/runtime/guard.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace everbloom {
namespace {

/// The filter behind the guard uses the digest itself; the guard uses the independent digest of yes_no's no-filters.
digest seen(digest item) noexcept { return yes_no_places::negated(item); }

} // namespace

guard_size guard_size::for_keys(std::uint64_t false_positives, double members) noexcept {
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

result<void> guard_size::check() const {
    if (auto checked = check_range("guard_bits", bits, 1, most_bits); !checked) return checked;
    return check_range("guard_hashes", hashes, 1, max_hashes);
}

std::uint64_t guard_size::lines() const noexcept { return lines_for_bits(bits); }

guard::guard(const guard_size& size, heap_words words) noexcept
    : size_(size), own_(std::move(words)), words_(std::as_const(own_).data(), own_.words()) {}
guard::guard(const guard_size& size, const_words words) noexcept
    : size_(size), mapped_(std::move(words)), words_(mapped_.data(), mapped_.words()) {}

guard::guard(guard&& other) noexcept
    : size_(std::exchange(other.size_, {})), own_(std::move(other.own_)), mapped_(std::move(other.mapped_)),
      words_(std::exchange(other.words_, {})) {}
guard& guard::operator=(guard&& other) noexcept {
    if (this != &other) {
        size_ = std::exchange(other.size_, {});
        own_ = std::move(other.own_);
        mapped_ = std::move(other.mapped_);
        words_ = std::exchange(other.words_, {});
    }
    return *this;
}

result<guard> guard::make(const guard_size& size) {
    if (auto checked = size.check(); !checked) return fail(std::move(checked.error()));
    auto words = heap_words::make(size.lines());
    if (!words) return fail(std::move(words.error()));
    return guard(size, std::move(*words));
}

result<guard> guard::assemble(const guard_size& size, heap_words words) {
    guard made(size, std::move(words));
    if (auto checked = made.check_words(); !checked) return fail(std::move(checked.error()));
    return made;
}

result<guard> guard::assemble(const guard_size& size, const_words words) {
    guard made(size, std::move(words));
    if (auto checked = made.check_words(); !checked) return fail(std::move(checked.error()));
    return made;
}

result<void> guard::check_words() const { return check_tail(words_, size_.bits, "guard"); }

probing guard::places() const noexcept {
    return {size_.bits, static_cast<unsigned>(size_.hashes), probe_scheme::independent};
}

bool guard::vetoes(digest item) const noexcept {
    if (words_.empty()) return false;
    const bit_view<const std::uint64_t> bits(words_.data());
    return all_positions(seen(item), places(), [bits](std::uint64_t at) { return bits.test(at); });
}

double guard::vetoed_share() const noexcept {
    if (words_.empty()) return 0;
    double ones = 0;
    for (const std::uint64_t word : words_) ones += std::popcount(word);
    return std::pow(ones / static_cast<double>(size_.bits), static_cast<double>(size_.hashes));
}

void guard::veto(digest item) noexcept {
    if (own_.words() == 0) return;
    for_each_position(seen(item), places(),
                      [bits = bit_view<std::uint64_t>(own_.data())](std::uint64_t at) { bits.set(at); });
}

void guard::let_pass(digest item) noexcept {
    if (own_.words() == 0) return;
    const position_list positions = position_list::all(seen(item), places());
    bit_view<std::uint64_t>(own_.data()).reset(positions.get().front());
}

void guard::clear() noexcept {
    if (own_.words() != 0) std::memset(own_.data(), 0, own_.words() * sizeof(std::uint64_t));
}

} // namespace everbloom
