// any_filter::query_copy: which kind a copy for queries has, and how it gets the keys.
#include "erased_filter.hpp"
#include "kind_entry.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>

#include <array>
#include <vector>

namespace everbloom {
namespace {

using interface = any_filter::interface;

#if defined(EVERBLOOM_SMALL) // nothing is built there
result<query_copy_geometry> copy_geometry(const interface& source, double fpr, std::string_view) {
    return source.query_copy(fpr);
}
result<void> build_from_digests(const interface&, any_filter&) { return {}; }
#else
constexpr std::string_view built_kind = "fuse";

std::uint64_t lines_of(const query_copy_geometry& geometry) {
    std::uint64_t sum = 0;
    for (const std::uint64_t lines : find_entry(geometry.kind)->section_lines(geometry.parameters)) sum += lines;
    return sum;
}

/// The smaller one; of two equal ones that which keys are inserted into, because more can be done with it.
result<query_copy_geometry> copy_geometry(const interface& source, double fpr, std::string_view kind) {
    auto inserted = source.query_copy(fpr);
    if (!kind.empty() && kind != built_kind) {
        if (find_entry(kind) == nullptr) return fail(unknown_kind(kind));
        if (!inserted || inserted->kind == kind) return inserted;
        return fail(failure_reason::bad_parameter,
                    "a copy of " + with_article(source.kind()) + " filter can be of the kinds " +
                        std::string(inserted->kind) + " and " + std::string(built_kind) + ", not " + std::string(kind));
    }
    auto built = source.fuse_copy(fpr);
    if (kind == built_kind) return built;
    if (!inserted && built) return built;
    return inserted && built && lines_of(*built) < lines_of(*inserted) ? std::move(built) : std::move(inserted);
}

result<void> build_from_digests(const interface& source, any_filter& made) {
    std::vector<digest> keys;
    if (const auto count = source.keys()) keys.reserve(static_cast<std::size_t>(*count));
    source.for_each_digest([&](digest item, std::uint64_t) { keys.push_back(item); });
    return made.build(keys);
}
#endif

result<void> insert_digests(const interface& source, any_filter& made) {
    std::vector<digest> batch;
    std::array<insert_outcome, batch_items> outcomes{};
    result<void> done;
    const auto put_batch = [&] {
        done = made.insert(batch, std::span(outcomes).first(batch.size()));
        for (std::size_t i = 0; i < batch.size() && done; ++i) {
            if (!succeeded(outcomes[i])) {
                done =
                    fail(failure_reason::no_room, "the keys do not fit into a copy of that FPR; ask for a lower one");
            }
        }
        batch.clear();
    };
    batch.reserve(batch_items);
    // Copies count where they can be removed one by one.
    const bool counts = made.can(capability::count);
    source.for_each_digest([&](digest item, std::uint64_t copies) {
        for (std::uint64_t i = 0; i < (counts ? copies : 1) && done; ++i) {
            batch.push_back(item);
            if (batch.size() == batch_items) put_batch();
        }
    });
    if (done) put_batch();
    return done;
}

} // namespace

result<any_filter> any_filter::query_copy(double fpr, std::string_view kind) const {
    return or_out_of_memory([&]() -> result<any_filter> {
        if (!can(capability::query_copy)) return cannot("be copied for queries without its keys");
        if (!(fpr > 0 && fpr < 1)) return fail(failure_reason::bad_parameter, "the FPR must be between 0 and 1");
        if (exclusions_) {
            return fail(
                failure_reason::unsupported,
                "a copy would have other false positives than those that its exclusion list knows; drop the list, "
                "and protect the copy");
        }
        const auto shape = copy_geometry(door(), fpr, kind);
        if (!shape) return fail(shape.error());
        auto made = find_entry(shape->kind)->make(shape->parameters);
        if (!made) return made;
        auto filled = made->can(capability::build) ? build_from_digests(door(), *made) : insert_digests(door(), *made);
        if (!filled) return fail(std::move(filled.error()));
        return made;
    });
}

} // namespace everbloom
