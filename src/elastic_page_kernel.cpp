#include <everbloom/filter/elastic/stored_hashes/page_kernel.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <everbloom/filter/elastic/stored_hashes/page.hpp>

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace everbloom::kernel {
namespace {

using words = __m256i;
using bytes = const std::uint8_t*;

constexpr unsigned group_slots = 8;
constexpr unsigned header_bits = hash_geometry::header_words * 64;

/// How a group of eight slots of one width becomes eight numbers.
struct unpacking {
    alignas(32) std::array<std::array<std::uint8_t, 32>, 2> shuffles{};
    alignas(32) std::array<std::array<std::uint64_t, 4>, 2> shifts{};
    std::array<unsigned, 4> from{}; // the bytes where slots 0, 2, 4 and 6 begin
    unsigned groups = 0;            // that can be loaded without leaving the page
};

constexpr unsigned loaded_bytes = 16;

constexpr std::array<unpacking, widest_vector_slot + 1> unpackings = [] {
    std::array<unpacking, widest_vector_slot + 1> made{};
    for (unsigned width = hash_geometry::counter_bits; width <= widest_vector_slot; ++width) {
        unpacking& one = made[width];
        for (unsigned slot = 0; slot < group_slots; ++slot) {
            const unsigned begins = slot / 2 * 2 * width / 8; // of the load that has it
            const unsigned lead = slot * width / 8 - begins;
            for (unsigned i = 0; i < 8; ++i) {
                one.shuffles[slot / 4][slot % 4 * 8 + i] = static_cast<std::uint8_t>(lead + i);
            }
            one.shifts[slot / 4][slot % 4] = slot * width % 8;
            if (slot % 2 == 0) one.from[slot / 2] = begins;
        }
        const auto all = static_cast<unsigned>(hash_geometry::page_words_for(width) - hash_geometry::header_words) * 8;
        one.groups = (all - loaded_bytes - one.from[3]) / width + 1;
    }
    return made;
}();

EVERBLOOM_MODERN [[gnu::always_inline]] inline words load(const void* from) noexcept {
    return _mm256_loadu_si256(static_cast<const words*>(from));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline void store(void* to, words what) noexcept {
    _mm256_storeu_si256(static_cast<words*>(to), what);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline words all(std::uint64_t word) noexcept {
    return _mm256_set1_epi64x(static_cast<long long>(word));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline __m128i by(unsigned bits) noexcept {
    return _mm_cvtsi32_si128(static_cast<int>(bits));
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline words two_loads(bytes low, bytes high) noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}
EVERBLOOM_MODERN [[gnu::always_inline]] inline unsigned sign_bits(words value) noexcept {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(value)));
}

/// The slots of a page, for reading.
struct packed_slots {
    bytes begin;
    unsigned width;
    const unpacking& how;

    EVERBLOOM_MODERN [[gnu::always_inline]] packed_slots(const std::uint64_t* page, unsigned slot_bits) noexcept
        : begin(reinterpret_cast<bytes>(page + hash_geometry::header_words)), width(slot_bits),
          how(unpackings[slot_bits]) {}

    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] std::uint64_t get(unsigned slot) const noexcept {
        const unsigned bit = slot * width;
        std::uint64_t loaded = 0;
        std::memcpy(&loaded, begin + bit / 8, sizeof loaded);
        return _bzhi_u64(loaded >> (bit % 8), width);
    }
    /// Slots 0 to 3 of a group, or 4 to 7.
    template <unsigned Half>
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words half(unsigned group, words mask) const noexcept {
        const bytes at = begin + group * width;
        const words loaded = two_loads(at + how.from[2 * Half], at + how.from[2 * Half + 1]);
        const words moved = _mm256_shuffle_epi8(loaded, load(how.shuffles[Half].data()));
        return _mm256_and_si256(_mm256_srlv_epi64(moved, load(how.shifts[Half].data())), mask);
    }
};

/// From the header: the slots of a bin, and how many of the page are in use.
struct bin_slots {
    unsigned start;
    unsigned end;
    unsigned used;

    EVERBLOOM_MODERN [[gnu::always_inline]] bin_slots(std::uint64_t counts, unsigned bin) noexcept {
        // Running sums of eight bytes that fit into bytes, because a page without overflow pages has at most 255 slots.
        const std::uint64_t sums = counts * 0x0101010101010101;
        end = static_cast<unsigned>(sums >> (8 * bin) & 0xff);
        start = end - static_cast<unsigned>(counts >> (8 * bin) & 0xff);
        used = static_cast<unsigned>(sums >> 56);
    }
};

/// The first slot of the bin that is not below the remainder. Remainders are spread evenly: sixteen slots around the place that its value
/// tells are looked at together, and hardly ever any others.
EVERBLOOM_MODERN [[gnu::always_inline]] inline unsigned first_not_below(const packed_slots& slots, const bin_slots& bin,
                                                                        std::uint64_t remainder) noexcept {
    const unsigned count = bin.end - bin.start;
    const unsigned near = bin.start + static_cast<unsigned>(((remainder >> (slots.width - 20)) * count) >> 20);
    const unsigned group = std::min((std::max(near, 4U) - 4) / group_slots, slots.how.groups - 2);
    const words wanted = all(remainder);
    const words mask = all(low_mask(slots.width));
    const unsigned below = sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<0>(group, mask))) |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<1>(group, mask))) << 4 |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<0>(group + 1, mask))) << 8 |
                           sign_bits(_mm256_cmpgt_epi64(wanted, slots.half<1>(group + 1, mask))) << 12;
    const unsigned first = std::max(group * group_slots, bin.start);
    const unsigned end = std::min((group + 2) * group_slots, bin.end);
    if (first >= end) { // an empty bin, or one at the very end of a page
        unsigned at = bin.start;
        while (at < bin.end && slots.get(at) < remainder) ++at;
        return at;
    }
    unsigned at =
        first + static_cast<unsigned>(_mm_popcnt_u32(_bzhi_u32(below >> (first - group * group_slots), end - first)));
    if ((at == first && first != bin.start) || (at == end && end != bin.end)) [[unlikely]] {
        while (at > bin.start && slots.get(at - 1) >= remainder) --at;
        while (at < bin.end && slots.get(at) < remainder) ++at;
    }
    return at;
}

