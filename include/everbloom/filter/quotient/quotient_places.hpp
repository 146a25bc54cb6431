// Fingerprints of a quotient filter, and the two lines in which an item may be.
//
// Every fingerprint has one other: the same bucket and tag, another row and another path. It is an involution (the other of the other is
// the first), so an item can be moved without its key. Where it leads is decided by bucket and tag alone, which never become part of a
// line's number: for every size of the table the two stand for the same keys. docs/models/quotient.md has the proof that deletion is
// safe because of that, tests/unit/filter/quotient/unsafe_variant.cpp shows what happens otherwise.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/odd_constants.hpp>
#include <everbloom/filter/quotient/quotient_spec.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <utility>

namespace everbloom {

struct quotient_fingerprint {
    std::uint64_t row = 0;
    std::uint32_t path = 0; // the first bit of the path is the lowest
    std::uint8_t bucket = 0;
    std::uint8_t tag = 0;

    friend constexpr bool operator==(const quotient_fingerprint&, const quotient_fingerprint&) = default;
};

/// A table that is as large as it was made first needs no bits of paths to number its lines.
enum class table_state : std::uint8_t { resting, growing };

/// What an item is called in a table of a certain size.
struct quotient_place {
    std::uint64_t line = 0;
    std::uint32_t extension = 0;
    std::uint8_t byte = 0;
    std::uint8_t bucket = 0;
    std::uint8_t is_ahead = 0; // 1: its line is one level ahead, below the frontier or made by it

    [[nodiscard, gnu::always_inline]] stored_item stored() const noexcept { return {extension, byte}; }

    friend constexpr bool operator==(const quotient_place&, const quotient_place&) = default;
};

/// The same in two words, which stay in registers: `stored` has the byte, the bucket and is_ahead in 8 bits each, the lowest first, and the
/// extension in its upper half.
struct packed_place {
    std::uint64_t line;
    std::uint64_t stored;

    [[nodiscard, gnu::always_inline]] unsigned is_ahead() const noexcept {
        return static_cast<unsigned>(stored >> 16 & 1);
    }
    [[nodiscard, gnu::always_inline]] unsigned bucket() const noexcept {
        return static_cast<unsigned>(stored >> 8 & 0xff);
    }
    [[nodiscard, gnu::always_inline]] stored_item item() const noexcept {
        return {static_cast<std::uint32_t>(stored >> 32), static_cast<std::uint8_t>(stored)};
    }
    [[nodiscard, gnu::always_inline]] quotient_place unpacked() const noexcept {
        return {line, item().extension, item().byte, static_cast<std::uint8_t>(bucket()),
                static_cast<std::uint8_t>(is_ahead())};
    }
};

/// The two places in which a key may be.
struct quotient_pair {
    quotient_place one;
    quotient_place other;
};

/// Which lines are likely to have room. In a table of its first size, the lines that are ahead, if there are any. Later the lines
/// that were split last: all others are full, and have been for long. A guess, so where a line is in the table is told by 16 bits: the
/// part of the table before it, in 65536ths.
class likely_room {
public:
    likely_room() noexcept = default;
    explicit likely_room(const quotient_spec& spec) noexcept {
        const std::uint64_t lines = spec.rows << spec.level;
        const double scale = 65536.0 / static_cast<double>(lines);
        const auto part = [&](std::uint64_t some) {
            return static_cast<std::uint16_t>(std::min(65535.0, scale * static_cast<double>(some)));
        };
        if (spec.lines() <= spec.initial_lines) {
            last = part(spec.frontier != 0 ? spec.frontier : lines);
            return;
        }
        const std::uint64_t splits = spec.lines() / usual_share + 1;
        const std::uint64_t begin = spec.frontier - std::min(spec.frontier, splits);
        first = part(begin);
        last = part(spec.frontier - begin);
        // Some of them were made by the doubling before, from half as many lines.
        if (splits > spec.frontier && spec.level != 0)
            older = part(lines / 2 - std::min(lines / 2, splits - spec.frontier));
    }

    /// 1 if it is, else 0.
    [[nodiscard, gnu::always_inline]] unsigned is_likely_at(std::uint32_t part) const noexcept {
        return static_cast<unsigned>(((part - first) & 0xffff) <= last) |
               static_cast<unsigned>((part & 0x7fff) >= older);
    }

