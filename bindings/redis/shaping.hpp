// shaping: what BF.MERGE and BF.RESIZE make of filters, in steps.
//
// The filters that take part stay as they are until the end. A new table begins as a copy; then the keys of other filters are added to it, or
// its lines are split or united, and at last it takes the place of the old one. A step ends when it has touched a given number of bytes: it
// may go on at any later time, as long as nothing changes the filters that take part.
#pragma once

#include "work.hpp"

#include <optional>
#include <vector>

namespace everbloom::redis {

/// What is to be made.
struct shaping_plan {
    /// Another size, for another capacity.
    struct size {
        std::uint64_t lines = 0;
        capacity_target capacity;
    };

    stored_filter* target = nullptr; // behind the key of the command; null: absent, and made like the first source
    std::vector<stored_filter*> sources = {}; // BF.MERGE: whose keys are added
    std::optional<size> resized = {};         // BF.RESIZE
};

class shaping final : public work {
public:
    /// All filters of the plan are tables (`as_quotient`), with equal fingerprints.
    explicit shaping(shaping_plan plan) noexcept : plan_(std::move(plan)) {}

    [[nodiscard]] progress advance(const call& now, std::uint64_t bytes) override;
    void end(const call& now, job_reply& reply) override;

    [[nodiscard]] bool includes(const stored_filter* value) const noexcept override;
    [[nodiscard]] std::size_t named_filters() const noexcept override { return 1 + plan_.sources.size(); }
    [[nodiscard]] bool changes_first() const noexcept override { return true; }

    /// When it is done: gives the target its new table, replicates the command `now` and says that the key was changed. False, and nothing
    /// happens, if something else is behind the key by now.
    [[nodiscard]] bool install(const call& now);

private:
    [[nodiscard]] bool is_merge() const noexcept { return !plan_.sources.empty(); }
    [[nodiscard]] const quotient::filter& base() const noexcept;
    [[nodiscard]] bool needs_table() const noexcept;
    void copy_some() noexcept;
    /// Enough lines that the new keys of a source find room at once. A table that grows bit by bit is nearly full, and a line's keys, which come
    /// one after the other, would have to make room for each other: that takes several times as long.
    [[nodiscard]] std::uint64_t lines_for(const quotient::filter& source, std::uint64_t most_bytes) const;
    void make_room(const call& now);
    void add_some();
    void resize_some();
    /// Some lines closer to as many; whether they are reached.
    [[nodiscard]] result<bool> approach(std::uint64_t lines);
    void check_limits(const call& now);
    void spend(std::uint64_t bytes) noexcept { left_ -= std::min(left_, bytes); }
    [[nodiscard]] bool goes_on() const noexcept { return left_ != 0 && !has_failed(); }

    shaping_plan plan_;
    std::optional<quotient::filter> made_;
    std::uint64_t copied_ = 0;          // lines
    std::size_t source_ = 0;            // whose keys are being added
    quotient::filter::walk at_{};       // where in it
    std::optional<std::uint64_t> room_; // lines for its keys
    bool has_room_ = false;
    bool has_size_ = false;
    std::uint64_t left_ = 0; // bytes of this step
};

/// Replies to the command: at once, after one step or where a client cannot be blocked; by a job otherwise.
int carry_out(const call& now, shaping begun);

} // namespace everbloom::redis
