#if !defined(EVERBLOOM_SMALL)
#include "key_numbers.hpp"
#endif

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/printable.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/followed_filter.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <array>

namespace everbloom {
namespace {

/// A list that falls below half of the capacity gets a smaller filter.
constexpr std::uint64_t shrink_share = 2;
/// More than one undeletable key per this many members is too many: each is a certain false positive.
constexpr std::uint64_t members_per_undeletable = 20;

/// A capacity of a quarter more keys, for kinds that do not grow: lists change.
constexpr std::uint64_t with_headroom(std::uint64_t items) { return items + items / 4; }

/// Calls `body` with the digests of all keys, in batches, until it fails.
template <class Body>
result<void> in_digests(const key_list& keys, const filter_file& file, Body body) {
    key_decoder decoder(file.keys);
    std::array<std::string_view, batch_items> bytes;
    std::array<digest, batch_items> digests;
    for (std::size_t from = 0; from < keys.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, keys.size() - from);
        const std::size_t decoded = decoder.decode(std::span(keys).subspan(from, count), bytes);
        if (decoded != count) return fail(malformed_key(file.keys, keys[from + decoded]));
        file.hasher()(std::span(bytes).first(count), std::span(digests).first(count));
        if (result<void> done = body(std::span<const digest>(digests).first(count)); !done) return done;
    }
    return {};
}

/// The same in the order of patches, where the kind has one: then a patch that leads from the filter before to the filter after has nothing
/// but the keys.
template <class Body>
result<void> in_patch_order(const key_list& keys, filter_file& file, Body body) {
#if defined(EVERBLOOM_SMALL) // in WebAssembly, which has no patches
    return in_digests(keys, file, body);
#else
    constexpr std::size_t too_many_to_sort = std::size_t{1} << 22; // a patch for as many is large in any order
    const key_numbers numbers(file.filter());
    if (!numbers.exist() || keys.size() > too_many_to_sort) return in_digests(keys, file, body);
    std::vector<digest> all;
    all.reserve(keys.size());
    auto read = in_digests(keys, file, [&](std::span<const digest> some) -> result<void> {
        all.insert(all.end(), some.begin(), some.end());
        return {};
    });
    if (!read) return read;
    numbers.put_in_order(all);
    for (std::span<const digest> left(all); !left.empty();) {
        const auto batch = left.first(std::min(batch_items, left.size()));
        if (result<void> done = body(batch); !done) return done;
        left = left.subspan(batch.size());
    }
    return {};
#endif
}

} // namespace

followed_options options_of(const filter_file& file) {
    const bool has_target = file.target.items != 0;
    return {std::string(file.filter().kind()), has_target ? file.target.fpr : workload{}.fpr, file.hasher(), file.keys};
}

followed_filter::followed_filter(filter_file file, followed_options options, std::uint64_t undeletable)
    : options_(std::move(options)), file_(std::move(file)), undeletable_(undeletable) {
    file_.filter().drop_exclusions(); // it would hide keys from removals
    now_ = file_.filter().measure();
}