    std::uint16_t first = 0;
    std::uint16_t last = 0; // counted from the first one
    std::uint16_t older = 0xffff;

private:
    static constexpr std::uint64_t usual_share = 10;
};

class quotient_places {
    friend struct quotient_batch;

public:
    quotient_places() noexcept = default;
    explicit quotient_places(const quotient_spec& spec) noexcept
        : rows_(spec.rows), frontier_(spec.frontier), ahead_lines_(spec.rows << spec.level),
          buckets_(static_cast<std::uint32_t>(spec.buckets)), level_(static_cast<unsigned>(spec.level)),
          extension_bits_(static_cast<unsigned>(spec.extension_bits())),
          path_mask_(static_cast<std::uint32_t>(low_mask(path_bits()))),
          level_mask_(static_cast<std::uint32_t>(low_mask(level_))),
          extension_mask_(static_cast<std::uint32_t>(low_mask(extension_bits_))),
          buckets_and_tags_(buckets_ << quotient_spec::tag_bits), byte_mask_(path_mask_ ^ extension_mask_),
          byte_shift_(std::max(level_, extension_bits_)), byte_steps_(level_ >= extension_bits_ ? 1 : 0),
          is_resting_(spec.level == 0 && spec.frontier == 0),
          shapes_{spec.shape_at(spec.level), spec.shape_at(spec.level + 1)}, turn_(1 - shapes_[0].first_byte),
          extensions_before_(shapes_[0].extensions_at - shapes_[0].first_byte * shapes_[0].extension_bits),
          is_brief_(has_brief_queries()), is_wide_(has_wide_queries()), asks_briefly_(is_brief_ && !is_wide_),
          half_of_bytes_(
              std::min({shapes_[0].first_byte, shapes_[1].first_byte, static_cast<unsigned>(line_bytes) / 2})),
          room_(spec) {}

    [[nodiscard, gnu::always_inline]] quotient_fingerprint fingerprint(digest item) const noexcept {
        const std::uint64_t bucket_and_tag = bucket_and_tag_of(item);
        quotient_fingerprint made;
        made.row = reduce(item.low, rows_);
        made.path = static_cast<std::uint32_t>(item.high) & path_mask_;
        made.bucket = static_cast<std::uint8_t>(bucket_and_tag >> quotient_spec::tag_bits);
        made.tag = static_cast<std::uint8_t>(bucket_and_tag & low_mask(quotient_spec::tag_bits));
        return made;
    }

    /// The smallest digest with this fingerprint.
    [[nodiscard]] digest some_digest(const quotient_fingerprint& one) const noexcept {
        const std::uint64_t upper = ((bucket_and_tag_of(one) << 32) + buckets_and_tags_ - 1) / buckets_and_tags_;
        return {smallest_reduced_to(one.row, rows_), upper << 32 | one.path};
    }

    [[nodiscard, gnu::always_inline]] quotient_fingerprint other(quotient_fingerprint one) const noexcept {
        const std::uint64_t hash = hash_of(bucket_and_tag_of(one));
        one.row = other_row(one.row, hash);
        one.path = other_path(one.path, hash);
        return one;
    }

    [[nodiscard, gnu::always_inline]] quotient_place place(const quotient_fingerprint& one) const noexcept {
        return place_of<table_state::growing>(one.row, one.path, bucket_and_tag_of(one)).unpacked();
    }

    /// Both places of a fingerprint.
    [[nodiscard]] std::pair<packed_place, packed_place> pack(const quotient_fingerprint& one) const noexcept {
        const quotient_fingerprint second = other(one);
        return {place_of<table_state::growing>(one.row, one.path, bucket_and_tag_of(one)),
                place_of<table_state::growing>(second.row, second.path, bucket_and_tag_of(second))};
    }

