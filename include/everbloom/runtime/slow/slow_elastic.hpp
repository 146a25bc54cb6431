// slow_elastic: an elastic blocked filter whose stored hashes are in a file. In memory are the blocks that queries read, and the
// latest updates.
//
//      memory    blocks: 10 to 17 bits per key          update_buffer of each part: bounded, all together
//      file      run of each part: its sorted hashes    log: the updates that are not merged yet       blocks, as of the last merge
//
//   query    reads one block in memory, never the file.
//   insert   sets the bits at once, and goes to the log and the buffer of its part.
//   erase    looks for the key in buffer and run, one read, and says `removed` or `not_present`. `erase_later` does not look: the
//            verdict falls at the next merge, which counts the removals that it refuses. Bits are cleared by the next merge of the
//            part: until then a removed key may still answer "maybe".
//   merge    of one part, when the buffers have their share of memory, or its blocks become too full: the sorted run and the sorted
//            buffer become a new run beside the old one, read and written from front to back, and all blocks of the part are made
//            anew, of the size that its keys need. No other part is touched. Growing, shrinking and another FPR are the same pass.
//   open     reads the blocks and the log, not the runs.
//
// What is durable when: `flush` makes all updates durable that were made before it. An update that was not
// flushed survives the end of the process (kill -9) if its frame was written, and may be lost otherwise. Of updates that are lost
// all later ones are lost too: what is found after a crash is what was there at some moment after the last flush.
//
// Failures: a full disk or a failing read leaves everything as it was, and the operation can be repeated. After a failing sync
// what the disk has is unknown: updates are refused from then on, `last_error` says why, and the file must be opened again.
//
// Queries may run in several threads; whatever changes the filter needs it alone. shared_slow.hpp is the same for many threads.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/outcomes.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/slow/deferred_outcome.hpp>
#include <everbloom/runtime/slow/extent_map.hpp>
#include <everbloom/runtime/slow/random_access_file.hpp>
#include <everbloom/runtime/slow/record_geometry.hpp>
#include <everbloom/runtime/slow/slow_layout.hpp>
#include <everbloom/runtime/slow/update_buffer.hpp>
#include <everbloom/runtime/slow/update_log.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace everbloom {

/// What a new slow filter is made for. Densities are those of the model (plan_slow).
struct slow_plan {
    slow_identity identity;
    std::uint64_t hashes = 8;
    std::uint64_t line_keys = 32'000'000; // keys per block, in millionths
    std::uint64_t capacity = 1;
    double fpr = 0.001;
};

/// The plan for a capacity and a target FPR; identity and hash are up to the caller.
[[nodiscard]] result<slow_plan> plan_slow(const workload& wanted);

struct slow_statistics {
    std::uint64_t keys = 0;               // different ones in the runs
    std::uint64_t copies = 0;             // insertions that were not removed, in the runs
    std::uint64_t pending_insertions = 0; // keys with insertions that are not merged yet
    std::uint64_t pending = 0;            // keys with any updates that are not merged yet
    std::uint64_t refused = 0;            // deferred removals of keys that were not there
    std::uint64_t fast_bytes = 0;         // blocks in memory
    std::uint64_t buffer_bytes = 0;       // update buffers in memory
    std::uint64_t run_bytes = 0;
    std::uint64_t log_bytes = 0;
    std::uint64_t file_bytes = 0;
    std::uint64_t merges = 0; // since it was opened
};

/// What a query reads, as the kernels take it (filter/kernel/line_batch.hpp).
struct slow_block_view : block_hashing {
    struct part_blocks {
        const std::uint64_t* words = nullptr;
        std::uint64_t blocks = 0;
    };

    const part_blocks* parts = nullptr;
    unsigned part_bits = 1;
    unsigned hashes = 0;

    [[nodiscard]] const std::uint64_t* block_of(std::uint64_t hash) const noexcept {
        const part_blocks& part = parts[hash >> (64 - part_bits)];
        return part.words + reduce(hash << part_bits, part.blocks) * line_words;
    }
    [[nodiscard]] const std::uint64_t* line_of(digest item) const noexcept { return block_of(stored_hash(item)); }
};

