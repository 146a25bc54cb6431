// Creating and opening a slow filter.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>

namespace everbloom {
namespace {

[[nodiscard]] result<std::uint64_t> random_number() {
    const auto random = hash_key::random();
    if (!random) return fail(random.error());
    return random->seed();
}

[[nodiscard]] result<void> check_plan(const slow_plan& plan) {
    if (!plan.identity.geometry.is_valid()) {
        return fail(failure_reason::bad_parameter, "word_bits must be 24 to 56, and part_bits 1 to 8");
    }
    if (plan.hashes < 1 || plan.hashes > kernel::max_line_hashes || plan.line_keys < 1'000'000 ||
        plan.line_keys > 500'000'000) {
        return fail(failure_reason::bad_parameter, "hashes must be 1 to 16, and line_keys 1 to 500");
    }
    return check(workload{plan.capacity, plan.fpr});
}

} // namespace

result<slow_elastic> slow_elastic::create(std::unique_ptr<random_access_file> file, const slow_plan& plan,
                                          std::uint64_t buffer_bytes) {
    return or_out_of_memory([&]() -> result<slow_elastic> {
        if (auto checked = check_plan(plan); !checked) return fail(std::move(checked.error()));
        slow_elastic made;
        made.identity_ = plan.identity;
        if (made.identity_.number == 0) {
            const auto number = random_number();
            if (!number) return fail(number.error());
            made.identity_.number = *number;
        }
        const record_geometry& geometry = made.identity_.geometry;
        made.access_ = slow_access::write;
        made.given_buffer_bytes_ = buffer_bytes;
        made.sized_for_ = plan.capacity;
        made.merge_at_bytes_ = made.buffer_bytes();
        made.work_ = std::make_unique<workspace>();
        (void)made.space_.claim({0, slow_layout::first_extent(geometry)});
        slow_state& state = made.state_;
        state.epoch = 1;
        state.log_offset = made.space_.allocate(update_log::segment_bytes).offset;
        state.hashes = plan.hashes;
        state.line_keys = plan.line_keys;
        state.capacity = plan.capacity;
        state.fpr = plan.fpr;
        const std::uint64_t blocks = made.blocks_for(0);
        slow_part empty;
        empty.line_count = blocks;
        empty.hashes = plan.hashes;
        state.parts.assign(geometry.parts(), empty);
        made.view_parts_.resize(geometry.parts());
        for (std::size_t i = 0; i < geometry.parts(); ++i) {
            made.parts_.emplace_back(geometry.record_bits());
            if (auto loaded = made.load_blocks(i); !loaded) return fail(std::move(loaded.error()));
        }
        made.refresh_view();
        made.log_ = update_log(made.identity_.number, state.epoch);
        made.log_.begin({state.log_offset, 0});

        const auto header = slow_layout::header(made.identity_);
        if (auto written = file->write(0, header); !written) return fail(std::move(written.error()));
        const auto first = slow_layout::state(made.identity_, state);
        for (std::uint64_t slot = 0; slot < 2; ++slot) { // both, so that the file has its length
            if (auto written = file->write(slow_layout::state_offset(slot, first.size()), first); !written) {
                return fail(std::move(written.error()));
            }
        }
        if (auto synced = file->sync(); !synced) return fail(std::move(synced.error()));
        made.file_ = std::move(file);
        return made;
    });
}

result<slow_elastic> slow_elastic::open(std::unique_ptr<random_access_file> file, slow_access how,
                                        std::uint64_t buffer_bytes) {
    return or_out_of_memory([&]() -> result<slow_elastic> {
        std::vector<std::byte> header(slow_layout::header_bytes);
        const auto got = file->read(0, header);
        if (!got) return fail(got.error());
        const auto identity = slow_layout::parse_header(std::span<const std::byte>(header).first(*got));
        if (!identity) return fail(identity.error());
        // A writer beside a reader may use a place again that the reader is about to read: then there is a newer state.
        constexpr int attempts = 20;
        for (int attempt = 1;; ++attempt) {
            slow_elastic made;
            made.identity_ = *identity;
            made.access_ = slow_access::read; // until all is well: nothing is written when it is destroyed
            made.given_buffer_bytes_ = buffer_bytes;
            made.file_ = std::move(file);
            auto loaded = made.load();
            if (how == slow_access::read) {
                const auto now = made.newest_state();
                const bool changed = now && *now && (*now)->sequence != made.state_.sequence;
                if (changed && attempt < attempts) {
                    file = std::move(made.file_);
                    continue;
                }
                if (changed) {
                    return fail(failure_reason::busy,
                                "is being changed by another program faster than it can be read; try again later");
                }
            }
            if (!loaded) return fail(std::move(loaded.error()));
            if (how == slow_access::read) return made;
            // What a crash has left behind the log must not be taken for later frames: those get a higher epoch. It is durable before
            // the first of them is written, so that no two openings have the same.
            if (++made.state_.epoch >> 32 != 0) return damaged_slow("its epoch is at the end of its range");
            if (auto committed = made.commit(); !committed) return fail(std::move(committed.error()));
            if (auto synced = made.sync(); !synced) return fail(std::move(synced.error()));
            made.access_ = slow_access::write;
            made.log_.set_epoch(made.state_.epoch);
            return made;
        }
    });
}

result<std::optional<slow_state>> slow_elastic::newest_state() const {
    const std::uint64_t bytes = slow_layout::state_bytes(identity_.geometry);
    std::optional<slow_state> newest;
    std::vector<std::byte> buffer(bytes);
    for (std::uint64_t slot = 0; slot < 2; ++slot) {
        const auto got = file_->read(slow_layout::state_offset(slot, bytes), buffer);
        if (!got) return fail(got.error());
        auto found = slow_layout::parse_state(identity_, std::span<const std::byte>(buffer).first(*got));
        if (found && (!newest || found->sequence > newest->sequence)) newest = std::move(found);
    }
    return newest;
}

result<void> slow_elastic::claim_extents() {
    const auto bytes = file_->bytes();
    if (!bytes) return fail(bytes.error());
    bool disjoint = space_.claim({0, slow_layout::first_extent(identity_.geometry)});
    for (const slow_part& part : state_.parts) {
        for (const extent& one : {part.run, part.lines}) {
            // Of the last unit of the lines only what is used must be there.
            const std::uint64_t used = one == part.lines ? part.line_count * line_bytes : one.bytes;
            if (one.bytes != 0 && (!checked_add(one.offset, one.bytes) || one.offset + used > *bytes)) {
                return damaged_slow("the file is truncated: it has " + std::to_string(*bytes) +
                                    " bytes, and a part of it ends at byte " + std::to_string(one.offset + used));
            }
            disjoint = disjoint && space_.claim(one);
        }
        if (part.blocks != 0 && part.run.bytes != (part.blocks + index_blocks_for(part.blocks)) * run_block_bytes) {
            return damaged_slow("the length of a run does not fit its number of blocks");
        }
    }
    if (!disjoint) return damaged_slow("parts of the file overlap");
    return {};
}

result<void> slow_elastic::load_blocks(std::size_t index) {
    const slow_part& part = state_.parts[index];
    part_memory& memory = parts_[index];
    if (!memory.make_blocks(part.line_count)) {
        return fail(failure_reason::out_of_memory, "there is not enough memory for the bits that queries read");
    }
    memory.merge_at = insertions_until_full(part);
    known_keys_ += part.keys;
    if (part.keys == 0) return {};
    const auto got = file_->read(part.lines.offset, memory.bytes());
    if (!got) return fail(got.error());
    if (*got != memory.bytes().size()) return damaged_slow("the file is truncated");
    if (checksum(memory.words(), memory.bytes().size()) != part.lines_checksum) {
        return damaged_slow("the blocks of part " + std::to_string(index) +
                            " are damaged (checksum mismatch) between bytes " + std::to_string(part.lines.offset) +
                            " and " + std::to_string(part.lines.end() - 1) + " of the file");
    }
    return {};
}

result<void> slow_elastic::load() {
    const record_geometry& geometry = identity_.geometry;
    auto newest = newest_state();
    if (!newest) return fail(std::move(newest.error()));
    if (!*newest) return damaged_slow("the file has no intact state: it is truncated or damaged near its start");
    state_ = std::move(**newest);
    sized_for_ = state_.capacity;
    work_ = std::make_unique<workspace>();
    if (auto claimed = claim_extents(); !claimed) return claimed;
    view_parts_.resize(geometry.parts());
    for (std::size_t i = 0; i < geometry.parts(); ++i) {
        parts_.emplace_back(geometry.record_bits());
        if (auto loaded = load_blocks(i); !loaded) return loaded;
    }
    merge_at_bytes_ = buffer_bytes();
    refresh_view();

    const std::uint64_t unused = ~(stored_mask(geometry.word_bits) | 1);
    log_ = update_log(identity_.number, state_.epoch);
    auto replayed = log_.replay(*file_, {state_.log_offset, state_.first_frame},
                                [&](std::uint64_t frame, std::span<const std::uint64_t> entries) -> result<void> {
                                    for (const std::uint64_t entry : entries) {
                                        if ((entry & unused) != 0)
                                            return damaged_slow("the log has an entry that is no update");
                                        const bool is_erase = (entry & 1) != 0;
                                        const std::uint64_t hash = entry & ~std::uint64_t{1};
                                        const auto part = static_cast<std::size_t>(geometry.part_of(hash));
                                        if (frame < state_.parts[part].merged_frames) continue;
                                        update_buffer& updates = parts_[part].updates;
                                        const std::uint64_t before = updates.memory_bytes();
                                        const std::uint64_t inserted_before = updates.insertions();
                                        if (updates.entries() == 0) parts_[part].oldest_frame = frame;
                                        const std::uint64_t record = geometry.record_of(hash);
                                        if (is_erase ? !updates.erase(record) : !updates.insert(record)) {
                                            return fail(failure_reason::out_of_memory,
                                                        "there is not enough memory for the updates in the log");
                                        }
                                        used_buffer_bytes_ += updates.memory_bytes() - before;
                                        known_keys_ += updates.insertions() - inserted_before;
                                        if (!is_erase) set_pattern(hash);
                                    }
                                    return {};
                                });
    if (!replayed) return replayed;
    for (const update_log::position& segment : log_.segments()) {
        if (!space_.claim({segment.offset, update_log::segment_bytes})) {
            return damaged_slow("the log lies where other parts of the file are");
        }
    }
    if (log_.next_frame() < state_.durable_frames) {
        return damaged_slow("the log is damaged or truncated: it ends with frame " + std::to_string(log_.next_frame()) +
                            " of " + std::to_string(state_.durable_frames) + ", at byte " +
                            std::to_string(log_.segments().back().offset) + " or behind it");
    }
    return {};
}

} // namespace everbloom