/// Whether a bin must be left to hash_page: there is an overflow page, or a hash with a second copy.
[[nodiscard, gnu::always_inline]] inline bool is_unusual(std::uint64_t second_word, unsigned bin) noexcept {
    using page = hash_page<const std::uint64_t>;
    return (second_word & (low_mask(page::link_bits) | std::uint64_t{1} << (page::link_bits + bin))) != 0;
}

/// Moves the bits from `bit` on up by the width of a slot, and puts a slot there; `last` is the last word in use after that.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void insert_bits(std::uint64_t* page, unsigned bit, unsigned last,
                                                                unsigned width, std::uint64_t value) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const std::uint64_t before = page[word - 1];
    const std::uint64_t here = page[word];
    const std::uint64_t next = page[word + 1];
    const __m128i up = by(width);
    const __m128i down = by(64 - width);
    // From the top; the last step may go up to three words too far down, which are set again below.
    for (auto at = static_cast<int>(last); at >= static_cast<int>(word) + 2; at -= 4) {
        std::uint64_t* const to = page + at - 3;
        const words high = load(to);
        const words low = load(to - 1);
        store(to, _mm256_or_si256(_mm256_sll_epi64(high, up), _mm256_srl_epi64(low, down)));
    }
    const std::uint64_t stays = _bzhi_u64(here, lead);
    const std::uint64_t moves = here ^ stays;
    page[word - 1] = before;
    page[word] = stays | value << lead | moves << width;
    page[word + 1] = next << width | moves >> (64 - width) | value >> 1 >> (63 - lead);
}

/// Takes the slot at `bit` out and moves the bits behind it down; `last` is the last word in use before.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void erase_bits(std::uint64_t* page, unsigned bit, unsigned last,
                                                               unsigned width, unsigned page_words) noexcept {
    const unsigned word = bit / 64;
    const unsigned lead = bit % 64;
    const std::uint64_t here = page[word];
    const std::uint64_t moved = here >> width | page[word + 1] << (64 - width);
    const __m128i down = by(width);
    const __m128i up = by(64 - width);
    unsigned at = word + 1;
    for (; at <= last && at + 4 < page_words; at += 4) {
        const words low = load(page + at);
        const words high = load(page + at + 1);
        store(page + at, _mm256_or_si256(_mm256_srl_epi64(low, down), _mm256_sll_epi64(high, up)));
    }
    for (; at <= last; ++at) {
        const std::uint64_t high = at + 1 < page_words ? page[at + 1] << (64 - width) : 0;
        page[at] = page[at] >> width | high;
    }
    const std::uint64_t stays = _bzhi_u64(here, lead);
    page[word] = stays | (moved >> lead) << lead;
}

