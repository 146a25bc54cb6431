// Merging a part of a slow filter.
//
// A merge writes beside the old run and changes nothing in memory until all of it is written. Whatever fails before leaves the part as
// it was, and the space that was taken is given back. The updates that it merges are set aside (frozen) before it begins: if threads
// share the filter, others go on updating the part meanwhile.
#include "run_output.hpp"
#include "slow_runs.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>

namespace everbloom {

/// What becomes of a part, until it is in its place.
struct slow_elastic::merged_part {
    explicit merged_part(unsigned record_bits) noexcept : memory(record_bits) {}

    slow_part place;
    part_memory memory;
    std::uint64_t refused = 0;
    std::uint64_t most_keys = 0; // that the part can have afterwards
    extent whole_run;            // as much as it may need at most
    extent whole_lines;
    std::unique_ptr<sharing::description> seen; // what queries will see; if threads share the filter
};

result<void> slow_elastic::write_merged(std::size_t part, merged_part& made) {
    const record_geometry& geometry = identity_.geometry;
    slow_part& place = made.place;
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, false);
    const borrowed_workspace borrowed(*this);
    workspace& work = *borrowed;
    work.writer = run_block_writer(run_block::best_low_bits(geometry.record_bits(), made.most_keys));
    block_output output(*file_, place.run.offset, work.output);
    block_painter painter(geometry, part, made.memory.words(), made.memory.blocks(),
                          static_cast<unsigned>(place.hashes));
    std::vector<std::uint64_t>& index = made.memory.index;

    // Of the records, and so not results: those would be made and unmade for every one of them.
    result<void> written;
    run_block_writer& writer = work.writer;
    const auto take_block = [&] {
        index.push_back(writer.first());
        const auto block = output.next();
        writer.take(block);
        seal_block(block, stamp);
        written = output.put();
        return written.has_value();
    };
    std::uint64_t keys = 0;
    std::uint64_t all_copies = 0;
    std::uint64_t most_copies = 0;
    const auto put = [&](std::uint64_t record, std::uint64_t copies) {
        if (copies == 0) return true;
        ++keys;
        all_copies += copies;
        most_copies = std::max(most_copies, copies);
        painter.add(record);
        if (writer.add(record, copies)) [[likely]]
            return true;
        return take_block() && writer.add(record, copies);
    };
    const auto put_singles = [&](std::span<const std::uint64_t> records) {
        keys += records.size();
        all_copies += records.size();
        most_copies = std::max<std::uint64_t>(most_copies, 1);
        painter.add(records);
        while (true) {
            records = records.subspan(writer.add_singles(records));
            if (records.empty()) return true;
            if (!take_block()) return false;
        }
    };

    // Both are sorted. The buffer is read by a cursor of its own.
    auto cursor = parts_[part].frozen.cursor();
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t next_update = cursor.at_end() ? none : cursor.record();
    const auto advance = [&] {
        cursor.advance();
        next_update = cursor.at_end() ? none : cursor.record();
    };
    const auto put_updates_before = [&](std::uint64_t bound) {
        for (; next_update < bound; advance()) {
            const pending_updates updates = cursor.updates();
            made.refused += updates.refused_of(0);
            if (!put(next_update, updates.applied_to(0))) return false;
        }
        return true;
    };
    const auto put_updated = [&](std::uint64_t record, std::uint64_t copies) {
        const pending_updates updates = cursor.updates();
        advance();
        made.refused += updates.refused_of(copies);
        return put(record, updates.applied_to(copies));
    };
    auto read = read_run(part, work, [&](const run_block_reader& reader) {
        const std::span<const std::uint64_t> records = reader.all();
        for (std::size_t i = 0; i < records.size();) {
            // Most records have no updates; those up to the next update are taken at once.
            std::size_t end = i;
            while (end < records.size() && records[end] < next_update) ++end;
            if (reader.are_single()) {
                if (end != i && !put_singles(records.subspan(i, end - i))) return false;
            } else {
                for (std::size_t j = i; j < end; ++j) {
                    if (!put(records[j], reader.copies(j))) return false;
                }
            }
            i = end;
            if (i == records.size()) break;
            if (!put_updates_before(records[i])) return false;
            if (next_update != records[i]) continue;
            if (!put_updated(records[i], reader.copies(i))) return false;
            ++i;
        }
        return true;
    });
    if (!read) return read;
    if (!written || !put_updates_before(none) || (writer.records() != 0 && !take_block())) return written;
    painter.paint();
    place.keys = keys;
    place.copies = all_copies;
    place.most_copies = most_copies;

