// Merging a part of a slow filter, and reading its run.
//
// A merge writes beside the old run and changes nothing in memory until all of it is written. Whatever fails before leaves the part as
// it was, and the space that was taken is given back.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>

#include <algorithm>

namespace everbloom {

/// What becomes of a part, until it is in its place.
struct slow_elastic::merged_part {
    explicit merged_part(unsigned record_bits) noexcept : memory(record_bits) {}

    slow_part place;
    part_memory memory;
    std::uint64_t refused = 0;
};

namespace {

/// Writes blocks one behind the other, many at a time.
class block_output {
public:
    block_output(random_access_file& file, std::uint64_t offset, std::span<std::uint64_t> buffer) noexcept
        : file_(file), offset_(offset), buffer_(buffer) {}

    /// The next block, to be filled; then `put`.
    [[nodiscard]] std::span<std::uint64_t, run_block_words> next() noexcept {
        return buffer_.subspan(used_).first<run_block_words>();
    }
    [[nodiscard]] result<void> put() {
        used_ += run_block_words;
        return used_ == buffer_.size() ? write() : result<void>{};
    }
    [[nodiscard]] result<void> write() {
        const auto bytes = std::as_bytes(buffer_.first(used_));
        if (auto written = file_.write(offset_, bytes); !written) return written;
        offset_ += bytes.size();
        used_ = 0;
        return {};
    }

private:
    random_access_file& file_;
    std::uint64_t offset_;
    std::span<std::uint64_t> buffer_;
    std::size_t used_ = 0;
};

/// Sets the patterns of ascending hashes in fresh blocks: those of one block together.
class block_painter {
public:
    block_painter(const record_geometry& geometry, std::uint64_t part, std::uint64_t* words, std::uint64_t blocks,
                  unsigned hashes) noexcept
        : hashing_(geometry.word_bits), geometry_(geometry), part_(part), words_(words), blocks_(blocks),
          hashes_(hashes) {}

    void add(std::uint64_t record) noexcept {
        const std::uint64_t block = reduce(geometry_.place_of(record), blocks_);
        if (block != block_ || count_ == seeds_.size()) paint();
        block_ = block;
        seeds_[count_++] = hashing_.seed_of(geometry_.hash_of(part_, record));
    }
    void add(std::span<const std::uint64_t> records) noexcept {
        for (const std::uint64_t record : records) add(record);
    }
    void paint() noexcept {
        kernel::unite(words_ + block_ * line_words, std::span(seeds_).first(count_), hashes_);
        count_ = 0;
    }

private:
    block_hashing hashing_;
    record_geometry geometry_;
    std::uint64_t part_;
    std::uint64_t* words_;
    std::uint64_t blocks_;
    unsigned hashes_;
    std::uint64_t block_ = 0;
    std::size_t count_ = 0;
    std::array<std::uint64_t, 128> seeds_;
};

} // namespace

unexpected<failure> slow_elastic::damaged_block(std::size_t part, std::uint64_t offset) const {
    if (!is_writable()) {
        const auto now = newest_state();
        if (now && *now && (*now)->sequence != state_.sequence) {
            return fail(failure_reason::busy, "was changed by another program since it was opened; open it again");
        }
    }
    return damaged_slow("the run of part " + std::to_string(part) + " is damaged at byte " + std::to_string(offset) +
                        " of the file");
}

/// Calls `visit(reader)` for the blocks of a run in order, until it returns false.
template <class Visit>
result<void> slow_elastic::read_run(std::size_t part, Visit visit) const {
    const slow_part& place = state_.parts[part];
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, false);
    std::uint64_t keys = 0;
    std::uint64_t last = 0;
    for (std::uint64_t first = 0; first < place.blocks; first += workspace::batch_blocks) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(workspace::batch_blocks, place.blocks - first));
        const std::uint64_t offset = place.run.offset + first * run_block_bytes;
        const auto words = std::span(work_->input).first(count * run_block_words);
        const auto got = file_->read(offset, std::as_writable_bytes(words));
        if (!got) return fail(got.error());
        if (*got != words.size_bytes()) return damaged_block(part, offset + *got);
        for (std::size_t b = 0; b < count; ++b) {
            const auto block =
                std::span<const std::uint64_t>(words).subspan(b * run_block_words).first<run_block_words>();
            run_block_reader& reader = work_->reader;
            if (!is_sealed(block, stamp) || !reader.read(block, identity_.geometry.record_bits()) ||
                (keys != 0 && reader.record(0) <= last)) {
                return damaged_block(part, offset + b * run_block_bytes);
            }
            if (!visit(reader)) [[unlikely]]
                return {};
            keys += reader.records();
            last = reader.all().back();
        }
    }
    if (keys != place.keys) return damaged_block(part, place.run.offset);
    return {};
}

