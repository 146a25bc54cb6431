// What a slow filter has in memory for each part, and the buffers of a merge.
#pragma once

#include "slow_sharing.hpp"

#include <everbloom/hash/checksum.hpp>
#include <everbloom/runtime/slow/run_block.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace everbloom {

/// Blocks, the updates since the last merge, and where the blocks of the run begin. In cache lines of its own: another thread is in the part
/// beside it.
class alignas(line_bytes) slow_elastic::part_memory {
public:
    explicit part_memory(unsigned record_bits) noexcept : updates(record_bits), frozen(record_bits) {}

    /// Zeroed blocks instead of those before. A failure changes nothing.
    [[nodiscard]] bool make_blocks(std::uint64_t count) noexcept {
        if (count > std::size_t(-1) / (2 * line_bytes)) return false;
        auto made = zeroed_words::make(count * line_words);
        if (made.data() == nullptr) return false;
        words_ = std::move(made);
        return true;
    }
    /// Before all blocks are written to.
    void provide_blocks() noexcept { words_.provide(); }
    [[nodiscard]] std::uint64_t* words() noexcept { return words_.data(); }
    [[nodiscard]] const std::uint64_t* words() const noexcept { return words_.data(); }
    [[nodiscard]] std::uint64_t blocks() const noexcept { return words_.size() / line_words; }
    [[nodiscard]] std::span<std::byte> bytes() noexcept {
        return std::as_writable_bytes(std::span(words_.data(), static_cast<std::size_t>(words_.size())));
    }

    /// Takes the blocks and the index that a merge has made; the old ones are left there.
    void exchange_blocks(part_memory& made) noexcept {
        std::swap(words_, made.words_);
        index.swap(made.index);
        has_index = std::exchange(made.has_index, false);
    }
    /// Its blocks, to be freed later.
    [[nodiscard]] zeroed_words take_words() noexcept { return std::move(words_); }

    /// The oldest frame with an update that is not in the run.
    [[nodiscard]] std::uint64_t oldest_pending_frame() const noexcept { return std::min(oldest_frame, frozen_frame); }

    static constexpr std::uint64_t no_frame = ~std::uint64_t{0};

    update_buffer updates;
    update_buffer frozen;                     // older ones, which a merge is about to put into the run
    std::uint64_t oldest_frame = no_frame;    // of the log, with one of `updates`
    std::uint64_t frozen_frame = no_frame;    // the same for `frozen`
    std::uint64_t merged_frames = 0;          // all of `frozen` is in frames before this one
    std::uint64_t counted_bytes = 0;          // of `updates`, as of the last update; only if threads share the filter
    std::uint64_t merge_at = 0;               // insertions that the blocks have room for
    mutable std::vector<std::uint64_t> index; // the first record of each block of the run, once it was asked for
    mutable bool has_index = false;

private:
    zeroed_words words_;
};

struct slow_elastic::workspace {
    static constexpr std::size_t batch_blocks = 64; // read and written at a time

    run_block_reader reader;
    run_block_writer writer;
    std::array<std::uint64_t, batch_blocks * run_block_words> input;
    std::array<std::uint64_t, batch_blocks * run_block_words> output;
    std::unique_ptr<workspace> next;
};

/// A workspace for a while. There are as many as threads have needed at the same time.
class slow_elastic::borrowed_workspace {
public:
    explicit borrowed_workspace(const slow_elastic& owner) : owner_(owner) {
        {
            const lock alone = lock_spare();
            work_ = std::move(owner_.work_);
            if (work_) owner_.work_ = std::move(work_->next);
        }
        if (!work_) work_ = std::make_unique<workspace>();
    }
    borrowed_workspace(const borrowed_workspace&) = delete;
    borrowed_workspace& operator=(const borrowed_workspace&) = delete;
    ~borrowed_workspace() {
        const lock alone = lock_spare();
        work_->next = std::move(owner_.work_);
        owner_.work_ = std::move(work_);
    }
    [[nodiscard]] workspace& operator*() const noexcept { return *work_; }

private:
    [[nodiscard]] lock lock_spare() const { return owner_.sharing_ ? lock(owner_.sharing_->spare) : lock(); }

    const slow_elastic& owner_;
    std::unique_ptr<workspace> work_;
};

/// Which file, part and merge a block belongs to. Blocks of the index have another stamp than those with records.
[[nodiscard]] inline std::uint64_t run_stamp(std::uint64_t file_number, std::uint64_t part, std::uint64_t generation,
                                             bool is_index) noexcept {
    return file_number ^ (generation << 16) ^ (part << 1) ^ (is_index ? 1 : 0);
}
inline void seal_block(std::span<std::uint64_t, run_block_words> block, std::uint64_t stamp) noexcept {
    block[1] = stamp;
    block[0] = checksum(block.data() + 1, block.size_bytes() - sizeof(std::uint64_t));
}
[[nodiscard]] inline bool is_sealed(std::span<const std::uint64_t, run_block_words> block,
                                    std::uint64_t stamp) noexcept {
    return block[1] == stamp && block[0] == checksum(block.data() + 1, block.size_bytes() - sizeof(std::uint64_t));
}

/// Of the index: the first record of each block of the run.
inline constexpr std::size_t index_entries = run_block_words - 2;
[[nodiscard]] constexpr std::uint64_t index_blocks_for(std::uint64_t blocks) noexcept {
    return (blocks + index_entries - 1) / index_entries;
}

[[nodiscard]] inline unexpected<failure> damaged_slow(std::string sentence) {
    return fail(failure_reason::damaged, std::move(sentence));
}

} // namespace everbloom
