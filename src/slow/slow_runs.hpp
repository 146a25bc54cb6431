// Reading the run of a part from front to back.
#pragma once

#include "slow_memory.hpp"

namespace everbloom {

/// Calls `visit(reader)` for the blocks of a run in order, until it returns false.
template <class Visit>
result<void> slow_elastic::read_run(std::size_t part, workspace& work, Visit visit) const {
    const slow_part& place = state_.parts[part];
    const std::uint64_t stamp = run_stamp(identity_.number, part, place.generation, false);
    std::uint64_t keys = 0;
    std::uint64_t last = 0;
    for (std::uint64_t first = 0; first < place.blocks; first += workspace::batch_blocks) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(workspace::batch_blocks, place.blocks - first));
        const std::uint64_t offset = place.run.offset + first * run_block_bytes;
        const auto words = std::span(work.input).first(count * run_block_words);
        const auto got = file_->read(offset, std::as_writable_bytes(words));
        if (!got) return fail(got.error());
        if (*got != words.size_bytes()) return damaged_block(part, offset + *got);
        for (std::size_t b = 0; b < count; ++b) {
            const auto block =
                std::span<const std::uint64_t>(words).subspan(b * run_block_words).first<run_block_words>();
            run_block_reader& reader = work.reader;
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

} // namespace everbloom