result<void> slow_elastic::write_merged(std::size_t part, merged_part& made) {
    const slow_part& old = state_.parts[part];
    const record_geometry& geometry = identity_.geometry;
    slow_part& place = made.place;
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, false);
    work_->writer = run_block_writer(
        run_block::best_low_bits(geometry.record_bits(), old.keys + parts_[part].updates.insertions()));
    block_output output(*file_, place.run.offset, work_->output);
    block_painter painter(geometry, part, made.memory.words(), made.memory.blocks(),
                          static_cast<unsigned>(place.hashes));
    std::vector<std::uint64_t>& index = made.memory.index;

    // Of the records, and so not results: those would be made and unmade for every one of them.
    result<void> written;
    run_block_writer& writer = work_->writer;
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
    auto cursor = parts_[part].updates.cursor();
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
    auto read = read_run(part, [&](const run_block_reader& reader) {
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

result<void> slow_elastic::merge_part(std::size_t part) {
    if (broken_) return fail(*last_error_);
    const auto failed = [&](result<void> done) {
        last_error_ = done.error();
        return done;
    };
    // Every update of the part is then in a frame before `merged_frames`.
    if (auto written = log_.write(*file_, space_); !written) return failed(std::move(written));
    const record_geometry& geometry = identity_.geometry;
    const slow_part old = state_.parts[part];
    const std::uint64_t most_keys = old.keys + parts_[part].updates.insertions();
    std::uint64_t most_copies = old.most_copies;
    for (auto cursor = parts_[part].updates.cursor(); !cursor.at_end(); cursor.advance()) {
        most_copies = std::max(most_copies, old.most_copies + cursor.updates().added);
    }

    merged_part made(geometry.record_bits());
    made.place.generation = state_.sequence + 1;
    made.place.merged_frames = log_.next_frame();
    made.place.hashes = state_.hashes;
    made.place.line_count = blocks_for(most_keys);
    if (!made.memory.make_blocks(made.place.line_count)) {
        return failed(fail(failure_reason::out_of_memory, "there is not enough memory to merge updates"));
    }
    const std::uint64_t blocks = run_block::blocks_for(geometry.record_bits(), most_keys, most_copies);
    made.memory.index.reserve(blocks);
    replaced_.reserve(replaced_.size() + 2);
    made.place.run = space_.allocate((blocks + index_blocks_for(blocks)) * run_block_bytes);
    made.place.lines = space_.allocate(made.place.line_count * line_bytes);
    const extent whole_run = made.place.run;
    const extent whole_lines = made.place.lines;
    const auto give_back = [&](result<void> done) {
        space_.release(whole_run);
        space_.release(whole_lines);
        last_error_ = done.error();
        return done;
    };
    unsynced_ = true;
    if (auto written = write_merged(part, made); !written) return give_back(std::move(written));
    made.place.run.bytes = (made.place.blocks + index_blocks_for(made.place.blocks)) * run_block_bytes;
    if (made.place.keys == 0) made.place.lines = {};

    // From here on nothing may fail. On disk the part is still the old one, with the log behind it, until the next state is written;
    // several merges share one, because making it durable takes time.
    state_.parts[part] = made.place;
    state_.refused += made.refused;
    replaced_.push_back(old.run);
    replaced_.push_back(old.lines);
    known_keys_ -= most_keys;
    known_keys_ += made.place.keys;
    used_buffer_bytes_ -= parts_[part].updates.memory_bytes();
    made.memory.has_index = true;
    made.memory.merge_at = insertions_until_full(made.place);
    parts_[part] = std::move(made.memory);
    ++merges_;
    last_error_.reset();
    refresh_view();
    const extent rest{whole_run.offset + made.place.run.bytes, whole_run.bytes - made.place.run.bytes};
    try {
        space_.release(rest);
        if (made.place.keys == 0) space_.release(whole_lines);
    } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): found again when the file is opened
    }
    constexpr std::size_t merges_per_state = 8; // until then their old runs take space: an eighth of all, with 64 parts
    return replaced_.size() < 2 * merges_per_state ? result<void>{} : commit();
}

result<void> slow_elastic::merge() {
    return or_out_of_memory([&]() -> result<void> {
        if (!file_ || !is_writable()) return fail(failure_reason::unsupported, "the filter is open for reading only");
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const bool is_due = parts_[i].updates.entries() != 0 || state_.parts[i].hashes != state_.hashes;
            if (!is_due) continue;
            if (auto merged = merge_part(i); !merged) return merged;
        }
        if (auto committed = commit(); !committed) return committed;
        return flush();
    });
}

