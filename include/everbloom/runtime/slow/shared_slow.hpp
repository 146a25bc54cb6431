// shared_slow: a slow filter for many threads. Queries never wait; updates wait only for those of the same part, and not for merges.
//
//   query    takes no lock: it reads where the blocks of the part are, and then one block. Blocks that a merge replaces are freed when no
//            query can see them any more (reader_epochs.hpp).
//   update   locks its part, for the time that buffer and bits take, and the log, for a few numbers; every 2000th writes a frame.
//            The log is one: an update that began when another one had returned is behind it there, and is never found without it.
//   batch    goes part by part: one lock for all keys of a part.
//   erase    with a verdict, and `count`, hold the lock of the part while they read a block of the run.
//   merge    runs in the thread whose update made it necessary. Other threads go on updating the part meanwhile (slow_sharing.hpp).
//   flush    waits for another flush and for a state that is being written, and holds up no update while the disk works.
//
// A key whose insertion has returned is found by every query that begins afterwards. Everything else is as in slow_elastic.hpp.
#pragma once

#include <everbloom/runtime/slow/slow_elastic.hpp>

#include <memory>
#include <optional>
#include <span>

namespace everbloom {

class shared_slow_elastic {
public:
    /// From now on many threads use the filter, through this.
    [[nodiscard]] static result<shared_slow_elastic> share(slow_elastic filter);
    shared_slow_elastic(shared_slow_elastic&&) noexcept = default;
    shared_slow_elastic& operator=(shared_slow_elastic&&) noexcept = default;
    ~shared_slow_elastic() = default;

    // Any thread may call any of these at any time.

    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;

    insert_outcome insert(digest item) noexcept;
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept;
    [[nodiscard]] result<erase_outcome> erase(digest item);
    deferred_outcome erase_later(digest item) noexcept;
    void erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept;
    [[nodiscard]] result<std::uint64_t> count(digest item) const;

    /// All updates that returned before are durable.
    [[nodiscard]] result<void> flush();
    /// Merges all updates that returned before, part by part.
    [[nodiscard]] result<void> merge() { return filter_->merge(); }
    [[nodiscard]] result<void> resize(const slow_plan& wanted) { return filter_->resize(wanted); }
    /// Waits for what is under way, flushes, and gives up the file. Queries go on; updates are refused from its beginning on, unless it
    /// fails.
    [[nodiscard]] result<void> close();
    /// No merge of a part while it is read; updates go on.
    [[nodiscard]] result<void> verify() const { return filter_->verify(); }

    [[nodiscard]] std::optional<failure> last_error() const;
    [[nodiscard]] bool is_writable() const noexcept { return filter_->is_writable(); }
    [[nodiscard]] const slow_identity& identity() const noexcept { return filter_->identity(); }
    /// What it was made for, or was given by `resize`.
    [[nodiscard]] workload target() const;
    /// One part after the other: exact while no thread writes.
    [[nodiscard]] slow_statistics statistics() const { return filter_->statistics(); }
    /// Current FPR from the blocks; holds up no other call.
    [[nodiscard]] measurement measure() const;

private:
    using sharing = slow_elastic::sharing;
    using lock = slow_elastic::lock;
    enum class kind : std::uint8_t { insertion, removal };
    enum class room : std::uint8_t { promised, refused, crowded };
    struct work_due;
    struct query;
    struct group;
    enum class update_state : std::uint8_t;
    class keys_by_part;

    explicit shared_slow_elastic(std::unique_ptr<slow_elastic> filter) noexcept;

    [[nodiscard]] sharing& shared() const noexcept;
    [[nodiscard]] query query_for(digest item) const noexcept;
    [[nodiscard]] bool has_bits(std::size_t part, std::uint64_t hash) const noexcept;
    [[nodiscard]] room promise_room(std::size_t updates, kind what, bool even_if_crowded, work_due& due) noexcept;
    void apply(group& one, kind what) noexcept;
    [[nodiscard]] room change(std::span<group> groups, kind what, bool even_if_crowded, work_due& due) noexcept;
    template <class Admit>
    std::size_t change_part(std::size_t part, std::span<const std::uint64_t> hashes, kind what, Admit admit) noexcept;
    template <class Report, class Alone>
    void change_many(keys_by_part& keys, kind what, Report report, Alone alone) noexcept;
    void settle(const work_due& due) noexcept;
    [[nodiscard]] insert_outcome refusal_of_insertion() const noexcept;

    std::unique_ptr<slow_elastic> filter_;
};

} // namespace everbloom
