#include "bit_facts.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/foreign/parquet_bloom.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace everbloom {
namespace {

/// The odd constants of the Parquet specification (BloomFilter.md).
constexpr std::array<std::uint32_t, parquet_bloom::words_per_block> salts{
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

// Thrift's compact protocol: 0x15 is field 1, an i32; then its varint. 0x1c is the next field, a struct; the three unions, each with
// its first member, an empty struct, chosen.
constexpr std::byte size_field{0x15};
constexpr std::array<std::uint8_t, 13> after_size{0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0};
constexpr std::size_t most_varint_bytes = 5;

failure not_parquet(const std::string& why) {
    return {failure_reason::damaged, "is not an intact Parquet Bloom filter: " + why};
}

struct parquet_header {
    std::uint64_t header_bytes = 0;
    std::uint64_t bits_bytes = 0;
};

result<parquet_header> header_in(std::span<const std::byte> start) {
    if (start.empty() || start[0] != size_field) return fail(not_parquet("it does not begin with a Thrift header"));
    std::uint64_t coded = 0;
    std::size_t at = 1;
    for (;; ++at) {
        if (at >= start.size()) {
            return fail(not_parquet("it ends inside its header, at byte " + std::to_string(start.size())));
        }
        const auto byte = std::to_integer<std::uint64_t>(start[at]);
        coded |= (byte & 0x7f) << (7 * (at - 1));
        if (byte < 0x80) {
            if (byte == 0 && at > 1) return fail(not_parquet("the size in its header is longer than needed"));
            break;
        }
        if (at == most_varint_bytes) return fail(not_parquet("the size in its header has more than 32 bits"));
    }
    const std::uint64_t bytes = coded >> 1; // zigzag: even numbers are the positive ones
    if (coded % 2 != 0 || bytes == 0 || bytes % parquet_bloom::block_bytes != 0 ||
        bytes > std::numeric_limits<std::int32_t>::max()) {
        return fail(not_parquet("its header says " + std::string(coded % 2 != 0 ? "-" : "") + std::to_string(bytes) +
                                " bytes of bits, which are not blocks of 32"));
    }
    const std::size_t end = at + 1 + after_size.size();
    if (start.size() < end) {
        return fail(not_parquet("it ends inside its header, at byte " + std::to_string(start.size())));
    }
    if (std::memcmp(start.data() + at + 1, after_size.data(), after_size.size()) != 0) {
        return fail(not_parquet(
            "its header does not say a split-block filter, hashed with XXH64, uncompressed; no other is supported"));
    }
    return parquet_header{end, bytes};
}

} // namespace

double parquet_bloom::predicted_fpr(double keys_per_block) noexcept {
    double sum = 0;
    double log_chance = -keys_per_block; // of j keys
    const double most = keys_per_block + 12 * std::sqrt(keys_per_block) + 40;
    for (double j = 0; j <= most; ++j) {
        sum += std::exp(log_chance) * std::pow(1 - std::pow(1 - 1.0 / 32, j), static_cast<double>(words_per_block));
        log_chance += std::log(keys_per_block) - std::log(j + 1);
    }
    return std::min(sum, 1.0);
}

result<parquet_bloom> parquet_bloom::plan(std::uint64_t items, double fpr) {
    if (items == 0 || !(fpr > 0 && fpr < 1)) {
        return fail(failure_reason::bad_parameter,
                    "a filter needs a capacity of at least 1 key and an FPR between 0 and 1");
    }
    for (std::uint64_t blocks = 1; blocks <= most_planned_bytes / block_bytes; blocks *= 2) {
        const double load = static_cast<double>(items) / static_cast<double>(blocks);
        // With thousands of keys per block every bit is set.
        if (load > 4096 || predicted_fpr(load) > fpr) continue;
        return or_out_of_memory([&]() -> result<parquet_bloom> { return parquet_bloom(blocks); });
    }
    return fail(failure_reason::bad_parameter,
                "a Parquet Bloom filter has at most " + bytes_text(most_planned_bytes) +
                    ", which is too little for this capacity at this FPR; a lower capacity or a higher FPR fits");
}

result<std::uint64_t> parquet_bloom::file_bytes(std::span<const std::byte> start) {
    const auto header = header_in(start);
    if (!header) return fail(header.error());
    return header->header_bytes + header->bits_bytes;
}

result<parquet_bloom> parquet_bloom::read(std::span<const std::byte> bytes) {
    const auto header = header_in(bytes);
    if (!header) return fail(header.error());
    const std::uint64_t end = header->header_bytes + header->bits_bytes;
    if (end != bytes.size()) {
        return fail(not_parquet("its bits end at byte " + std::to_string(end) + ", but the file ends at byte " +
                                std::to_string(bytes.size())));
    }
    return read_bare(bytes.subspan(static_cast<std::size_t>(header->header_bytes)));
}

result<parquet_bloom> parquet_bloom::read_bare(std::span<const std::byte> bytes) {
    if (bytes.empty() || bytes.size() % block_bytes != 0 || bytes.size() > std::numeric_limits<std::int32_t>::max()) {
        return fail(not_parquet("its " + std::to_string(bytes.size()) + " bytes of bits are not blocks of 32"));
    }
    return or_out_of_memory([&]() -> result<parquet_bloom> {
        parquet_bloom made(bytes.size() / block_bytes);
        std::memcpy(made.words_.data(), bytes.data(), bytes.size()); // little-endian, as on every machine we support
        return made;
    });
}

std::vector<std::byte> parquet_bloom::header() const {
    std::vector<std::byte> made{size_field};
    for (std::uint64_t coded = 2 * block_bytes * blocks();; coded >>= 7) {
        const bool is_last = coded < 0x80;
        made.push_back(static_cast<std::byte>((coded & 0x7f) | (is_last ? 0 : 0x80)));
        if (is_last) break;
    }
    for (const std::uint8_t byte : after_size) made.push_back(static_cast<std::byte>(byte));
    return made;
}

std::vector<std::byte> parquet_bloom::write() const {
    const auto start = header();
    const auto bits = std::as_bytes(std::span(words_));
    std::vector<std::byte> made(start.size() + bits.size());
    std::copy(bits.begin(), bits.end(), std::copy(start.begin(), start.end(), made.begin()));
    return made;
}

std::vector<std::byte> parquet_bloom::write_bare() const {
    const auto bits = std::as_bytes(std::span(words_));
    return {bits.begin(), bits.end()};
}

digest parquet_bloom::hash(std::string_view key) noexcept { return {XXH64(key.data(), key.size(), 0), 0}; }

std::size_t parquet_bloom::first_word_of(digest item) const noexcept {
    return static_cast<std::size_t>(((item.low >> 32) * blocks()) >> 32) * words_per_block;
}

bool parquet_bloom::may_contain(digest item) const noexcept {
    const std::uint32_t* const block = words_.data() + first_word_of(item);
    const auto low = static_cast<std::uint32_t>(item.low);
    for (std::size_t i = 0; i < words_per_block; ++i) {
        if ((block[i] >> (low * salts[i] >> 27) & 1) == 0) return false;
    }
    return true;
}

void parquet_bloom::prefetch(digest item) const noexcept { prefetch_line(&words_[first_word_of(item)]); }

void parquet_bloom::insert(digest item) noexcept {
    std::uint32_t* const block = words_.data() + first_word_of(item);
    const auto low = static_cast<std::uint32_t>(item.low);
    for (std::size_t i = 0; i < words_per_block; ++i) block[i] |= std::uint32_t{1} << (low * salts[i] >> 27);
}

foreign_facts parquet_bloom::facts() const {
    foreign_facts made;
    made.file_bytes = header().size() + 4 * std::uint64_t{words_.size()};
    made.bits = 32 * std::uint64_t{words_.size()};
    double sum = 0;
    for (std::size_t first = 0; first < words_.size(); first += words_per_block) {
        double all_set = 1;
        for (std::size_t i = first; i < first + words_per_block; ++i) {
            const auto ones = static_cast<std::uint64_t>(std::popcount(words_[i]));
            made.occupied += ones;
            all_set *= static_cast<double>(ones) / 32;
        }
        sum += all_set;
    }
    const auto count = static_cast<double>(blocks());
    made.fpr = sum / count;
    // A bit stays empty with the chance exp(-keys per block / 32).
    const double empty = 1 - static_cast<double>(made.occupied) / static_cast<double>(made.bits);
    made.items = empty > 0 ? -32 * std::log(empty) * count : 0;
    made.hash = "xxh64 (seed 0)";
    made.parameters = {{"blocks", std::to_string(blocks())},
                       {"hashes", std::to_string(words_per_block)},
                       {"bits", std::to_string(made.bits)}};
    return made;
}

} // namespace everbloom