    place.blocks = index.size();
    const std::uint64_t index_stamp = run_stamp(identity_.number, part, place.generation, true);
    for (std::size_t first = 0; first < index.size(); first += index_entries) {
        const std::size_t count = std::min(index_entries, index.size() - first);
        const auto block = output.next();
        std::fill(block.begin(), block.end(), 0);
        std::copy_n(index.begin() + static_cast<std::ptrdiff_t>(first), count, block.begin() + 2);
        seal_block(block, index_stamp);
        if (auto put_done = output.put(); !put_done) return put_done;
    }
    if (written = output.write(); !written) return written;
    if (place.keys == 0) return {};
    place.lines_checksum = checksum(made.memory.words(), made.memory.bytes().size());
    return file_->write(place.lines.offset, made.memory.bytes());
}

/// Sets the updates of a part aside. Every one of them is then in a frame before `merged_frames`.
result<void> slow_elastic::freeze(std::size_t part) {
    part_memory& memory = parts_[part];
    const lock changing = lock_part(part);
    const lock alone = lock_log();
    if (auto written = write_frame(); !written) return written;
    std::swap(memory.frozen, memory.updates); // with one that is empty
    memory.frozen_frame = std::exchange(memory.oldest_frame, part_memory::no_frame);
    memory.merged_frames = log_.next_frame();
    memory.counted_bytes = 0;
    return {};
}

/// After a merge that failed. If other threads went on meanwhile, the updates stay aside, and the next merge takes them first.
void slow_elastic::thaw(std::size_t part) noexcept {
    part_memory& memory = parts_[part];
    const lock changing = lock_part(part);
    const lock alone = lock_log();
    used_buffer_bytes_ += memory.frozen.memory_bytes();
    --merging_parts_;
    if (memory.updates.entries() != 0) return;
    std::swap(memory.frozen, memory.updates);
    memory.oldest_frame = std::exchange(memory.frozen_frame, part_memory::no_frame);
    memory.counted_bytes = memory.updates.memory_bytes();
}

void slow_elastic::give_back(const extent& unused) noexcept {
    try {
        space_.release(unused);
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): found again when the file is opened
    }
}

/// Memory and space for what becomes of a part.
result<void> slow_elastic::prepare_merge(std::size_t part, merged_part& made) {
    const record_geometry& geometry = identity_.geometry;
    const part_memory& memory = parts_[part];
    const slow_part& old = state_.parts[part];
    std::uint64_t most_copies = old.most_copies;
    for (auto cursor = memory.frozen.cursor(); !cursor.at_end(); cursor.advance()) {
        most_copies = std::max(most_copies, old.most_copies + cursor.updates().added);
    }
    made.place.merged_frames = memory.merged_frames;
    {
        const lock alone = lock_log();
        made.place.generation = state_.sequence + 1;
        made.place.hashes = state_.hashes;
        made.place.line_count = blocks_for(made.most_keys);
    }
    if (!made.memory.make_blocks(made.place.line_count)) {
        return fail(failure_reason::out_of_memory, "there is not enough memory to merge updates");
    }
    made.memory.provide_blocks();
    if (sharing_) {
        made.seen = std::make_unique<sharing::description>(
            sharing::description{made.memory.words(), made.memory.blocks(), static_cast<unsigned>(made.place.hashes)});
    }
    const std::uint64_t blocks = run_block::blocks_for(geometry.record_bits(), made.most_keys, most_copies);
    made.memory.index.reserve(blocks);
    const lock alone = lock_log();
    replaced_.reserve(replaced_.size() + 2 * merging_parts_);
    made.place.run = made.whole_run = space_.allocate((blocks + index_blocks_for(blocks)) * run_block_bytes);
    made.place.lines = made.whole_lines = space_.allocate(made.place.line_count * line_bytes);
    unsynced_ = true;
    return {};
}

/// Puts a merged part in its place. On disk it is still the old one, with the log behind it, until the next state is written; several
/// merges share one, because making it durable takes time.
void slow_elastic::install(std::size_t part, merged_part& made) noexcept {
    part_memory& memory = parts_[part];
    slow_part& place = state_.parts[part];
    const lock changing = lock_part(part);
    // The bits of updates that came meanwhile.
    if (memory.updates.entries() != 0) {
        const slow_block_view::part_blocks blocks{made.memory.words(), made.memory.blocks()};
        for (auto cursor = memory.updates.cursor(); !cursor.at_end(); cursor.advance()) {
            if (cursor.updates().added == 0) continue;
            const std::uint64_t record = cursor.record();
            std::uint64_t* const block =
                made.memory.words() + reduce(identity_.geometry.place_of(record), blocks.blocks) * line_words;
            kernel::insert(block, view_.seed_of(identity_.geometry.hash_of(part, record)),
                           static_cast<unsigned>(made.place.hashes));
        }
    }
    const lock alone = lock_log();
    replaced_.push_back(place.run);
    replaced_.push_back(place.lines);
    --merging_parts_;
    place = made.place;
    state_.refused += made.refused;
    known_keys_ -= made.most_keys;
    known_keys_ += made.place.keys;
    memory.exchange_blocks(made.memory);
    memory.has_index = true;
    memory.frozen.clear();
    memory.frozen_frame = part_memory::no_frame;
    memory.merge_at = insertions_until_full(made.place);
    ++merges_;
    last_error_.reset();
    if (sharing_) {
        view_parts_[part] = {memory.words(), memory.blocks()};
        made.seen = sharing_->parts[part].publish(std::move(made.seen));
    } else {
        refresh_view();
    }
    give_back({made.whole_run.offset + made.place.run.bytes, made.whole_run.bytes - made.place.run.bytes});
    if (made.place.keys == 0) give_back(made.whole_lines);
}