result<void> slow_elastic::resize(const slow_plan& wanted) {
    return or_out_of_memory([&]() -> result<void> {
        if (!file_ || !is_writable()) return fail(failure_reason::unsupported, "the filter is open for reading only");
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
        state_.hashes = wanted.hashes;
        state_.line_keys = wanted.line_keys;
        state_.capacity = wanted.capacity;
        state_.fpr = wanted.fpr;
        if (auto committed = commit(); !committed) return committed;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (auto merged = merge_part(i); !merged) return merged;
        }
        if (auto committed = commit(); !committed) return committed;
        return flush();
    });
}

result<void> slow_elastic::load_index(std::size_t part) const {
    const part_memory& memory = parts_[part];
    const slow_part& place = state_.parts[part];
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, true);
    std::vector<std::uint64_t> found;
    found.reserve(place.blocks);
    std::uint64_t offset = place.run.offset + place.blocks * run_block_bytes;
    for (; found.size() < place.blocks; offset += run_block_bytes) {
        const auto block = std::span(work_->input).first<run_block_words>();
        const auto got = file_->read(offset, std::as_writable_bytes(block));
        if (!got) return fail(got.error());
        if (*got != block.size_bytes() || !is_sealed(block, stamp)) return damaged_block(part, offset);
        const auto count =
            static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(index_entries, place.blocks - found.size()));
        found.insert(found.end(), block.begin() + 2, block.begin() + 2 + count);
    }
    if (!std::is_sorted(found.begin(), found.end())) return damaged_block(part, offset);
    memory.index = std::move(found);
    memory.has_index = true;
    return {};
}

result<std::uint64_t> slow_elastic::stored_count(std::uint64_t hash) const {
    const auto part = static_cast<std::size_t>(identity_.geometry.part_of(hash));
    const std::uint64_t record = identity_.geometry.record_of(hash);
    const slow_part& place = state_.parts[part];
    if (place.blocks == 0) return std::uint64_t{0};
    if (!file_) return fail(failure_reason::unsupported, "the filter is closed");
    const part_memory& memory = parts_[part];
    if (!memory.has_index) {
        if (auto loaded = load_index(part); !loaded) return fail(std::move(loaded.error()));
    }
    const auto behind = std::upper_bound(memory.index.begin(), memory.index.end(), record);
    if (behind == memory.index.begin()) return std::uint64_t{0};
    const auto block_number = static_cast<std::uint64_t>(behind - memory.index.begin()) - 1;
    const std::uint64_t offset = place.run.offset + block_number * run_block_bytes;
    const auto block = std::span(work_->input).first<run_block_words>();
    const auto got = file_->read(offset, std::as_writable_bytes(block));
    if (!got) return fail(got.error());
    run_block_reader& reader = work_->reader;
    if (*got != block.size_bytes() || !is_sealed(block, run_stamp(identity_.number, part, place.generation, false)) ||
        !reader.read(block, identity_.geometry.record_bits())) {
        return damaged_block(part, offset);
    }
    for (std::size_t low = 0, high = reader.records(); low < high;) {
        const std::size_t middle = (low + high) / 2;
        if (reader.record(middle) == record) return reader.copies(middle);
        reader.record(middle) < record ? low = middle + 1 : high = middle;
    }
    return std::uint64_t{0};
}

result<void> slow_elastic::for_each(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
    return or_out_of_memory([&]() -> result<void> {
        if (!file_) return fail(failure_reason::unsupported, "the filter is closed");
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            auto cursor = parts_[part].updates.cursor();
            const auto show = [&](std::uint64_t record, std::uint64_t copies) {
                if (copies != 0) visit(identity_.geometry.hash_of(part, record), copies);
            };
            const auto show_updates_before = [&](std::uint64_t bound) {
                for (; !cursor.at_end() && cursor.record() < bound; cursor.advance()) {
                    show(cursor.record(), cursor.updates().applied_to(0));
                }
            };
            auto read = read_run(part, [&](const run_block_reader& reader) {
                for (std::size_t i = 0; i < reader.records(); ++i) {
                    const std::uint64_t record = reader.record(i);
                    show_updates_before(record);
                    const bool has_updates = !cursor.at_end() && cursor.record() == record;
                    show(record, has_updates ? cursor.updates().applied_to(reader.copies(i)) : reader.copies(i));
                    if (has_updates) cursor.advance();
                }
                return true;
            });
            if (!read) return read;
            show_updates_before(~std::uint64_t{0});
        }
        return {};
    });
}

result<void> slow_elastic::verify() const {
    return or_out_of_memory([&]() -> result<void> {
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            if (auto found = load_index(part); !found) return found;
        }
        bool covered = true;
        auto read = for_each([&](std::uint64_t hash, std::uint64_t) {
            covered = covered && may_contain(digest{hash, 0});
        });
        if (!read) return read;
        if (!covered) return damaged_slow("the bits do not match the stored hashes");
        return {};
    });
}

} // namespace everbloom