result<protection> followed_filter::protect(const key_list& negatives, const key_list& list) {
    std::vector<digest> digests;
    digests.reserve(negatives.size());
    auto read = in_digests(negatives, file_, [&](std::span<const digest> some) -> result<void> {
        digests.insert(digests.end(), some.begin(), some.end());
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    auto done = file_.filter().exclude(digests);
    if (!done) return done;
    if (misses_one_of(list)) {
        file_.filter().drop_exclusions();
        return fail(failure_reason::mismatch, "a member would be missed with these known negatives excluded");
    }
    return done;
}

result<followed_filter> followed_filter::make(const followed_options& options, const key_list& list,
                                              const std::string& why) {
    followed_filter made(options);
    if (auto built = made.build(list); !built) return fail(std::move(built.error()));
    if (!why.empty()) made.rebuilt_.push_back(why);
    return made;
}

result<void> followed_filter::follow(const list_change& change, const key_list& list) {
    file_.filter().drop_exclusions();
    if (!change.removed.empty() && !file_.filter().can(capability::erase)) {
        return rebuild(list, with_article(file_.filter().kind()) + " filter cannot remove keys");
    }
    if (auto done = erase(change.removed); !done) return done;
    std::uint64_t refused = 0;
    const auto insert_some = [&](std::span<const digest> some) { return insert(some, refused); };
    if (auto inserted = in_patch_order(change.added, file_, insert_some); !inserted) return inserted;
    if (refused != 0) return rebuild(list, counted(refused, "key") + " did not fit");
    now_ = file_.filter().measure();
    if (const std::string why = reason_to_rebuild(list.size()); !why.empty()) return rebuild(list, why);
    if (misses_one_of(list)) return rebuild(list, "a member was missed");
    if (file_.filter().growth()) file_.target.items = std::max<std::uint64_t>(file_.target.items, list.size());
    return {};
}

result<void> followed_filter::rebuild(const key_list& list, const std::string& why) {
    if (auto built = build(list); !built) return built;
    rebuilt_.push_back(why);
    return {};
}

std::string followed_filter::reason_to_rebuild(std::uint64_t items) const {
    const capacity_target& target = file_.target;
    if (target.items == 0) return "it had no capacity";
    // A filter with headroom is above its target FPR only if it is too full; a growing one now and then, by chance.
    const bool is_above = file_.filter().growth() ? exceeds(now_, target) : now_.fpr > rate_tolerance * target.fpr;
    if (is_above) {
        return "its FPR was " + rate_text(now_.fpr) + ", the target is " + rate_text(target.fpr);
    }
    if (target.items > with_headroom(least_default_items) && items < target.items / shrink_share) {
        return "the list fell to " + counted(items, "key") + ", below half of its capacity of " +
               counted(target.items, "key");
    }
    if (undeletable_ > items / members_per_undeletable) {
        return counted(undeletable_, "key") + " could not be removed";
    }
    return {};
}

result<any_filter> followed_filter::plan(std::uint64_t items) const {
    return everbloom::build({.kind = options_.kind, .items = items, .fpr = options_.fpr, .parameters = {}});
}

result<void> followed_filter::build(const key_list& list) {
    std::uint64_t items = std::max<std::uint64_t>(list.size(), least_default_items);
    auto filter = plan(items);
    if (filter && !filter->growth()) filter = plan(items = with_headroom(items));
    // Some kinds refuse a key now and then although the plan has room for it: then the capacity is doubled.
    constexpr int attempts = 4;
    for (int attempt = 1;; ++attempt, filter = plan(items *= 2)) {
        if (!filter) return fail(std::move(filter.error()));
        const auto capacity = capacity_for(*filter, geometry_source::planned, items, options_.fpr);
        if (!capacity) return fail(capacity.error());
        file_.handle = keyed(std::move(*filter), options_.hasher);
        file_.keys = options_.keys;
        file_.target = *capacity;
        undeletable_ = 0;
        std::uint64_t refused = 0;
        const auto insert_some = [&](std::span<const digest> some) { return insert(some, refused); };
        if (auto inserted = in_digests(list, file_, insert_some); !inserted) return inserted;
        if (refused == 0) break;
        if (attempt == attempts) {
            return fail(failure_reason::no_room, counted(refused, "key") + " did not fit into " +
                                                     with_article(options_.kind) + " filter for " +
                                                     counted(items, "key") + "; choose another kind");
        }
    }
    now_ = file_.filter().measure();
    if (misses_one_of(list)) {
        return fail(failure_reason::damaged, with_article(options_.kind) + " filter built from the list misses one of "
                                                                           "its keys; please report this");
    }
    return {};
}

result<void> followed_filter::erase(const key_list& keys) {
    return in_patch_order(keys, file_, [&](std::span<const digest> digests) -> result<void> {
        std::array<erase_outcome, batch_items> outcomes{};
        const auto results = std::span(outcomes).first(digests.size());
        if (auto done = file_.filter().erase(digests, results); !done) return done;
        for (const erase_outcome one : results) {
            erased_.add(one);
            const bool stays = one == erase_outcome::not_deletable || one == erase_outcome::ambiguous;
            undeletable_ += stays ? 1 : 0;
        }
        return {};
    });
}

result<void> followed_filter::insert(std::span<const digest> keys, std::uint64_t& refused) {
    std::array<insert_outcome, batch_items> outcomes{};
    const auto results = std::span(outcomes).first(keys.size());
    if (auto done = file_.filter().insert(keys, results); !done) return done;
    for (const insert_outcome one : results) {
        inserted_.add(one);
        refused += succeeded(one) ? 0 : 1;
    }
    return {};
}

bool followed_filter::misses_one_of(const key_list& list) const {
    bool missed = false;
    const auto asked = in_digests(list, file_, [&](std::span<const digest> digests) -> result<void> {
        std::array<std::uint8_t, batch_items> answers{};
        const auto results = std::span(answers).first(digests.size());
        file_.filter().may_contain(digests, results);
        missed = missed || std::find(results.begin(), results.end(), std::uint8_t{0}) != results.end();
        return {};
    });
    return missed || !asked;
}

result<void> check_list(key_type type, const key_list& list) {
    canonical_key canonical(type);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto spelled = canonical(list[i]);
        if (!spelled) return fail(malformed_key(type, list[i]));
        if (*spelled != list[i]) {
            return fail(failure_reason::bad_parameter,
                        "'" + printable(list[i]) + "' is not the canonical spelling of '" + printable(*spelled) + "'");
        }
        if (i != 0 && !(list[i - 1] < list[i])) {
            return fail(failure_reason::bad_parameter,
                        "the list is not sorted, or has duplicates, at '" + printable(list[i]) + "'");
        }
    }
    return {};
}

result<list_update> follow_list(filter_file& file, const key_list& before, const key_list& after,
                                std::uint64_t undeletable) {
    return or_out_of_memory([&]() -> result<list_update> {
        if (file.filter().exclusions()) {
            return fail(failure_reason::unsupported,
                        "has an exclusion list, which cannot follow a list: drop it, and exclude the keys again "
                        "afterwards");
        }
        for (const key_list* list : {&before, &after}) {
            if (auto checked = check_list(file.keys, *list); !checked) return fail(std::move(checked.error()));
        }
        // The work is done on a copy: a failure between removals and insertions would leave neither list.
        auto copy = read_filter(write_filter(file));
        if (!copy) return fail(std::move(copy.error()));
        followed_filter followed(std::move(*copy), options_of(file), undeletable);
        if (auto done = followed.follow(change_between(before, after), after); !done) {
            return fail(std::move(done.error()));
        }
        list_update made{followed.inserted(), followed.erased(), followed.undeletable()};
        if (!followed.rebuilt().empty()) made.rebuilt = followed.rebuilt().back();
        file = std::move(followed).take_file();
        return made;
    });
}

} // namespace everbloom