/// Makes hashes of the remainders of one page, four at a time.
class hash_maker {
public:
    EVERBLOOM_MODERN [[gnu::always_inline]] hash_maker(const hash_geometry& geometry, std::uint64_t page) noexcept
        : geometry_(geometry), first_bin_(page * hash_geometry::page_bins), low_(all(geometry.bin_width())),
          high_(all(geometry.bin_width() >> 32)), units_(all(geometry.stored_mask())),
          shift_(by(64 - geometry.slot_bits())) {
        // The start of its first bin, a little too low; the others follow by the width of a bin, rounded down.
        const std::uint64_t width = geometry.bin_width();
        const std::uint64_t rest = ~std::uint64_t{0} - width * geometry.bins();
        start_ = first_bin_ * width + multiply_wide(first_bin_ * rest, width).high + ~geometry.stored_mask();
    }

    EVERBLOOM_MODERN [[gnu::always_inline]] void set_bin(unsigned bin) noexcept {
        bin_ = bin;
        begins_ = all(start_ + bin * geometry_.bin_width());
    }

    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] words operator()(words remainders) const noexcept {
        const words top = _mm256_sll_epi64(remainders, shift_);
        const words top_high = _mm256_srli_epi64(top, 32);
        // The high word of the product, up to two too low.
        const words in_bin = _mm256_add_epi64(_mm256_mul_epu32(top_high, high_),
                                              _mm256_add_epi64(_mm256_srli_epi64(_mm256_mul_epu32(top_high, low_), 32),
                                                               _mm256_srli_epi64(_mm256_mul_epu32(top, high_), 32)));
        const words guess = _mm256_add_epi64(begins_, in_bin);
        const words most = _mm256_add_epi64(guess, all(slack));
        const words hashes = _mm256_and_si256(guess, units_);
        if (_mm256_testz_si256(_mm256_xor_si256(guess, most), units_) == 0) [[unlikely]]
            return exact(remainders);
        return hashes;
    }

private:
    /// By how much a guess may be too low: 4 as in hash_geometry, 2 for the product, 2 for the start of the first bin, and one for each
    /// other bin.
    static constexpr std::uint64_t slack = 16;

    EVERBLOOM_MODERN [[nodiscard, gnu::noinline]] words exact(words remainders) const noexcept {
        alignas(32) std::array<std::uint64_t, 4> one;
        store(one.data(), remainders);
        for (std::uint64_t& each : one) each = geometry_.hash_at({first_bin_ + bin_, each});
        return load(one.data());
    }

    const hash_geometry& geometry_;
    std::uint64_t first_bin_;
    words low_;
    words high_;
    words units_;
    __m128i shift_;
    std::uint64_t start_;
    words begins_{};
    unsigned bin_ = 0;
};

using page_remainders = std::array<std::uint64_t, page_hash_room>;

/// Unpacks the slots [from, end), and some around them, each to its own index.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void unpack_words(const packed_slots& slots, unsigned from, unsigned end,
                                                                 std::uint64_t* made) noexcept {
    const words mask = all(low_mask(slots.width));
    unsigned group = from / group_slots;
    const unsigned groups = std::min((end + group_slots - 1) / group_slots, slots.how.groups);
    for (; group < groups; ++group) {
        store(made + group * group_slots, slots.half<0>(group, mask));
        store(made + group * group_slots + 4, slots.half<1>(group, mask));
    }
    for (unsigned slot = group * group_slots; slot < end; ++slot) made[slot] = slots.get(slot);
}

/// The same for a page that may continue in an overflow page.
EVERBLOOM_MODERN [[gnu::always_inline]] inline void unpack(const page_to_read& page, const hash_geometry& geometry,
                                                           unsigned from, unsigned end,
                                                           page_remainders& made) noexcept {
    const unsigned slots = geometry.slots();
    const unsigned width = geometry.slot_bits();
    if (from < slots) unpack_words({page.words, width}, from, std::min(end, slots), made.data());
    if (end <= slots) [[likely]]
        return;
    const std::uint64_t* const more = page.overflow + (page.words[1] - 1) * geometry.page_words();
    unpack_words({more, width}, from < slots ? 0 : from - slots, end - slots, made.data() + slots);
}
/// Whether a page can be read so: no copies, and one overflow page at most.
[[nodiscard, gnu::always_inline]] inline bool can_unpack(const page_to_read& page,
                                                         const hash_geometry& geometry) noexcept {
    const std::uint64_t link = page.words[1];
    if (link == 0) [[likely]]
        return true;
    return link <= low_mask(hash_page<const std::uint64_t>::link_bits) &&
           page.overflow[(link - 1) * geometry.page_words() + 1] == 0;
}

