// Facts about a filter that are single numbers or names.
#include "reporting.hpp"

#include <everbloom/filter/outcomes.hpp>
#include <everbloom/jobs/list_facts.hpp>

#include <cmath>
#include <cstring>

using namespace everbloom;
using namespace everbloom::capi;

static_assert(EB_CAN_QUERY == static_cast<int>(capability::query));
static_assert(EB_CAN_ERASE == static_cast<int>(capability::erase));
static_assert(EB_CAN_RESIZE == static_cast<int>(capability::resize));
static_assert(EB_CAN_PROTECT == static_cast<int>(capability::protect));
static_assert(EB_CAN_EXPORT == static_cast<int>(capability::query_copy));
static_assert(EB_CAN_BUILD == static_cast<int>(capability::build));
static_assert(EB_KEYS_HEX == static_cast<int>(key_type::hex));
static_assert(EB_KEYS_CIDR == static_cast<int>(key_type::cidr));
static_assert(EB_KEYS_CIDR + 1 == key_type_names.size());
static_assert(EB_HASH_DCSO == static_cast<int>(hash_id::dcso));

uint32_t eb_capabilities(const eb_filter* filter) {
    if (filter == nullptr) return 0;
    std::uint32_t bits = 0;
    for (const named_capability& one : named_capabilities) {
        if (filter->core.filter().can(one.bit)) bits |= static_cast<std::uint32_t>(one.bit);
    }
    return bits;
}

int eb_can_insert_new(const eb_filter* filter) {
    try {
        return filter != nullptr && filter->core.filter().can_insert_new() ? 1 : 0;
    } catch (...) { // the names of its geometry need memory
        return 0;
    }
}

const char* eb_kind(const eb_filter* filter) {
    // The names are literals, and so end with a NUL.
    return filter == nullptr ? "" : filter->core.filter().kind().data();
}

int eb_key_type_of(const eb_filter* filter) {
    return filter == nullptr ? -EB_BAD_PARAMETER : static_cast<int>(filter->core.file().keys);
}

int eb_hash_of(const eb_filter* filter) {
    return filter == nullptr ? -EB_BAD_PARAMETER : static_cast<int>(filter->core.hasher().id());
}

int eb_hash_key_of(const eb_filter* filter, uint8_t key[16], eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if (key == nullptr) return null_pointer("key");
        const hash_key secret = filter->core.hasher().key();
        std::memcpy(key, secret.bytes.data(), secret.bytes.size());
        return {};
    });
}

uint64_t eb_capacity(const eb_filter* filter) { return filter == nullptr ? 0 : filter->core.file().target.items; }
double eb_target_fpr(const eb_filter* filter) { return filter == nullptr ? 0 : filter->core.file().target.fpr; }
uint64_t eb_memory_bytes(const eb_filter* filter) {
    return filter == nullptr ? 0 : filter->core.filter().memory_bytes();
}

int64_t eb_key_count(const eb_filter* filter, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        if (const auto counted = filter->core.filter().keys()) return static_cast<std::int64_t>(*counted);
        // Cells that are all occupied give no estimate, and so the largest number.
        constexpr double most = 0x1p62;
        return static_cast<std::int64_t>(std::llround(std::fmin(filter->core.filter().measure().items, most)));
    });
}

double eb_current_fpr(const eb_filter* filter, eb_error* error) {
    return number_of(error, [&]() -> result<double> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return filter->core.filter().measure().fpr;
    });
}

int eb_identity(const eb_filter* filter, uint64_t* identity, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if (identity == nullptr) return null_pointer("identity");
        *identity = identity_of(filter->core.file());
        return {};
    });
}

int eb_equal(const eb_filter* a, const eb_filter* b, eb_error* error) {
    return number_of(error, [&]() -> result<int> {
        if (auto checked = check_handle(a, "a"); !checked) return fail(std::move(checked.error()));
        if (auto checked = check_handle(b, "b"); !checked) return fail(std::move(checked.error()));
        return a->core.equals(b->core) ? 1 : 0;
    });
}

const char* eb_insert_outcome_name(int outcome) {
    const bool known = outcome >= 0 && outcome < static_cast<int>(insert_outcome_names.size());
    return known ? insert_outcome_names[static_cast<std::size_t>(outcome)].data() : "unknown";
}

const char* eb_erase_outcome_name(int outcome) {
    const bool known = outcome >= 0 && outcome < static_cast<int>(erase_outcome_names.size());
    return known ? erase_outcome_names[static_cast<std::size_t>(outcome)].data() : "unknown";
}