class slow_elastic {
public:
    /// Memory of the update buffers, unless another number is given: a byte for each key of the capacity, or of those that are there if they are
    /// more, within these limits.
    static constexpr std::uint64_t buffer_by_size = 0;
    static constexpr std::uint64_t least_usual_buffer_bytes = std::uint64_t{1} << 20;
    static constexpr std::uint64_t most_usual_buffer_bytes = std::uint64_t{32} << 20;

    /// An empty filter in an empty file.
    [[nodiscard]] static result<slow_elastic> create(std::unique_ptr<random_access_file> file, const slow_plan& plan,
                                                     std::uint64_t buffer_bytes = buffer_by_size);
    /// `read`: the state at this moment; a writer beside it does not disturb.
    [[nodiscard]] static result<slow_elastic> open(std::unique_ptr<random_access_file> file, slow_access how,
                                                   std::uint64_t buffer_bytes = buffer_by_size);

    slow_elastic(slow_elastic&&) noexcept;
    slow_elastic& operator=(slow_elastic&&) noexcept;
    slow_elastic(const slow_elastic&) = delete;
    slow_elastic& operator=(const slow_elastic&) = delete;
    /// Flushes, unless that was done; use `close` to learn whether that worked.
    ~slow_elastic();

    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;

    insert_outcome insert(digest item) noexcept;
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept;
    [[nodiscard]] result<erase_outcome> erase(digest item);
    deferred_outcome erase_later(digest item) noexcept;
    void erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept;
    /// How often the key was inserted and not removed, by its stored hash: one read.
    [[nodiscard]] result<std::uint64_t> count(digest item) const;

    /// Everything so far becomes durable. After a failure, for example of a full disk, it can be called again.
    [[nodiscard]] result<void> flush();
    /// Merges all pending updates; statistics are exact afterwards.
    [[nodiscard]] result<void> merge();
    /// Another density, number of hashes or capacity: makes the blocks anew from the runs, one part after the other. What a failure
    /// leaves undone is done by later merges.
    [[nodiscard]] result<void> resize(const slow_plan& wanted);
    /// Flushes and gives up the file.
    [[nodiscard]] result<void> close();

    /// Why updates are refused or merges postponed, if they are.
    [[nodiscard]] const std::optional<failure>& last_error() const noexcept { return last_error_; }
    [[nodiscard]] bool is_writable() const noexcept { return access_ == slow_access::write; }

    [[nodiscard]] const slow_identity& identity() const noexcept { return identity_; }
    [[nodiscard]] const slow_state& state() const noexcept { return state_; }
    [[nodiscard]] slow_statistics statistics() const;
    /// Current FPR from the blocks, keys as far as they are known.
    [[nodiscard]] measurement measure() const;
    /// An application's own bytes, at most slow_layout::most_attached; durable with the next flush.
    [[nodiscard]] result<void> attach(std::span<const std::byte> bytes);

