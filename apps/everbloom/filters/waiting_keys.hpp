// waiting_keys: the keys of a new filter whose size is not known before the last of them: their digests, 16 bytes each.
//
// They wait in blocks of half a million. A block in which at least every second key is a repetition is kept as different keys with their
// numbers: a stream of empty lines costs nothing, and the keys of all others are inserted in the order in which they came.
#pragma once

#include "filters/insertion.hpp"
#include "keys/hash_keys.hpp"

#include <cstdint>
#include <vector>

namespace everbloom::cli {

class waiting_keys {
public:
    result<void> take(const hashed_keys& keys);
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

    /// Inserts all of them, once.
    result<void> insert_into(insertion& into);

private:
    struct repeated_key {
        digest key;
        std::uint64_t times;
    };
    struct block {
        std::vector<digest> keys;           // in their order, or
        std::vector<repeated_key> repeated; // each once
    };

    void close_block();

    std::vector<block> blocks_;
    std::vector<digest> open_; // the block that is being filled
    std::uint64_t count_ = 0;
};

} // namespace everbloom::cli
