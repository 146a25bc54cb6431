#include "bit_facts.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/foreign/dcso_bits.hpp>
#include <everbloom/hash/dcso.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/positions.hpp>

#include <array>
#include <string>

namespace everbloom {
namespace {

probing probing_of(const dcso_header& header) noexcept {
    return {header.bits, static_cast<unsigned>(header.hashes), probe_scheme::dcso};
}

template <class Test>
bool all_bits(digest item, const dcso_header& header, Test test) noexcept {
    const probing how = probing_of(header);
    return all_in_walk<probe_scheme::dcso>(item, how.hashes, how.range, test);
}

} // namespace

result<dcso_bits> dcso_bits::plan(std::uint64_t items, double fpr) {
    if (items == 0 || !(fpr > 0 && fpr < 1)) {
        return fail(failure_reason::bad_parameter,
                    "a filter needs a capacity of at least 1 key and an FPR between 0 and 1");
    }
    constexpr double most_bits = 1.0 * (std::uint64_t{1} << 37);
    const double log_2 = std::log(2.0);
    const auto count = static_cast<double>(items);
    // In the order of operations of that program, so that the file is the same.
    const double bits = std::max(1.0, std::floor(std::abs(count * std::log(fpr) / (log_2 * log_2))));
    if (bits > most_bits) {
        return fail(failure_reason::bad_parameter,
                    "this capacity at this FPR needs " + grouped(static_cast<std::uint64_t>(std::min(bits, 1e18))) +
                        " bits; a .bloom file is written with up to " + grouped(static_cast<std::uint64_t>(most_bits)));
    }
    dcso_header header;
    header.planned_items = items;
    header.planned_fpr = fpr;
    header.bits = static_cast<std::uint64_t>(bits);
    header.hashes = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(log_2 * bits / count)));
    if (std::has_single_bit(header.bits)) ++header.bits; // docs/convert.md, "Powers of two"
    if (header.hashes > max_hashes) {
        return fail(failure_reason::bad_parameter, "an FPR of " + rate_text(fpr) + " needs " +
                                                       std::to_string(header.hashes) + " hash functions; up to " +
                                                       std::to_string(max_hashes) + " are supported");
    }
    return or_out_of_memory([&]() -> result<dcso_bits> { return dcso_bits(dcso_file::empty(header, 0)); });
}

std::vector<std::byte> dcso_bits::write() const {
    const auto start = file_.header.write();
    const auto words = std::as_bytes(std::span(file_.words)).first(static_cast<std::size_t>(8 * file_.header.words()));
    std::vector<std::byte> made(start.size() + words.size() + file_.data.size());
    const auto after_start = std::copy(start.begin(), start.end(), made.begin());
    std::copy(file_.data.begin(), file_.data.end(), std::copy(words.begin(), words.end(), after_start));
    return made;
}

digest dcso_bits::hash(std::string_view key) noexcept { return dcso_hasher()(key_bytes(key)); }

bool dcso_bits::may_contain(digest item) const noexcept {
    return all_bits(item, file_.header, [&](std::uint64_t at) { return (file_.words[at / 64] >> (at % 64) & 1) != 0; });
}

void dcso_bits::prefetch(digest item) const noexcept {
    (void)all_bits(item, file_.header, [&](std::uint64_t at) {
        prefetch_line(&file_.words[at / 64]);
        return false;
    });
}

void dcso_bits::insert(digest item) noexcept {
    bool is_new = false;
    (void)all_bits(item, file_.header, [&](std::uint64_t at) {
        const std::uint64_t bit = std::uint64_t{1} << (at % 64);
        is_new = is_new || (file_.words[at / 64] & bit) == 0;
        file_.words[at / 64] |= bit;
        return true;
    });
    if (is_new) ++file_.header.items;
}

/// With a power of two of bits the positions of a key depend on each other, and only queries tell the FPR.
double dcso_bits::sampled_fpr() const noexcept {
    constexpr std::uint64_t samples = std::uint64_t{1} << 20;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < samples; ++i) found += may_contain({0, mix(i + 1)}) ? 1 : 0;
    return static_cast<double>(found) / static_cast<double>(samples);
}

foreign_facts dcso_bits::facts() const {
    const dcso_header& header = file_.header;
    foreign_facts made;
    made.file_bytes = dcso_header::bytes + 8 * header.words() + file_.data.size();
    made.bits = header.bits;
    made.occupied = ones_in(std::span(file_.words));
    made.items = bloom_items(made.occupied, header.bits, header.hashes);
    made.stated_items = header.items;
    made.fpr = std::has_single_bit(header.bits) ? sampled_fpr() : bloom_fpr(made.occupied, header.bits, header.hashes);
    made.capacity = header.planned_items;
    made.target_fpr = header.planned_fpr;
    made.hash = "fnv-1 (64 bits)";
    made.parameters = {{"hashes", std::to_string(header.hashes)}, {"bits", std::to_string(header.bits)}};
    if (!file_.data.empty()) made.parameters.emplace_back("attached_bytes", std::to_string(file_.data.size()));
    return made;
}

} // namespace everbloom