    /// Both places of a key. `State` may be `resting` where `is_resting` is true.
    template <table_state State>
    [[nodiscard, gnu::always_inline]] quotient_pair locate(digest item) const noexcept {
        const auto [one, other] = locate_packed<State>(item);
        return {one.unpacked(), other.unpacked()};
    }
    template <table_state State>
    [[nodiscard, gnu::always_inline]] std::pair<packed_place, packed_place> locate_packed(digest item) const noexcept {
        return {locate_first<State>(item), locate_other<State>(item)};
    }
    template <table_state State>
    [[nodiscard, gnu::always_inline]] packed_place locate_first(digest item) const noexcept {
        return place_of<State>(reduce(item.low, rows_), static_cast<std::uint32_t>(item.high) & path_mask_,
                               bucket_and_tag_of(item));
    }
    template <table_state State>
    [[nodiscard, gnu::always_inline]] packed_place locate_other(digest item) const noexcept {
        const std::uint64_t bucket_and_tag = bucket_and_tag_of(item);
        const std::uint64_t hash = hash_of(bucket_and_tag);
        return place_of<State>(other_row(reduce(item.low, rows_), hash),
                               other_path(static_cast<std::uint32_t>(item.high) & path_mask_, hash), bucket_and_tag);
    }
    [[nodiscard]] bool is_resting() const noexcept { return is_resting_; }
    /// Can a single key be looked for in the shortest way (quotient_batch::holds_briefly)?
    [[nodiscard]] bool is_brief() const noexcept { return is_brief_; }
    /// Can keys be looked for with vectors of 64 bytes (src/quotient_wide.cpp)?
    [[nodiscard]] bool is_wide() const noexcept { return is_wide_; }
    /// Is the shortest way the best one?
    [[nodiscard]] bool asks_briefly() const noexcept { return asks_briefly_; }
    /// Their numbers have 32 bits.
    [[nodiscard]] bool has_short_rows() const noexcept { return rows_ >> 32 == 0; }

    /// How far the table has grown.
    struct size {
        unsigned level = 0;
        std::uint64_t frontier = 0;
    };
    [[nodiscard]] size table_size() const noexcept { return {level_, frontier_}; }
    /// The same table after lines were split or united, at the same level: all else stays.
    void move_frontier(const quotient_spec& spec) noexcept {
        frontier_ = spec.frontier;
        is_resting_ = spec.level == 0 && spec.frontier == 0;
        is_brief_ = has_brief_queries();
        is_wide_ = has_wide_queries();
        asks_briefly_ = is_brief_ && !is_wide_;
        room_ = likely_room(spec);
    }

    /// Lines before the present doubling.
    [[nodiscard]] std::uint64_t ahead_lines() const noexcept { return ahead_lines_; }
    [[nodiscard]] bool is_ahead(std::uint64_t line) const noexcept { return line < frontier_ || line >= ahead_lines_; }
    [[nodiscard, gnu::always_inline]] const line_shape& shape(std::uint64_t is_ahead) const noexcept {
        return shapes_[is_ahead];
    }
    [[nodiscard]] const line_shape& shape_of(std::uint64_t line) const noexcept {
        return shape(is_ahead(line) ? 1 : 0);
    }

    /// The fingerprints of the items of one line.
    class reader {
    public:
        reader(const quotient_places& places, std::uint64_t line) noexcept
            : row_(line % places.rows_), start_(static_cast<std::uint32_t>(line / places.rows_)),
              level_(places.level_ + (places.is_ahead(line) ? 1 : 0)),
              byte_shift_(std::max(level_, places.extension_bits_)) {}

        [[nodiscard]] quotient_fingerprint fingerprint(unsigned bucket, stored_item stored) const noexcept {
            quotient_fingerprint made;
            made.row = row_;
            // In 64 bits: a damaged byte may have bits that no path has, and they must not get lost (`is_possible`).
            const std::uint64_t path = start_ | std::uint64_t{stored.extension} << level_ |
                                       std::uint64_t{stored.byte & low_mask(quotient_spec::byte_path_bits)}
                                           << byte_shift_;
            made.path = static_cast<std::uint32_t>(std::min(path, low_mask(32)));
            made.bucket = static_cast<std::uint8_t>(bucket);
            made.tag = static_cast<std::uint8_t>(stored.byte >> quotient_spec::byte_path_bits);
            return made;
        }

    private:
        std::uint64_t row_;
        std::uint32_t start_;
        unsigned level_;
        unsigned byte_shift_;
    };

