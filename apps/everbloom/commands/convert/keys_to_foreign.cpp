#include "commands/convert/keys_to_foreign.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <utility>
#include <vector>

namespace everbloom::cli {
namespace {

result<filled_foreign> fill(const foreign_plan& plan, const key_stream& keys, cancellation& cancel) {
    const auto planned = [&](std::uint64_t items) {
        return foreign_filter::plan(plan.format, items, plan.fpr, plan.strategy);
    };
    // Also without a capacity: the smallest one knows the hash, and refuses an illegal FPR before the keys are read.
    auto made = planned(plan.capacity.value_or(1));
    if (!made) return fail(std::move(made.error()));
    std::uint64_t count = 0;
    std::vector<digest> waiting;
    const auto hash = [&](std::span<const std::string_view> texts, std::span<digest> digests) {
        made->hash(texts, digests);
    };
    auto read = hash_keys(keys, hash, cancel, [&](const hashed_keys& block) -> result<void> {
        count += block.digests.size();
        if (plan.capacity) {
            made->insert(block.digests);
        } else {
            waiting.insert(waiting.end(), block.digests.begin(), block.digests.end());
        }
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    const std::uint64_t capacity = plan.capacity.value_or(std::max<std::uint64_t>(count, 1));
    if (!plan.capacity) {
        made = planned(capacity);
        if (!made) return fail(std::move(made.error()));
        made->insert(waiting);
    }
    return filled_foreign{std::move(*made), count, capacity};
}

} // namespace

result<filled_foreign> fill_foreign(const foreign_plan& plan, const key_stream& keys, cancellation& cancel) {
    return or_out_of_memory([&] { return fill(plan, keys, cancel); });
}

} // namespace everbloom::cli
