// Operations on whole filters: merging, intersecting, clearing, known negatives, following a list.
#include "key_reader.hpp"
#include "reporting.hpp"

#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/followed_filter.hpp>
#include <everbloom/jobs/key_list.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace everbloom::capi {
namespace {

result<void> check_pair(const eb_filter* filter, const eb_filter* other) {
    if (auto checked = check_handle(filter); !checked) return checked;
    return check_handle(other, "other");
}

void tell(const protection& found, eb_protection* into) noexcept {
    if (into == nullptr) return;
    *into = {found.negatives, found.false_positives_before, found.false_positives_after, found.members_lost};
}

/// Lists are compared in the canonical spelling of their keys; duplicates are dropped.
result<key_list> list_of(const eb_filter& filter, const eb_keys* keys, std::string_view name, key_arena& arena) {
    const auto reader = key_reader::over(filter, keys, name);
    if (!reader) return fail(reader.error());
    if (!reader->has_bytes()) {
        return fail(failure_reason::bad_parameter, std::string(name) + ": a list needs the keys, not their digests");
    }
    const key_type type = filter.core.file().keys;
    list_builder built;
    auto read = reader->for_each_key([&](std::string_view bytes) -> result<void> {
        const auto spelled = spell_key(type, bytes);
        if (!spelled) {
            return fail(failure_reason::bad_parameter, std::string(name) + ": a key of " +
                                                           std::to_string(bytes.size()) + " bytes is no key of type " +
                                                           std::string(name_of(type)));
        }
        built.add(*spelled);
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    return std::move(built).finish(arena);
}

void tell(const list_update& done, eb_list_update* into) noexcept {
    if (into == nullptr) return;
    *into = {};
    into->inserted = done.inserted.successes();
    into->removed = done.erased.successes();
    into->undeletable = done.undeletable;
    if (!done.rebuilt) return;
    into->rebuilt = 1;
    std::memcpy(into->why, done.rebuilt->data(), std::min(done.rebuilt->size(), sizeof into->why - 1));
}

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

int eb_merge(eb_filter* filter, const eb_filter* other, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_pair(filter, other); !checked) return checked;
        return filter->core.merge(other->core);
    });
}

int eb_intersect(eb_filter* filter, const eb_filter* other, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_pair(filter, other); !checked) return checked;
        return filter->core.intersect(other->core);
    });
}

int eb_clear(eb_filter* filter, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        return filter->core.clear();
    });
}

int eb_build(eb_filter* filter, const eb_keys* keys, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        const auto reader = key_reader::over(*filter, keys);
        if (!reader) return fail(reader.error());
        return filter->core.build(reader->digests());
    });
}

int eb_exclude(eb_filter* filter, const eb_keys* negatives, eb_protection* result, eb_error* error) {
    return code_of(error, [&]() -> everbloom::result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        const auto reader = key_reader::over(*filter, negatives, "negatives");
        if (!reader) return fail(reader.error());
        const auto found = filter->core.filter().exclude(reader->digests());
        if (!found) return fail(found.error());
        tell(*found, result);
        return {};
    });
}

int eb_drop_exclusions(eb_filter* filter, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        filter->core.filter().drop_exclusions();
        return {};
    });
}

int eb_protect(eb_filter* filter, const eb_keys* members, const eb_keys* negatives, uint32_t flags,
               eb_protection* result, eb_error* error) {
    return code_of(error, [&]() -> everbloom::result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if ((flags & ~static_cast<std::uint32_t>(EB_MAY_LOSE_MEMBERS)) != 0) {
            return fail(failure_reason::bad_parameter, "flags has bits that this version of everbloom does not know");
        }
        const auto in_it = key_reader::over(*filter, members, "members");
        if (!in_it) return fail(in_it.error());
        const auto not_in_it = key_reader::over(*filter, negatives, "negatives");
        if (!not_in_it) return fail(not_in_it.error());
        protection_options how;
        if ((flags & EB_MAY_LOSE_MEMBERS) != 0) how.lost = false_negatives::allowed;
        const auto found = filter->core.filter().protect(in_it->digests(), not_in_it->digests(), how);
        if (!found) return fail(found.error());
        tell(*found, result);
        return {};
    });
}

int eb_sync(eb_filter* filter, const eb_keys* before, const eb_keys* after, uint64_t undeletable,
            eb_list_update* result, eb_error* error) {
    return code_of(error, [&]() -> everbloom::result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if (!filter->core.filter().can(capability::insert)) {
            return fail(failure_reason::unsupported, filter->core.filter().is_mapped()
                                                         ? "a filter that is mapped cannot be changed"
                                                         : "a filter that is built once cannot follow a list");
        }
        key_arena arena;
        const auto old_list = list_of(*filter, before, "before", arena);
        if (!old_list) return fail(old_list.error());
        const auto new_list = list_of(*filter, after, "after", arena);
        if (!new_list) return fail(new_list.error());
        const auto done = filter->core.change_file(
            [&](filter_file& file) { return follow_list(file, *old_list, *new_list, undeletable); });
        if (!done) return fail(done.error());
        tell(*done, result);
        return {};
    });
}
