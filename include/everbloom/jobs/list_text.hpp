// list_text: the exact list of a filter's keys as text, with 88 bytes that prove it.
//
//   | the keys, sorted, each followed by its separator | list_tail: the list_facts, counts and checksums |
//
// The text may be stored compressed. The tail has the form of a skippable zstd frame, so that text compressed with zstd and its tail are
// one zstd file, which `zstd -dc` prints.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/hash/running_checksum.hpp>
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/list_facts.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace everbloom {

struct list_tail {
    static constexpr std::size_t bytes = 88;

    list_facts facts;
    char separator = '\n'; // or NUL, if keys contain newlines
    std::uint64_t keys = 0;
    std::uint64_t text_bytes = 0;
    std::uint64_t text_checksum = 0;

    /// Checks everything that can be checked without the text. The failure is `damaged`, or `unsupported` for another format version.
    [[nodiscard]] static result<list_tail> parse(std::span<const std::byte, bytes> from);
    [[nodiscard]] std::array<std::byte, bytes> write() const;
};

/// Reads the text of a list and compares it with its tail: order, spelling, counts and checksum.
class list_checker {
public:
    /// Both must outlive this. The keys go into the arena.
    list_checker(const list_tail& said, key_arena& arena) : said_(said), arena_(arena), canonical_(said.facts.type) {}

    /// The next piece of the text, which ends with a separator. False if it contradicts the tail, or is not sorted.
    [[nodiscard]] bool take(std::string_view piece);
    /// After the last piece: is it the whole text?
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] key_list finish() { return std::move(keys_); }

private:
    const list_tail& said_;
    key_arena& arena_;
    canonical_key canonical_;
    running_checksum sum_;
    std::uint64_t bytes_ = 0;
    key_list keys_;
};

/// Calls `write` with the text of a list in pieces, and returns its tail. Refuses a list whose keys contain both possible separators.
[[nodiscard]] result<list_tail> write_list_text(const followed_list& list,
                                                const std::function<void(std::string_view)>& write);

} // namespace everbloom
