// hash_keys: reads key files and hashes the keys with several threads, in the order of the input.
#pragma once

#include "frame/cancellation.hpp"
#include "keys/key_batches.hpp"
#include "keys/key_files.hpp"
#include "keys/skipped_lines.hpp"
#include "output/progress.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/hash/any_hasher.hpp>

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// Are the keys as they are in the file needed, besides their digests?
enum class key_texts { kept, dropped };

/// The source of keys and how they are read.
struct key_stream {
    key_files files;
    key_format format;
    unsigned threads = 1;
    progress::mode watched = progress::mode::silent;
    skipped_lines* skipped = nullptr; // told of lines that have no valid key
    key_texts texts = key_texts::kept;
};

/// The keys of one block: digests[i] belongs to texts[i], the key as in the file. Dropped texts and lines are empty.
struct hashed_keys {
    std::vector<std::string_view> texts;
    std::vector<digest> digests;
    std::vector<std::string_view> lines = {}; // the line of each key; empty if a line is a key
    std::vector<digest> second_digests = {};  // by the second hasher, if there is one

    [[nodiscard]] std::string_view line(std::size_t key) const noexcept {
        return lines.empty() ? texts[key] : lines[key];
    }
};

/// digests[i] becomes the digest of keys[i]: an any_hasher, or the hash of a filter of another program. Called by several threads.
using batch_hash = std::function<void(std::span<const std::string_view> keys, std::span<digest> digests)>;

/// Calls `take` with all keys, block by block, one call at a time, in order. The texts are valid during the call. `second`: hash them by
/// this one, too, if it is not empty.
[[nodiscard]] result<void> hash_keys(const key_stream& stream, const batch_hash& hasher, cancellation& cancel,
                                     const std::function<result<void>(const hashed_keys&)>& take,
                                     const batch_hash& second = {});

} // namespace everbloom::cli