    /// Reads all of the file and compares everything with its checksum.
    [[nodiscard]] result<void> verify() const;
    /// Calls `visit(stored hash, copies)` for every key in order; reads the runs.
    [[nodiscard]] result<void> for_each(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const;

private:
    friend class shared_slow_elastic;
    /// Zeroed blocks; memory in whole pages of the usual size, because there are many parts.
    class part_memory;
    struct workspace;
    class borrowed_workspace;
    struct merged_part;
    struct sharing;

    slow_elastic() noexcept;

    // The locks of a filter that is shared by threads; in any other one they lock nothing (src/slow/slow_sharing.hpp).
    using lock = std::unique_lock<std::mutex>;
    [[nodiscard]] lock lock_merging(std::size_t part) const;
    [[nodiscard]] lock lock_part(std::size_t part) const;
    [[nodiscard]] lock lock_state() const;
    [[nodiscard]] lock lock_log() const;

    [[nodiscard]] result<void> load();
    [[nodiscard]] result<std::optional<slow_state>> newest_state() const;
    [[nodiscard]] result<void> claim_extents();
    [[nodiscard]] result<void> load_blocks(std::size_t part);
    void refresh_view() noexcept;

    [[nodiscard]] std::uint64_t blocks_for(std::uint64_t keys) const noexcept;
    [[nodiscard]] std::uint64_t insertions_until_full(const slow_part& part) const noexcept;
    [[nodiscard]] bool has_room(std::uint64_t hash) noexcept;
    [[nodiscard]] bool record_update(std::uint64_t hash, bool is_erase) noexcept;
    void set_pattern(std::uint64_t hash) noexcept;
    template <class Act>
    void prefetching(std::span<const digest> items, Act act) noexcept;
    void settle(std::size_t part) noexcept;
    [[nodiscard]] result<void> write_frame();
    [[nodiscard]] bool is_log_long() const noexcept;
    [[nodiscard]] std::size_t oldest_part() const noexcept;
    [[nodiscard]] result<void> write_log();
    [[nodiscard]] result<void> sync();
    [[nodiscard]] result<void> commit(std::size_t least_replaced = 0);
    [[nodiscard]] result<void> merge_part(std::size_t part);
    [[nodiscard]] result<void> merge_part(std::size_t part, lock merging);
    [[nodiscard]] result<void> freeze(std::size_t part);
    void thaw(std::size_t part) noexcept;
    [[nodiscard]] result<void> merge_frozen(std::size_t part);
    [[nodiscard]] result<void> prepare_merge(std::size_t part, merged_part& made);
    [[nodiscard]] result<void> write_merged(std::size_t part, merged_part& made);
    void install(std::size_t part, merged_part& made) noexcept;
    void give_back(const extent& unused) noexcept;
    template <class Visit>
    [[nodiscard]] result<void> read_run(std::size_t part, workspace& work, Visit visit) const;
    [[nodiscard]] unexpected<failure> damaged_block(std::size_t part, std::uint64_t offset) const;
    [[nodiscard]] result<void> load_index(std::size_t part, workspace& work) const;
    [[nodiscard]] result<std::uint64_t> stored_count(std::uint64_t hash) const;
    [[nodiscard]] result<void> verify_part(std::size_t part) const;
    [[nodiscard]] std::uint64_t buffer_bytes() const noexcept {
        if (given_buffer_bytes_ != buffer_by_size) return given_buffer_bytes_;
        return std::clamp(std::max(sized_for_.now(), known_keys_.now()), least_usual_buffer_bytes,
                          most_usual_buffer_bytes);
    }
    [[nodiscard]] result<void> check_open() const;
    [[nodiscard]] result<void> check_writable() const;
    result<void> broken(result<void> done);

    slow_identity identity_;
    slow_access access_ = slow_access::read;
    std::uint64_t given_buffer_bytes_ = buffer_by_size;
    std::unique_ptr<random_access_file> file_;
    slow_state state_;
    extent_map space_;
    std::vector<extent> replaced_;  // the state on disk still refers to them
    std::size_t merging_parts_ = 0; // each will replace two more
    std::vector<extent>
        retired_; // the state that does not refer to them is written; they are free as soon as it is durable
    update_log log_;
    std::vector<part_memory> parts_;
    std::vector<slow_block_view::part_blocks> view_parts_;
    slow_block_view view_;
    bool uniform_ = true; // all parts have the same number of hashes
    bool unsynced_ = false;
    shared_count broken_; // not 0: the file is in an unknown state
    std::optional<failure> last_error_;
    shared_count used_buffer_bytes_;   // without those of parts that are being merged
    std::uint64_t merge_at_bytes_ = 0; // when buffers are larger, the largest is merged
    std::uint64_t refusals_before_retry_ = 0;
    shared_count known_keys_; // in runs and buffers, at most
    shared_count sized_for_;  // the capacity
    std::uint64_t merges_ = 0;
    mutable std::unique_ptr<workspace> work_; // not in use, one behind the other
    std::unique_ptr<sharing> sharing_;        // if threads share the filter
};

} // namespace everbloom
