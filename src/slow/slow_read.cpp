// Reading what is in the file of a slow filter: the number of a key, all keys, whether everything is right.
#include "slow_runs.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_blocks.hpp>
#include <everbloom/filter/elastic/shared_access.hpp>

#include <algorithm>

namespace everbloom {

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

result<void> slow_elastic::load_index(std::size_t part, workspace& work) const {
    const part_memory& memory = parts_[part];
    const slow_part& place = state_.parts[part];
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, true);
    std::vector<std::uint64_t> found;
    found.reserve(place.blocks);
    std::uint64_t offset = place.run.offset + place.blocks * run_block_bytes;
    for (; found.size() < place.blocks; offset += run_block_bytes) {
        const auto block = std::span(work.input).first<run_block_words>();
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
    const borrowed_workspace borrowed(*this);
    workspace& work = *borrowed;
    if (!memory.has_index) {
        if (auto loaded = load_index(part, work); !loaded) return fail(std::move(loaded.error()));
    }
    const auto behind = std::upper_bound(memory.index.begin(), memory.index.end(), record);
    if (behind == memory.index.begin()) return std::uint64_t{0};
    const auto block_number = static_cast<std::uint64_t>(behind - memory.index.begin()) - 1;
    const std::uint64_t offset = place.run.offset + block_number * run_block_bytes;
    const auto block = std::span(work.input).first<run_block_words>();
    const auto got = file_->read(offset, std::as_writable_bytes(block));
    if (!got) return fail(got.error());
    run_block_reader& reader = work.reader;
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
        const borrowed_workspace borrowed(*this);
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
            auto read = read_run(part, *borrowed, [&](const run_block_reader& reader) {
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

/// The blocks of the index, those with records, and whether every key has its bits. Updates go on meanwhile, merges of the part do not.
result<void> slow_elastic::verify_part(std::size_t part) const {
    const lock merging = lock_merging(part);
    if (sharing_ && sharing_->closing) return fail(failure_reason::unsupported, "the filter is closed");
    const borrowed_workspace borrowed(*this);
    const part_memory& memory = parts_[part];
    const record_geometry& geometry = identity_.geometry;
    const slow_block_view::part_blocks blocks = view_parts_[part];
    const auto hashes = static_cast<unsigned>(state_.parts[part].hashes);
    bool covered = true;
    const auto look_for = [&](std::uint64_t record) {
        const std::uint64_t* const block = blocks.words + reduce(geometry.place_of(record), blocks.blocks) * line_words;
        covered = covered && shared_access::contains(block, view_.seed_of(geometry.hash_of(part, record)), hashes);
    };
    {
        const lock changing = lock_part(part);
        if (auto found = load_index(part, *borrowed); !found) return found;
    }
    // A bit that a key of the run needs is cleared by merges only.
    auto read = read_run(part, *borrowed, [&](const run_block_reader& reader) {
        for (const std::uint64_t record : reader.all()) look_for(record);
        return true;
    });
    if (!read) return read;
    const lock changing = lock_part(part);
    for (const update_buffer* buffer : {&memory.frozen, &memory.updates}) {
        for (auto cursor = buffer->cursor(); !cursor.at_end(); cursor.advance()) {
            if (cursor.updates().added != 0) look_for(cursor.record());
        }
    }
    if (!covered) return damaged_slow("the bits do not match the stored hashes");
    return {};
}

result<void> slow_elastic::verify() const {
    return or_out_of_memory([&]() -> result<void> {
        if (!sharing_ && !file_) return fail(failure_reason::unsupported, "the filter is closed");
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            if (auto right = verify_part(part); !right) return right;
        }
        return {};
    });
}

} // namespace everbloom