    /// Finds items of one line whose other line is likely to have room, without a look at their paths: which line an item goes to, up to
    /// the bit that the present doubling adds, is decided by its line, bucket and tag. Only the highest bits are computed.
    struct roomy_others {
        roomy_others(const quotient_places& places, std::uint64_t line) noexcept
            : room(places.room_), level(places.level_), level_mask(places.level_mask_),
              start(static_cast<std::uint32_t>(line / places.rows_)),
              row(static_cast<std::uint32_t>(static_cast<double>(line % places.rows_) * 65536.0 /
                                             static_cast<double>(places.rows_))) {}

        /// 1 if it does, else 0.
        [[nodiscard, gnu::always_inline]] unsigned includes(unsigned bucket, std::uint8_t byte) const noexcept {
            const std::uint32_t factor =
                (bucket << quotient_spec::tag_bits | byte >> quotient_spec::byte_path_bits) + 1;
            const std::uint32_t hash = factor * sixteenth(3) + (factor * sixteenth(2) >> 16);
            const std::uint32_t path =
                (static_cast<std::uint32_t>(factor * golden_ratio_bits >> 8) ^ start) & level_mask;
            const std::uint32_t other_row = (hash - row) & 0xffff;
            return room.is_likely_at(level <= 16 ? path << (16 - level) | other_row >> level : path >> (level - 16));
        }
        /// 16 bits of what factors are multiplied by.
        [[nodiscard]] static constexpr std::uint32_t sixteenth(unsigned number) noexcept {
            return static_cast<std::uint16_t>(golden_ratio_bits >> 16 * number);
        }

        likely_room room;
        unsigned level;
        std::uint32_t level_mask;
        std::uint32_t start; // of the paths of all items
        std::uint32_t row;   // in 65536ths
    };

    /// What is stored of an item in a line that is ahead, or not.
    [[nodiscard]] stored_item stored(const quotient_fingerprint& one, bool is_ahead) const noexcept {
        return stored_at(one, level_ + (is_ahead ? 1 : 0));
    }
    [[nodiscard]] unsigned level() const noexcept { return level_; }

    /// Can a key have this fingerprint?
    [[nodiscard]] bool is_possible(const quotient_fingerprint& one) const noexcept {
        return one.row < rows_ && one.path <= low_mask(path_bits()) && one.bucket < buckets_;
    }

    /// A number for a fingerprint.
    [[nodiscard]] std::uint64_t number(const quotient_fingerprint& one) const noexcept {
        return ((one.row << path_bits() | one.path) * buckets_ + one.bucket) << quotient_spec::tag_bits | one.tag;
    }
    /// A number for a fingerprint and its other: that of the smaller one.
    [[nodiscard]] std::uint64_t class_number(const quotient_fingerprint& one) const noexcept {
        return std::min(number(one), number(other(one)));
    }
    [[nodiscard]] std::uint64_t numbers() const noexcept {
        return (rows_ << path_bits()) * buckets_ << quotient_spec::tag_bits;
    }
    [[nodiscard]] quotient_fingerprint fingerprint_of_number(std::uint64_t number) const noexcept {
        quotient_fingerprint made;
        made.tag = static_cast<std::uint8_t>(number & low_mask(quotient_spec::tag_bits));
        number >>= quotient_spec::tag_bits;
        made.bucket = static_cast<std::uint8_t>(number % buckets_);
        number /= buckets_;
        made.path = static_cast<std::uint32_t>(number & low_mask(path_bits()));
        made.row = number >> path_bits();
        return made;
    }

private:
    // Bucket and tag are one number, the highest bits of a product: the bucket decides less than half of its factor.
    [[nodiscard, gnu::always_inline]] std::uint64_t bucket_and_tag_of(digest item) const noexcept {
        return (item.high >> 32) * buckets_and_tags_ >> 32;
    }
    [[nodiscard, gnu::always_inline]] static std::uint64_t bucket_and_tag_of(const quotient_fingerprint& one) noexcept {
        return std::uint64_t{one.bucket} << quotient_spec::tag_bits | one.tag;
    }

