#include "data_type.hpp"

#include "job.hpp"
#include "settings.hpp"
#include "value_dump.hpp"

#include <everbloom/core/units.hpp>

#include <unistd.h>

#include <atomic>
#include <limits>

namespace everbloom::redis {
namespace {

constexpr int encoding_version = 1;

// Values are freed by a thread of the server, too.
std::atomic<std::uint64_t> living_filters = 0;

stored_filter& filter_in(void* value) noexcept { return *static_cast<stored_filter*>(value); }
const stored_filter& filter_in(const void* value) noexcept { return *static_cast<const stored_filter*>(value); }

/// Calls `act`, which reports success; false also if it throws, which only a lack of memory does. No exception may reach the server.
template <class Act>
bool succeeds(Act act) noexcept {
    try {
        return act();
    } catch (const std::exception&) {
        return false;
    }
}

/// A child process that cannot save a filter must not leave a file without it: it fails, and the server reports that and keeps the old file.
void fail_in_child() noexcept {
    if ((api.GetContextFlags(nullptr) & context_is_child) != 0) _exit(1);
}

void* load(module_io* io, int encoding) noexcept {
    std::unique_ptr<stored_filter> value;
    const bool loaded = encoding == encoding_version && succeeds([&] {
                            value = load_value(io, most_bytes_for(api.GetContextFromIO(io)));
                            return value != nullptr;
                        });
    if (!loaded) return nullptr;
    ++living_filters;
    return value.release();
}

void save(module_io* io, void* value) noexcept {
    if (succeeds([&] { return save_value(io, filter_in(value)); })) return;
    api.LogIOError(io, "warning", "everbloom: a filter could not be saved: no memory, or its cells are damaged");
    fail_in_child();
    save_refusal(io);
}

void rewrite(module_io* io, module_string* key, void* value) noexcept {
    if (succeeds([&] { return rewrite_value(io, key, filter_in(value)); })) return;
    api.LogIOError(io, "warning", "everbloom: a filter could not be saved: no memory, or its cells are damaged");
    fail_in_child();
}

std::size_t memory(const void* value) noexcept { return static_cast<std::size_t>(filter_in(value).memory_bytes()); }

void digest_of(module_digest* digest, void* value) noexcept {
    (void)succeeds([&] {
        digest_value(digest, filter_in(value));
        return true;
    });
}

/// In the main thread, before the value is freed, there or in another one; also when it only gets another name.
void unlinked(module_string*, const void* value) noexcept { cancel_jobs_with(&filter_in(value)); }

void free_value(void* value) noexcept {
    delete static_cast<stored_filter*>(value);
    --living_filters;
}

/// The server frees what takes more than 64 steps in the background: here, what is larger than 4 MiB. 0 would mean "always".
std::size_t free_effort(module_string*, const void* value) noexcept {
    return 1 + static_cast<std::size_t>(filter_in(value).memory_bytes() >> 16);
}

std::unique_ptr<stored_filter> copy_of(const stored_filter& value) {
    const counted_objects objects;
    auto made = std::make_unique<stored_filter>();
    made->facts = value.facts;
    if (value.arriving) {
        auto arriving = value.arriving->copy();
        if (!arriving) return nullptr;
        made->arriving = std::move(*arriving);
    }
    made->chain = value.chain;
    if (value.filter().has_filter()) {
        auto filter = value.filter().clone();
        if (!filter) return nullptr;
        made->file = filter_file{
            {std::move(*filter), value.file.hasher()}, value.file.keys, value.file.target, value.file.attached};
    }
    made->most_keys = value.most_keys;
    made->object_bytes = objects.bytes();
    return made;
}

void* copy(module_string*, module_string*, const void* value) noexcept {
    std::unique_ptr<stored_filter> made;
    const bool copied = succeeds([&] {
        made = copy_of(filter_in(value));
        return made != nullptr;
    });
    if (!copied) return nullptr; // COPY says that it failed
    ++living_filters;
    return made.release();
}

/// Moves a block of cells to where the server wants it. A block of the same size class has the same alignment if the class is a whole
/// number of cache lines; others stay.
void* move_block(void* context, void* block) noexcept {
    if (api.MallocSize(block) % line_bytes != 0) return nullptr;
    void* const moved = api.DefragAlloc(static_cast<module_defragmentation*>(context), block);
    if (moved != nullptr) note_moved_block(block, moved);
    return moved;
}

/// The server's allocator moves small blocks only, so this takes no longer than for a small filter. 0: nothing is left to do.
int defragment(module_defragmentation* context, module_string*, void** value) noexcept {
    quotient::filter* const table = filter_in(*value).as_quotient();
    if (table != nullptr && api.DefragAlloc != nullptr) table->relocate({move_block, context});
    return 0;
}

} // namespace

module_type* create_type(module_context* context) {
    type_methods methods;
    methods.load = load;
    methods.save = save;
    methods.rewrite = rewrite;
    methods.memory = memory;
    methods.digest = digest_of;
    methods.free = free_value;
    methods.free_effort = free_effort;
    methods.unlink = unlinked;
    methods.copy = copy;
    methods.defragment = defragment;
    return api.CreateDataType(context, type_name, encoding_version, &methods);
}

std::uint64_t most_bytes_for(module_context* context) {
    constexpr int follows = context_loading | context_replica | context_replicated;
    if ((api.GetContextFlags(context) & follows) != 0) return std::numeric_limits<std::uint64_t>::max();
    return current_settings.most_bytes;
}

bool may_grow(module_context* context, const stored_filter& value) {
    const std::uint64_t bytes = value.filter().memory_bytes();
    // The server takes longer to tell what context this is than to add a key.
    return bytes < current_settings.most_bytes || bytes < most_bytes_for(context);
}

filter_totals totals() noexcept { return {living_filters}; }

void give(module_key* key, std::unique_ptr<stored_filter> value) {
    api.ModuleTypeSetValue(key, filter_type, value.release());
    ++living_filters;
}

} // namespace everbloom::redis
