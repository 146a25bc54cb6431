// waiting_keys: a buffer of digests, 16 bytes each, for a new filter that is sized by the number of its keys.
//
// The digests are in blocks of half a million. A block in which at least half of the keys are repetitions is kept as distinct keys with
// counts: a stream of empty lines costs nothing. The keys of all other blocks are inserted in the order of the input.
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
    void keep_as_they_are();

    std::vector<block> blocks_;
    std::vector<digest> open_; // the block that is being filled
    std::uint64_t count_ = 0;
};

} // namespace everbloom::cli
