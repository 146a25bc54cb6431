// Making a slow filter durable: frames of the log, states, and the end of it all.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>

namespace everbloom {

slow_elastic::lock slow_elastic::lock_merging(std::size_t part) const {
    return sharing_ ? lock(sharing_->parts[part].merging) : lock();
}
slow_elastic::lock slow_elastic::lock_part(std::size_t part) const {
    return sharing_ ? lock_brief(sharing_->parts[part].changing) : lock();
}
slow_elastic::lock slow_elastic::lock_state() const { return sharing_ ? lock(sharing_->state) : lock(); }
slow_elastic::lock slow_elastic::lock_log() const { return sharing_ ? lock_brief(sharing_->log) : lock(); }

/// Whether the file can be used. Under the lock of the log.
result<void> slow_elastic::check_open() const {
    if (!file_) return fail(failure_reason::unsupported, "the filter is closed");
    if (broken_) return fail(*last_error_);
    return {};
}

result<void> slow_elastic::check_writable() const {
    const lock alone = lock_log();
    if (!file_) return fail(failure_reason::unsupported, "the filter is closed");
    if (!is_writable()) return fail(failure_reason::unsupported, "the filter is open for reading only");
    return {};
}

/// After a failure that leaves the file in an unknown state.
result<void> slow_elastic::broken(result<void> done) {
    if (done) return done;
    broken_ = true;
    done.error().sentence += "; no more updates are accepted, open the filter again";
    last_error_ = done.error();
    return done;
}

/// Writes the frame that updates are collected in. Under the lock of the log.
result<void> slow_elastic::write_frame() {
    if (auto open = check_open(); !open) return open;
    if (log_.has_unwritten()) unsynced_ = true;
    auto written = log_.write(*file_, space_);
    if (!written) last_error_ = written.error();
    return written;
}

/// A key that is added and removed again and again fills no buffer, but the log.
bool slow_elastic::is_log_long() const noexcept {
    return log_.bytes() > std::max<std::uint64_t>(64 * update_log::segment_bytes, 4 * buffer_bytes());
}

std::size_t slow_elastic::oldest_part() const noexcept {
    const auto oldest = std::min_element(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) {
        return a.oldest_pending_frame() < b.oldest_pending_frame();
    });
    return static_cast<std::size_t>(oldest - parts_.begin());
}

result<void> slow_elastic::write_log() {
    std::size_t oldest = 0;
    {
        const lock alone = lock_log();
        if (auto written = write_frame(); !written) return written;
        if (!is_log_long()) return {};
        oldest = oldest_part();
    }
    (void)merge_part(oldest); // tried again with the next frame
    return {};
}

/// Under the lock of the state.
result<void> slow_elastic::sync() {
    {
        const lock alone = lock_log();
        unsynced_ = false; // what is written from now on needs another one
    }
    auto done = file_->sync();
    const lock alone = lock_log();
    if (auto synced = broken(std::move(done)); !synced) return synced;
    for (const extent& one : retired_) give_back(one);
    retired_.clear();
    return {};
}

/// Makes everything durable, then writes the state, which is durable after the next sync. Nothing, if fewer extents than that wait for it.
result<void> slow_elastic::commit(std::size_t least_replaced) {
    const lock one_state_at_a_time = lock_state();
    slow_state next;
    std::vector<std::byte> bytes;
    std::vector<extent> leaving; // replaced by what this state refers to; others may be replaced meanwhile
    {
        const lock alone = lock_log();
        if (auto open = check_open(); !open) return open;
        if (replaced_.size() < least_replaced) return {};
        std::uint64_t needed = log_.next_frame();
        for (const part_memory& part : parts_) needed = std::min(needed, part.oldest_pending_frame());
        next = state_;
        ++next.sequence;
        next.durable_frames = log_.next_frame();
        for (const update_log::position& segment : log_.segments()) {
            if (segment.frame > needed) break;
            next.log_offset = segment.offset;
            next.first_frame = segment.frame;
        }
        bytes = slow_layout::state(identity_, next);
        leaving.reserve(replaced_.size() + log_.segments().size());
        leaving.assign(replaced_.begin(), replaced_.end());
        replaced_.clear(); // and keeps its memory, for merges that are under way
    }
    if (auto synced = sync(); !synced) return synced;
    {
        const lock alone = lock_log();
        unsynced_ = true;
    }
    auto written = file_->write(slow_layout::state_offset(next.sequence % 2, bytes.size()), bytes);
    const lock alone = lock_log();
    if (auto done = broken(std::move(written)); !done) return done;
    state_.sequence = next.sequence;
    state_.durable_frames = next.durable_frames;
    state_.log_offset = next.log_offset;
    state_.first_frame = next.first_frame;
    log_.forget_before(state_.first_frame, leaving);
    retired_ = std::move(leaving); // empty since the sync
    return {};
}

result<void> slow_elastic::flush() {
    return or_out_of_memory([&]() -> result<void> {
        {
            const lock alone = lock_log();
            if (!file_ || !is_writable()) return {};
            if (broken_) return fail(*last_error_);
            refusals_before_retry_ = 0;
        }
        if (auto written = write_log(); !written) return written;
        // A sync of another thread may be under way, with what this one has written in it.
        const lock one_sync_at_a_time = lock_state();
        bool needs_sync = false;
        {
            const lock alone = lock_log();
            if (auto open = check_open(); !open) return open; // broken by a merge on the way, or closed
            needs_sync = unsynced_;
        }
        if (needs_sync) {
            if (auto synced = sync(); !synced) return synced;
        }
        return file_->check_name();
    });
}

result<void> slow_elastic::close() {
    return or_out_of_memory([&]() -> result<void> {
        bool is_open = false;
        {
            const lock alone = lock_log();
            is_open = file_ && is_writable();
        }
        if (!is_open) return {};
        auto done = flush();
        bool needs_state = false;
        {
            const lock alone = lock_log();
            needs_state = log_.next_frame() != state_.durable_frames || !replaced_.empty();
        }
        // With a state that knows where the log ends, damage of the log is not taken for its end.
        if (done && needs_state) {
            done = commit();
            const lock one_sync_at_a_time = lock_state();
            if (done) done = sync();
        }
        if (!done) return done;
        const lock last_state = lock_state();
        const lock alone = lock_log();
        const auto bytes = file_->bytes();
        if (bytes && *bytes > space_.end()) (void)file_->shorten(space_.end());
        // The state that refers to nothing there is durable.
        space_.for_each_hole([&](const extent& hole) { file_->discard(hole.offset, hole.bytes); });
        file_.reset();
        return done;
    });
}

result<void> slow_elastic::attach(std::span<const std::byte> bytes) {
    return or_out_of_memory([&]() -> result<void> {
        if (auto writable = check_writable(); !writable) return writable;
        if (bytes.size() > slow_layout::most_attached) {
            return fail(failure_reason::bad_parameter, "a slow filter keeps an attachment of at most " +
                                                           std::to_string(slow_layout::most_attached) + " bytes");
        }
        if (std::equal(bytes.begin(), bytes.end(), state_.attached.begin(), state_.attached.end())) return {};
        std::vector<std::byte> kept(bytes.begin(), bytes.end());
        if (auto written = write_log(); !written) return written;
        state_.attached = std::move(kept);
        return commit();
    });
}

} // namespace everbloom