result<void> slow_elastic::merge_frozen(std::size_t part) {
    merged_part made(identity_.geometry.record_bits());
    {
        const lock alone = lock_log();
        ++merging_parts_;
        used_buffer_bytes_ -= parts_[part].frozen.memory_bytes();
        made.most_keys = state_.parts[part].keys + parts_[part].frozen.insertions();
    }
    auto written = or_out_of_memory([&]() -> result<void> {
        if (auto prepared = prepare_merge(part, made); !prepared) return prepared;
        return write_merged(part, made);
    });
    if (!written) {
        thaw(part);
        const lock alone = lock_log();
        give_back(made.whole_run);
        give_back(made.whole_lines);
        last_error_ = written.error();
        return written;
    }
    made.place.run.bytes = (made.place.blocks + index_blocks_for(made.place.blocks)) * run_block_bytes;
    if (made.place.keys == 0) made.place.lines = {};
    install(part, made); // from here on nothing may fail
    if (sharing_) sharing_->readers.retire({std::move(made.seen), made.memory.take_words()});
    return {};
}

result<void> slow_elastic::merge_part(std::size_t part) { return merge_part(part, lock_merging(part)); }

result<void> slow_elastic::merge_part(std::size_t part, lock merging) {
    if (sharing_ && sharing_->closing) return fail(failure_reason::unsupported, "the filter is closed");
    {
        const lock alone = lock_log();
        if (auto open = check_open(); !open) return open;
    }
    if (parts_[part].frozen.entries() != 0) {
        if (auto merged = merge_frozen(part); !merged) return merged;
    }
    if (auto frozen = freeze(part); !frozen) return frozen;
    if (auto merged = merge_frozen(part); !merged) return merged;
    if (merging) merging.unlock();
    // Until then their old runs take space: an eighth of all, at most. Plans have eight parts or more.
    const std::uint64_t parts = identity_.geometry.parts();
    const std::size_t merges_per_state =
        parts < 8 ? 8 : static_cast<std::size_t>(std::min<std::uint64_t>(parts / 8, 8));
    return commit(2 * merges_per_state);
}

result<void> slow_elastic::merge() {
    return or_out_of_memory([&]() -> result<void> {
        if (auto writable = check_writable(); !writable) return writable;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            bool is_due = false;
            {
                const lock changing = lock_part(i);
                const lock alone = lock_log();
                is_due = parts_[i].oldest_pending_frame() != part_memory::no_frame ||
                         state_.parts[i].hashes != state_.hashes;
            }
            if (!is_due) continue;
            if (auto merged = merge_part(i); !merged) return merged;
        }
        if (auto committed = commit(); !committed) return committed;
        return flush();
    });
}

result<void> slow_elastic::resize(const slow_plan& wanted) {
    return or_out_of_memory([&]() -> result<void> {
        if (auto writable = check_writable(); !writable) return writable;
        if (auto checked = check(workload{wanted.capacity, wanted.fpr}); !checked) return checked;
        if (wanted.hashes < 1 || wanted.hashes > kernel::max_line_hashes || wanted.line_keys < 1'000'000 ||
            wanted.line_keys > 500'000'000) {
            return fail(failure_reason::bad_parameter, "hashes must be 1 to 16, and line_keys 1 to 500");
        }
        if (wanted.capacity > identity_.geometry.most_keys()) {
            return fail(failure_reason::bad_parameter,
                        "a filter that stores " + std::to_string(identity_.geometry.word_bits) +
                            " bits of each hash holds " + std::to_string(identity_.geometry.most_keys()) +
                            " keys at most; make a new one for more");
        }
        if (auto written = write_log(); !written) return written;
        {
            const lock alone = lock_log();
            state_.hashes = wanted.hashes;
            state_.line_keys = wanted.line_keys;
            state_.capacity = wanted.capacity;
            state_.fpr = wanted.fpr;
            sized_for_ = wanted.capacity;
        }
        if (auto committed = commit(); !committed) return committed;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (auto merged = merge_part(i); !merged) return merged;
        }
        if (auto committed = commit(); !committed) return committed;
        return flush();
    });
}

} // namespace everbloom