    // Multiples of the golden ratio are spread evenly, which is all that is needed here.
    [[nodiscard, gnu::always_inline]] static std::uint64_t hash_of(std::uint64_t bucket_and_tag) noexcept {
        return (bucket_and_tag + 1) * golden_ratio_bits;
    }
    [[nodiscard, gnu::always_inline]] std::uint64_t other_row(std::uint64_t row, std::uint64_t hash) const noexcept {
        const std::uint64_t sum = reduce(hash, rows_) - row;
        return static_cast<std::int64_t>(sum) < 0 ? sum + rows_ : sum;
    }
    [[nodiscard, gnu::always_inline]] std::uint32_t other_path(std::uint32_t path, std::uint64_t hash) const noexcept {
        return path ^ (static_cast<std::uint32_t>(hash >> 8) & path_mask_);
    }

    template <table_state State>
    [[nodiscard, gnu::always_inline]] packed_place place_of(std::uint64_t row, std::uint32_t path,
                                                            std::uint64_t bucket_and_tag) const noexcept {
        // A tag is the highest bits of a byte, so this is the byte without its path, and the bucket in front of it.
        const auto code = static_cast<std::uint32_t>(bucket_and_tag) << quotient_spec::byte_path_bits;
        if constexpr (State == table_state::resting) {
            return {row, std::uint64_t{path & extension_mask_} << 32 | path >> extension_bits_ | code};
        } else {
            const std::uint64_t base = row + rows_ * (path & level_mask_);
            const std::uint64_t ahead = kernel::all_if_below(base, frontier_);
            const std::uint64_t is_new = ahead & (0 - static_cast<std::uint64_t>(path >> level_ & 1));
            const auto is_ahead = static_cast<std::uint32_t>(ahead & 1);
            const std::uint32_t extension = (path & extension_mask_) >> (level_ + is_ahead);
            return {base + (ahead_lines_ & is_new), std::uint64_t{extension} << 32 | is_ahead << 16 | code |
                                                        path >> (byte_shift_ + (is_ahead & byte_steps_))};
        }
    }
    [[nodiscard, gnu::always_inline]] stored_item stored_at(const quotient_fingerprint& one,
                                                            unsigned level) const noexcept {
        return {(one.path & extension_mask_) >> level,
                static_cast<std::uint8_t>(one.path >> std::max(extension_bits_, level) |
                                          std::uint32_t{one.tag} << quotient_spec::byte_path_bits)};
    }
    [[nodiscard]] unsigned path_bits() const noexcept { return extension_bits_ + quotient_spec::byte_path_bits; }

    [[nodiscard]] bool has_brief_queries() const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        constexpr unsigned most_ends = 96;
        return is_resting_ && shapes_[0].extensions_at <= most_ends && kernel::has_fast_pdep();
#else
        return false;
#endif
    }

    [[nodiscard]] bool has_wide_queries() const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        return is_resting_ && buckets_ <= word_bits && has_short_rows() && kernel::has_whole_lines();
#else
        return false;
#endif
    }

    std::uint64_t rows_ = 1;
    std::uint64_t frontier_ = 0;
    std::uint64_t ahead_lines_ = 1; // the first line that the present doubling has made
    std::uint32_t buckets_ = 1;
    unsigned level_ = 0;
    unsigned extension_bits_ = 0;
    std::uint32_t path_mask_ = 0;
    std::uint32_t level_mask_ = 0;
    std::uint32_t extension_mask_ = 0;
    std::uint32_t buckets_and_tags_ = 1;
    // The bits of a path that are in the byte, in a table of its first size; only AVX-512 asks.
    [[maybe_unused]] std::uint32_t byte_mask_ = 0;
    unsigned byte_shift_ = 0; // bits of the path in front of those in the byte
    unsigned byte_steps_ = 0; // how many more they are one level ahead
    bool is_resting_ = true;
    std::array<line_shape, 2> shapes_; // of lines that are not ahead, and of those that are
    // Of lines that are not ahead: the first byte with the opposite sign, and where the extension of an item would begin whose byte were the
    // first of the line; both modulo 2^32.
    std::uint32_t turn_ = 0;
    std::uint32_t extensions_before_ = 0;
    bool is_brief_ = false;
    bool is_wide_ = false;
    bool asks_briefly_ = false;
    unsigned half_of_bytes_ = 0; // the bytes of all lines are in the 32 from here on, and in the last 32
    likely_room room_;
};

} // namespace everbloom