/// The low words of products of 64-bit numbers.
EVERBLOOM_MODERN [[gnu::always_inline]] inline words multiply_low(words a, words b, words b_high) noexcept {
    const words crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b), _mm256_mul_epu32(a, b_high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(crossed, 32));
}

/// A lane of a pattern is six bits of a seed; these are the lower five of each.
constexpr std::uint64_t lane_rests = 0x7df7'df00'7df7'df00;

/// unused_lanes[hashes][start]: the highest bits of the lanes that a pattern of this many bits does not use, low halves and high
/// halves of the words.
struct lane_halves {
    alignas(32) std::array<std::uint32_t, lanes> low{};
    alignas(32) std::array<std::uint32_t, lanes> high{};
};
constexpr std::array<lane_halves, lanes + 1> unused_lanes = [] {
    std::array<lane_halves, lanes + 1> made{};
    for (unsigned hashes = 0; hashes <= lanes; ++hashes) {
        for (unsigned start = 0; start < lanes; ++start) {
            for (unsigned lane = 0; lane < lanes; ++lane) {
                if (lane_runs[hashes][start].unit[lane] != 0) continue;
                auto& half = lane % 2 == 0 ? made[hashes].low : made[hashes].high;
                half[start] |= std::uint32_t{1} << (31 - 6 * (lane / 2));
            }
        }
    }
    return made;
}();

} // namespace

