// Our declaration of the module interface against the server's own header, where that can be had (tests/redis/check_header): the same
// constants and layouts, and functions whose parameters have the same number, sizes and nature.
#include "module_api.hpp"

#include <redismodule.h>

#include <cstddef>
#include <type_traits>

namespace {

using namespace everbloom::redis;

template <class Ours, class Theirs>
constexpr bool same_nature = (std::is_void_v<Ours> && std::is_void_v<Theirs>) ||
                             (std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                              std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
                              sizeof(std::conditional_t<std::is_void_v<Ours>, char, Ours>) ==
                                  sizeof(std::conditional_t<std::is_void_v<Theirs>, char, Theirs>));

template <class Ours, class Theirs>
struct same_shape : std::false_type {};
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
struct same_shape<R (*)(A...), S (*)(B...)> : std::bool_constant<same_nature<R, S> && (same_nature<A, B> && ...)> {};
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
struct same_shape<R (*)(A..., ...), S (*)(B..., ...)>
    : std::bool_constant<same_nature<R, S> && (same_nature<A, B> && ...)> {};

#define EVERBLOOM_COMPARE(name, result, parameters)                                                                    \
    static_assert(same_shape<decltype(module_api::name), decltype(RedisModule_##name)>::value, #name);
#define EVERBLOOM_LEAVE_OUT(name, result, parameters)
EVERBLOOM_MODULE_API(EVERBLOOM_COMPARE, EVERBLOOM_LEAVE_OUT)

static_assert(api_ok == REDISMODULE_OK && api_error == REDISMODULE_ERR && api_version == REDISMODULE_APIVER_1);
static_assert(open_for_reading == REDISMODULE_READ && open_for_writing == REDISMODULE_WRITE);
static_assert(empty_key == REDISMODULE_KEYTYPE_EMPTY && notify_module == REDISMODULE_NOTIFY_MODULE);
static_assert(option_handle_io_errors == REDISMODULE_OPTIONS_HANDLE_IO_ERRORS);
static_assert(context_replica == REDISMODULE_CTX_FLAGS_SLAVE && context_may_evict == REDISMODULE_CTX_FLAGS_EVICT);
static_assert(context_replicated == REDISMODULE_CTX_FLAGS_REPLICATED && context_resp3 == REDISMODULE_CTX_FLAGS_RESP3);
static_assert(context_loading == REDISMODULE_CTX_FLAGS_LOADING && context_is_child == REDISMODULE_CTX_FLAGS_IS_CHILD);
static_assert(context_script == REDISMODULE_CTX_FLAGS_LUA && context_transaction == REDISMODULE_CTX_FLAGS_MULTI);
static_assert(context_deny_blocking == REDISMODULE_CTX_FLAGS_DENY_BLOCKING);
static_assert(sizeof(module_event) == sizeof(RedisModuleEvent) && flush_event.version == 1 && swap_event.version == 1);
static_assert(offsetof(module_event, version) == offsetof(RedisModuleEvent, dataver));
static_assert(flush_event.id == REDISMODULE_EVENT_FLUSHDB && swap_event.id == REDISMODULE_EVENT_SWAPDB);
static_assert(offsetof(flushed_database, database) == offsetof(RedisModuleFlushInfo, dbnum));
static_assert(offsetof(swapped_databases, first) == offsetof(RedisModuleSwapDbInfo, dbnum_first));
static_assert(offsetof(swapped_databases, second) == offsetof(RedisModuleSwapDbInfo, dbnum_second));
static_assert(offsetof(type_methods, load) == offsetof(RedisModuleTypeMethods, rdb_load));
static_assert(offsetof(type_methods, rewrite) == offsetof(RedisModuleTypeMethods, aof_rewrite));
static_assert(offsetof(type_methods, memory) == offsetof(RedisModuleTypeMethods, mem_usage));
static_assert(offsetof(type_methods, digest) == offsetof(RedisModuleTypeMethods, digest));
static_assert(offsetof(type_methods, free) == offsetof(RedisModuleTypeMethods, free));
static_assert(offsetof(type_methods, free_effort) == offsetof(RedisModuleTypeMethods, free_effort));
static_assert(offsetof(type_methods, unlink) == offsetof(RedisModuleTypeMethods, unlink));
static_assert(offsetof(type_methods, copy) == offsetof(RedisModuleTypeMethods, copy));
static_assert(offsetof(type_methods, defragment) == offsetof(RedisModuleTypeMethods, defrag));
static_assert(sizeof(command_info) == sizeof(RedisModuleCommandInfo));
static_assert(offsetof(command_info, arity) == offsetof(RedisModuleCommandInfo, arity));
static_assert(sizeof(command_info_version) == sizeof(RedisModuleCommandInfoVersion));

} // namespace
