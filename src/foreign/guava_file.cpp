#include "big_endian.hpp"
#include "bit_facts.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/foreign/guava_file.hpp>
#include <everbloom/hash/murmur3.hpp>

#include <limits>

namespace everbloom {
namespace {

constexpr std::uint64_t most_words = std::numeric_limits<std::int32_t>::max(); // Java's arrays
constexpr std::uint64_t positions_of_31_bits = std::uint64_t{1} << 31;

struct guava_header {
    guava_file::strategy how;
    unsigned hashes;
    std::uint64_t words;

    [[nodiscard]] std::uint64_t file_bytes() const noexcept { return guava_file::header_bytes + 8 * words; }
};

failure not_guava(const std::string& why) {
    return {failure_reason::damaged, "is not an intact Bloom filter of Guava: " + why};
}

result<guava_header> header_in(std::span<const std::byte> start) {
    if (start.size() < guava_file::header_bytes) {
        return fail(not_guava("it ends inside its header, at byte " + std::to_string(start.size())));
    }
    const auto how = std::to_integer<unsigned>(start[0]);
    const auto hashes = std::to_integer<unsigned>(start[1]);
    const auto words = read_big_endian<std::uint32_t>(start.data() + 2);
    if (how > 1) return fail(not_guava("strategy " + std::to_string(how) + " is unknown; 0 and 1 are supported"));
    if (hashes == 0) return fail(not_guava("it has 0 hash functions"));
    if (words == 0 || words > most_words) return fail(not_guava("its header says " + std::to_string(words) + " words"));
    return guava_header{static_cast<guava_file::strategy>(how), hashes, words};
}

} // namespace

result<guava_file> guava_file::plan(std::uint64_t items, double fpr, strategy how) {
    if (items == 0 || !(fpr > 0 && fpr < 1)) {
        return fail(failure_reason::bad_parameter,
                    "a filter needs a capacity of at least 1 key and an FPR between 0 and 1");
    }
    // The formulas of BloomFilter.create, in its order of operations, so that the file is the same.
    const double log_2 = std::log(2.0);
    const double bits = std::floor(-static_cast<double>(items) * std::log(fpr) / (log_2 * log_2));
    const double words = std::max(1.0, std::ceil(bits / 64));
    const double hashes = std::max(1.0, std::floor(bits / static_cast<double>(items) * log_2 + 0.5));
    if (words > static_cast<double>(most_words)) {
        return fail(failure_reason::bad_parameter, "a Bloom filter of Guava has at most " + grouped(64 * most_words) +
                                                       " bits; a lower capacity or a higher FPR needs fewer");
    }
    if (hashes > 255) {
        return fail(failure_reason::bad_parameter,
                    "a Bloom filter of Guava has at most 255 hash functions; a higher FPR needs fewer");
    }
    return or_out_of_memory([&]() -> result<guava_file> {
        return guava_file(how, static_cast<unsigned>(hashes), static_cast<std::uint64_t>(words));
    });
}

result<std::uint64_t> guava_file::file_bytes(std::span<const std::byte> start) {
    const auto header = header_in(start);
    if (!header) return fail(header.error());
    return header->file_bytes();
}

result<guava_file> guava_file::read(std::span<const std::byte> bytes) {
    const auto header = header_in(bytes);
    if (!header) return fail(header.error());
    if (header->file_bytes() != bytes.size()) {
        return fail(not_guava("its " + std::to_string(header->words) + " words end at byte " +
                              std::to_string(header->file_bytes()) + ", but the file ends at byte " +
                              std::to_string(bytes.size())));
    }
    return or_out_of_memory([&]() -> result<guava_file> {
        guava_file made(header->how, header->hashes, header->words);
        const std::byte* from = bytes.data() + header_bytes;
        for (std::uint64_t& word : made.words_) {
            word = read_big_endian<std::uint64_t>(from);
            from += 8;
        }
        return made;
    });
}

std::vector<std::byte> guava_file::write() const {
    std::vector<std::byte> made(header_bytes + 8 * words_.size());
    made[0] = static_cast<std::byte>(how_);
    made[1] = static_cast<std::byte>(hashes_);
    write_big_endian(static_cast<std::uint32_t>(words_.size()), made.data() + 2);
    std::byte* to = made.data() + header_bytes;
    for (const std::uint64_t word : words_) {
        write_big_endian(word, to);
        to += 8;
    }
    return made;
}

digest guava_file::hash(std::string_view key) noexcept { return murmur3_hasher()(key_bytes(key)); }

template <class Visit>
bool guava_file::all_positions(digest item, Visit visit) const noexcept {
    const std::uint64_t range = bits();
    if (how_ == strategy::mitz_64) {
        std::uint64_t at = item.low;
        for (unsigned i = 0; i < hashes_; ++i, at += item.high) {
            if (!visit((at & std::numeric_limits<std::int64_t>::max()) % range)) return false;
        }
        return true;
    }
    const auto step = static_cast<std::uint32_t>(item.low >> 32);
    auto at = static_cast<std::uint32_t>(item.low);
    for (unsigned i = 0; i < hashes_; ++i) {
        at += step;
        const std::uint32_t folded = (at >> 31) != 0 ? ~at : at; // Java's int is signed: a negative one is inverted
        if (!visit(folded % range)) return false;
    }
    return true;
}

bool guava_file::may_contain(digest item) const noexcept {
    return all_positions(item, [&](std::uint64_t at) { return (words_[at / 64] >> (at % 64) & 1) != 0; });
}

void guava_file::prefetch(digest item) const noexcept {
    (void)all_positions(item, [&](std::uint64_t at) {
        prefetch_line(&words_[at / 64]);
        return false; // most absent keys are known by their first bits
    });
}

void guava_file::insert(digest item) noexcept {
    (void)all_positions(item, [&](std::uint64_t at) {
        words_[at / 64] |= std::uint64_t{1} << (at % 64);
        return true;
    });
}

foreign_facts guava_file::facts() const {
    foreign_facts made;
    made.file_bytes = header_bytes + 8 * std::uint64_t{words_.size()};
    made.bits = bits();
    made.occupied = ones_in(std::span(words_));
    // The older strategy never reaches the bits after the first 2^31.
    const std::uint64_t reached = how_ == strategy::mitz_32 ? std::min(bits(), positions_of_31_bits) : bits();
    made.items = bloom_items(made.occupied, reached, hashes_);
    made.fpr = bloom_fpr(made.occupied, reached, hashes_);
    made.hash = "murmur3 (x64, 128 bits, seed 0)";
    made.parameters = {{"strategy", how_ == strategy::mitz_64 ? "MURMUR128_MITZ_64" : "MURMUR128_MITZ_32"},
                       {"hashes", std::to_string(hashes_)},
                       {"bits", std::to_string(bits())}};
    return made;
}

} // namespace everbloom
