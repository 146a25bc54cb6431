// foreign_filter: a Bloom filter of another program, in the format of that program: read, asked and written as it is.
//
// Each format has its own hash function and its own places for the bits of a key, so that the cells of one filter cannot become those of
// another: from one format to another the only way is through the keys. Foreign filters are not kinds: they have no everbloom file, and
// nothing is removed from them. The readers follow the rules of our loader: every number is checked, with the length of the file, before
// memory is allocated by it.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/foreign/dcso_bits.hpp>
#include <everbloom/foreign/foreign_facts.hpp>
#include <everbloom/foreign/guava_file.hpp>
#include <everbloom/foreign/parquet_bloom.hpp>
#include <everbloom/foreign/redisbloom_dump.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace everbloom {

/// In the order of the variant below. `parquet_bitset` is a `parquet` filter without its header: nothing tells it apart from other bytes.
enum class foreign_format { dcso, guava, parquet, redisbloom, parquet_bitset };

/// All of them.
inline constexpr std::array known_foreign_formats{foreign_format::dcso, foreign_format::guava, foreign_format::parquet,
                                                  foreign_format::redisbloom, foreign_format::parquet_bitset};

/// Their words on a command line: "bloom", "guava", "parquet", "redisbloom", "parquet-bitset".
[[nodiscard]] std::string_view name_of(foreign_format format) noexcept;
[[nodiscard]] std::optional<foreign_format> foreign_format_named(std::string_view name) noexcept;

/// "a Bloom filter of Guava"
[[nodiscard]] std::string_view words_of(foreign_format format) noexcept;

/// A format whose header these first bytes of a file are.
struct foreign_guess {
    foreign_format format;
    std::optional<std::uint64_t>
        file_bytes;                 // the length that follows from the header; none: anything may follow (dcso)
    bool has_strong_header = false; // chance is no explanation, also if the file has another length
};

/// As many bytes as `guess_foreign` may need, if the file has them.
inline constexpr std::size_t foreign_start_bytes = 65536;
/// A format is in a file only if also the length is right.
[[nodiscard]] std::optional<foreign_guess> guess_foreign(std::span<const std::byte> start);

/// The length of a file of this format that begins with these bytes, if its header says it. Refuses an illegal header.
[[nodiscard]] result<std::optional<std::uint64_t>> foreign_file_bytes(foreign_format format,
                                                                      std::span<const std::byte> start);

class foreign_filter {
public:
    using any_format = std::variant<dcso_bits, guava_file, parquet_bloom, redisbloom_dump>;

    // Out of line: where it inlines the destructor of a variant, g++ 12 warns of uninitialised members.
    explicit foreign_filter(any_format filter) noexcept;
    foreign_filter(foreign_filter&&) noexcept;
    foreign_filter& operator=(foreign_filter&&) noexcept;
    foreign_filter(const foreign_filter&) = delete;
    foreign_filter& operator=(const foreign_filter&) = delete;
    ~foreign_filter();

    /// From all bytes of an uncompressed file.
    [[nodiscard]] static result<foreign_filter> read(foreign_format format, std::span<const std::byte> bytes);
    /// An empty filter, as the other program would size it. A chain of RedisBloom cannot be made.
    [[nodiscard]] static result<foreign_filter> plan(foreign_format format, std::uint64_t items, double fpr,
                                                     guava_file::strategy how = guava_file::strategy::mitz_64);
    [[nodiscard]] std::vector<std::byte> write() const;
    [[nodiscard]] std::vector<std::byte> write_as(foreign_format format) const;

    [[nodiscard]] foreign_format format() const noexcept { return static_cast<foreign_format>(filter_.index()); }

    /// digests[i] becomes the hash of keys[i]; answers[i] is 0 (surely not) or 1 (maybe). Spans of the same length.
    void hash(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept;
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;
    void insert(std::span<const digest> items) noexcept;

    [[nodiscard]] foreign_facts facts() const;

    /// The filter itself, for code that knows its format; null if it has another.
    template <class Format>
    [[nodiscard]] const Format* as() const noexcept {
        return std::get_if<Format>(&filter_);
    }

private:
    any_format filter_;
};

} // namespace everbloom
