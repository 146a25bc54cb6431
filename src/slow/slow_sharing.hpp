// What threads need that share a slow filter: locks, and for queries, which take none, the blocks of each part as they are now.
//
//   lock      of         held for                        guards
//   merging   a part     a merge, `verify`               frozen updates, place of the run
//   changing  a part     some updates, one read          updates, bits, index; with `merging` above: what that guards
//   state     the file   writing a state, a sync         the order of states and syncs
//   log       all        a few numbers, a frame          log, space of the file, numbers of the state, everything that is counted
//
// They are taken in this order, from the top down, and never two parts at once. The place of a part in the state is changed under
// `merging`, `changing` and `log`, so any of them is enough to read it. A merge freezes the updates of its part and lets go of `changing`:
// others go on writing into an empty buffer and the old blocks, until the new blocks are complete and get the bits of those updates.
//
// Of a closed filter the file is gone. `closing` is set before; then every lock of a part is taken once, so that a call that holds one and finds
// it not set may use the file.
#pragma once

#include <everbloom/runtime/brief_lock.hpp>
#include <everbloom/runtime/reader_epochs.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace everbloom {

struct slow_elastic::sharing {
    /// What a query needs of a part; replaced as a whole.
    struct description {
        const std::uint64_t* words;
        std::uint64_t blocks;
        unsigned hashes;
    };
    /// Freed together, when the last reader is gone.
    struct leftovers {
        std::unique_ptr<description> seen;
        zeroed_words words;
    };
    struct alignas(line_bytes) part {
        std::mutex merging;
        std::mutex changing;
        std::unique_ptr<description> owned;
        std::atomic<const description*> seen = nullptr;

        /// Queries that begin now see `made`. What they saw before is given back.
        [[nodiscard]] std::unique_ptr<description> publish(std::unique_ptr<description> made) noexcept {
            seen.store(made.get(), std::memory_order_release);
            std::swap(owned, made);
            return made;
        }
    };
    using epochs = reader_epochs<leftovers>;

    explicit sharing(std::size_t count) : parts(count) {}

    std::vector<part> parts;
    std::mutex state;
    std::mutex log;
    std::mutex spare; // the workspaces
    std::mutex one_close;
    std::atomic<bool> closing = false;
    epochs readers;
};

} // namespace everbloom