EVERBLOOM_MODERN bool insert_into_page(std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                       std::uint64_t remainder) noexcept {
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin) || here.used >= geometry.slots()) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at < here.end && slots.get(at) == remainder) [[unlikely]]
        return false;
    insert_bits(page, header_bits + at * width, (header_bits + (here.used + 1) * width - 1) / 64, width, remainder);
    page[0] = counts + (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN bool erase_from_page(std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                      std::uint64_t remainder) noexcept {
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin)) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at >= here.end || slots.get(at) != remainder) [[unlikely]]
        return false;
    erase_bits(page, header_bits + at * width, (header_bits + here.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    page[0] = counts - (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                          std::uint64_t remainder) noexcept {
    const bin_slots here(page[0], bin);
    if (is_unusual(page[1], bin)) [[unlikely]]
        return page_answer::unknown;
    const packed_slots slots(page, geometry.slot_bits());
    const unsigned at = first_not_below(slots, here, remainder);
    return at < here.end && slots.get(at) == remainder ? page_answer::present : page_answer::absent;
}

EVERBLOOM_MODERN page_hashes hashes_of_page(const page_to_read& page, const hash_geometry& geometry,
                                            std::uint64_t* hashes) noexcept {
    if (!can_unpack(page, geometry)) [[unlikely]]
        return {};
    const std::uint64_t counts = page.words[0];
    const unsigned used = hash_page<const std::uint64_t>(geometry, page.words, nullptr).used_slots();
    page_remainders remainders;
    unpack(page, geometry, 0, used, remainders);
    hash_maker make(geometry, page.index);
    unsigned at = 0;
    for (unsigned bin = 0; bin < hash_geometry::page_bins; ++bin) {
        make.set_bin(bin);
        const unsigned end = at + static_cast<unsigned>(counts >> (8 * bin) & 0xff);
        // The last four may be partly of the next bin, which writes them again.
        for (unsigned four = at; four < end; four += 4) {
            store(hashes + four, make(load(remainders.data() + four)));
        }
        at = end;
    }
    return {true, used};
}

EVERBLOOM_MODERN std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                            std::span<const std::uint64_t> hashes) noexcept {
    using one_page = hash_page<const std::uint64_t>;
    if (one_page::link(page) != 0) [[unlikely]]
        return 0;
    const unsigned width = geometry.slot_bits();
    const std::uint64_t bins = geometry.bins();
    std::uint64_t counts = page[0];
    const unsigned used = bin_slots(counts, 0).used;
    const std::size_t most = std::min<std::size_t>(hashes.size(), geometry.slots() - used);
    auto* at = reinterpret_cast<std::uint8_t*>(page + hash_geometry::header_words) + used * width / 8;
    unsigned lead = used * width % 8;
    std::uint64_t pending = _bzhi_u64(*at, lead);
    std::size_t done = 0;
    for (; done < most; ++done) {
        const wide_product product = multiply_wide(hashes[done], bins);
        if (product.high / hash_geometry::page_bins != index) break;
        counts += std::uint64_t{1} << (8 * (product.high % hash_geometry::page_bins));
        pending |= product.low >> (64 - width) << lead;
        std::memcpy(at, &pending, sizeof pending);
        lead += width;
        at += lead / 8;
        pending >>= lead / 8 * 8;
        lead %= 8;
    }
    page[0] = counts;
    return done;
}

EVERBLOOM_MODERN bool note_shared_of_page(shared_lanes& shared, const block_pattern& wanted, const page_to_read& page,
                                          const hash_geometry& geometry, unsigned first, unsigned last) noexcept {
    if (!can_unpack(page, geometry) || wanted.blocks >> 32 != 0) [[unlikely]]
        return false;
    const std::uint64_t counts = page.words[0];
    const hash_page<const std::uint64_t> header(geometry, page.words, nullptr);
    unsigned at = header.bin_start(first);
    page_remainders remainders;
    unpack(page, geometry, at, header.bin_start(last + 1), remainders);

    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
    const words blocks = all(wanted.blocks);
    const words block = all(wanted.block);
    const words seed = all(wanted.seed);
    const words multiplier = all(factor);
    const words multiplier_high = all(factor >> 32);
    const words rests = all(lane_rests);
    const __m128i unused = by(geometry.unused_bits());
    const bool all_used = wanted.hashes == lanes;
    const words low_lanes = load(unused_lanes[wanted.hashes].low.data());
    const words high_lanes = load(unused_lanes[wanted.hashes].high.data());
    const words low_halves = all(0xffffffff);
    words differ = all(~std::uint64_t{0});
    hash_maker make(geometry, page.index);
    for (unsigned bin = first; bin <= last; ++bin) {
        make.set_bin(bin);
        const unsigned end = at + static_cast<unsigned>(counts >> (8 * bin) & 0xff);
        for (unsigned four = at; four < end; four += 4) {
            const words hashes = make(load(remainders.data() + four));
            const words low_part = _mm256_srli_epi64(_mm256_mul_epu32(hashes, blocks), 32);
            const words its_block = _mm256_srli_epi64(
                _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(hashes, 32), blocks), low_part), 32);
            // Hashes of the next bin, where the last four go over the end, are not looked at.
            const words is_other = _mm256_or_si256(_mm256_xor_si256(its_block, block),
                                                   _mm256_cmpgt_epi64(_mm256_setr_epi64x(1, 2, 3, 4), all(end - four)));
            const words counts_not =
                _mm256_xor_si256(_mm256_cmpeq_epi64(is_other, _mm256_setzero_si256()), all(~std::uint64_t{0}));
            const words other = multiply_low(_mm256_srl_epi64(hashes, unused), multiplier, multiplier_high);
            const words changed = _mm256_xor_si256(other, seed);
            // The highest bit of a field: whether any of its six differs.
            words differs = _mm256_or_si256(_mm256_add_epi64(_mm256_and_si256(changed, rests), rests), changed);
            if (!all_used) {
                const words start = _mm256_and_si256(other, all(lanes - 1));
                const words low = _mm256_and_si256(_mm256_permutevar8x32_epi32(low_lanes, start), low_halves);
                const words high = _mm256_slli_epi64(_mm256_permutevar8x32_epi32(high_lanes, start), 32);
                differs = _mm256_or_si256(differs, _mm256_or_si256(low, high));
            }
            differ = _mm256_and_si256(differ, _mm256_or_si256(differs, counts_not));
        }
        at = end;
    }
    alignas(32) std::array<std::uint64_t, 4> each;
    store(each.data(), differ);
    const std::uint64_t same = ~(each[0] & each[1] & each[2] & each[3]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
        const unsigned top = 31 - 6 * (lane / 2) + lane % 2 * 32;
        shared.unit[lane] |= -static_cast<std::uint32_t>(same >> top & 1);
    }
    return true;
}

} // namespace everbloom::kernel
#endif
