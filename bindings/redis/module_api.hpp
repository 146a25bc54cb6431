// The part of the server's module interface that this module uses, declared by ourselves.
//
// No package ships the server's own header. The interface is documented and stable: a module exports RedisModule_OnLoad, the first word of
// the context it gets is a function that resolves names, and every other function is a pointer obtained from it. What a server does not
// have stays null; `is_complete` says whether everything that cannot be missed is there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom::redis {

// The server's objects, never looked into.
struct module_context;
struct module_key;
struct module_string;
struct module_io;
struct module_digest;
struct module_type;
struct module_command;
struct module_info;
struct module_defragmentation;
struct blocked_client;

using command_function = int (*)(module_context*, module_string**, int);
using info_function = void (*)(module_info*, int);
using timer_function = void (*)(module_context*, void* data);
using disconnect_function = void (*)(module_context*, blocked_client*);

/// What the server tells modules about; the layouts are the server's.
struct module_event {
    std::uint64_t id = 0;
    std::uint64_t version = 1;
};
using event_function = void (*)(module_context*, module_event, std::uint64_t part, void* data);
inline constexpr module_event flush_event{.id = 2};
inline constexpr module_event swap_event{.id = 11};
/// The data of these events.
struct flushed_database {
    std::uint64_t version;
    std::int32_t waits;    // until the keys are freed
    std::int32_t database; // -1: all
};
struct swapped_databases {
    std::uint64_t version;
    std::int32_t first;
    std::int32_t second;
};

inline constexpr int api_ok = 0;
inline constexpr int api_error = 1;
inline constexpr int api_version = 1;

inline constexpr int open_for_reading = 1 << 0;
inline constexpr int open_for_writing = 1 << 1;
inline constexpr int empty_key = 0;

inline constexpr int option_handle_io_errors = 1 << 0;

// What the context says about the command that is being run.
inline constexpr int context_script = 1 << 0;
inline constexpr int context_transaction = 1 << 1;
inline constexpr int context_replica = 1 << 3;
inline constexpr int context_may_evict = 1 << 9;
inline constexpr int context_replicated = 1 << 12;
inline constexpr int context_loading = 1 << 13;
inline constexpr int context_is_child = 1 << 20;
inline constexpr int context_deny_blocking = 1 << 21;
inline constexpr int context_resp3 = 1 << 22;

inline constexpr int notify_module = 1 << 13;

/// What the server calls for values of a type; the layout is the server's. This is the third version of it, which Redis 6.2 has and all
/// later servers still take.
struct type_methods {
    std::uint64_t version = 3;
    void* (*load)(module_io*, int encoding) = nullptr;
    void (*save)(module_io*, void* value) = nullptr;
    void (*rewrite)(module_io*, module_string* key, void* value) = nullptr;
    std::size_t (*memory)(const void* value) = nullptr;
    void (*digest)(module_digest*, void* value) = nullptr;
    void (*free)(void* value) = nullptr;
    int (*load_extra)(module_io*, int encoding, int when) = nullptr;
    void (*save_extra)(module_io*, int when) = nullptr;
    int extra_triggers = 0;
    std::size_t (*free_effort)(module_string* key, const void* value) = nullptr;
    void (*unlink)(module_string* key, const void* value) = nullptr;
    void* (*copy)(module_string* from, module_string* to, const void* value) = nullptr;
    int (*defragment)(module_defragmentation*, module_string* key, void** value) = nullptr;
};

/// What COMMAND DOCS says of a command; the layout is the server's. The sizes are those of structures that are not used here.
struct command_info_version {
    int version = 1;
    std::size_t history_entry_bytes = 0;
    std::size_t key_spec_bytes = 0;
    std::size_t argument_bytes = 0;
};
struct command_info {
    const command_info_version* version = nullptr;
    const char* summary = nullptr;
    const char* complexity = nullptr;
    const char* since = nullptr;
    const void* history = nullptr;
    const char* tips = nullptr;
    int arity = 0;
    const void* key_specs = nullptr;
    const void* arguments = nullptr;
};

// THE list: name, result, parameters. `required`: Redis 7.0 has it, and nothing works without. `optional`: may be null.
// clang-format off
#define EVERBLOOM_MODULE_API(required, optional)                                                                              \
    required(SetModuleAttribs, void, (module_context*, const char* name, int version, int api))                               \
    required(SetModuleOptions, void, (module_context*, int options))                                                          \
    required(CreateCommand, int, (module_context*, const char* name, command_function, const char* flags, int first, int last, int step))\
    required(CreateDataType, module_type*, (module_context*, const char* name, int encoding, type_methods*))                  \
    required(ModuleTypeSetValue, int, (module_key*, module_type*, void* value))                                               \
    required(ModuleTypeGetType, module_type*, (module_key*))                                                                  \
    required(ModuleTypeGetValue, void*, (module_key*))                                                                        \
    required(OpenKey, module_key*, (module_context*, module_string*, int mode))                                               \
    required(CloseKey, void, (module_key*))                                                                                   \
    required(KeyType, int, (module_key*))                                                                                     \
    required(DeleteKey, int, (module_key*))                                                                                   \
    required(StringPtrLen, const char*, (const module_string*, std::size_t* bytes))                                           \
    required(StringToLongLong, int, (const module_string*, long long*))                                                       \
    required(StringToDouble, int, (const module_string*, double*))                                                            \
    required(CreateString, module_string*, (module_context*, const char*, std::size_t bytes))                                 \
    required(FreeString, void, (module_context*, module_string*))                                                             \
    required(HoldString, module_string*, (module_context*, module_string*))                                                   \
    required(WrongArity, int, (module_context*))                                                                              \
    required(ReplyWithError, int, (module_context*, const char*))                                                             \
    required(ReplyWithSimpleString, int, (module_context*, const char*))                                                      \
    required(ReplyWithStringBuffer, int, (module_context*, const char*, std::size_t bytes))                                   \
    required(ReplyWithLongLong, int, (module_context*, long long))                                                            \
    required(ReplyWithDouble, int, (module_context*, double))                                                                 \
    required(ReplyWithBool, int, (module_context*, int))                                                                      \
    required(ReplyWithNull, int, (module_context*))                                                                           \
    required(ReplyWithArray, int, (module_context*, long))                                                                    \
    required(ReplyWithMap, int, (module_context*, long))                                                                      \
    required(GetContextFlags, int, (module_context*))                                                                         \
    required(GetContextFromIO, module_context*, (module_io*))                                                                 \
    required(Replicate, int, (module_context*, const char* command, const char* format, ...))                                 \
    required(ReplicateVerbatim, int, (module_context*))                                                                       \
    required(NotifyKeyspaceEvent, int, (module_context*, int type, const char* event, module_string* key))                    \
    required(Log, void, (module_context*, const char* level, const char* format, ...))                                        \
    required(SaveUnsigned, void, (module_io*, std::uint64_t))                                                                 \
    required(LoadUnsigned, std::uint64_t, (module_io*))                                                                       \
    required(SaveStringBuffer, void, (module_io*, const char*, std::size_t bytes))                                            \
    required(LoadStringBuffer, char*, (module_io*, std::size_t* bytes))                                                       \
    required(IsIOError, int, (module_io*))                                                                                    \
    required(LogIOError, void, (module_io*, const char* level, const char* format, ...))                                      \
    required(EmitAOF, void, (module_io*, const char* command, const char* format, ...))                                       \
    required(DigestAddStringBuffer, void, (module_digest*, const char*, std::size_t bytes))                                   \
    required(DigestEndSequence, void, (module_digest*))                                                                       \
    required(Alloc, void*, (std::size_t))                                                                                     \
    required(Calloc, void*, (std::size_t count, std::size_t bytes))                                                           \
    required(Free, void, (void*))                                                                                             \
    required(MallocSize, std::size_t, (void*))                                                                                \
    required(GetUsedMemoryRatio, float, ())                                                                                   \
    required(GetSelectedDb, int, (module_context*))                                                                           \
    required(SelectDb, int, (module_context*, int database))                                                                  \
    required(BlockClient, blocked_client*, (module_context*, command_function reply, command_function timeout, void (*free_data)(module_context*, void*), long long milliseconds)) \
    required(UnblockClient, int, (blocked_client*, void* data))                                                               \
    required(GetBlockedClientPrivateData, void*, (module_context*))                                                           \
    required(SetDisconnectCallback, void, (blocked_client*, disconnect_function))                                             \
    required(GetThreadSafeContext, module_context*, (blocked_client*))                                                        \
    required(FreeThreadSafeContext, void, (module_context*))                                                                  \
    required(CreateTimer, std::uint64_t, (module_context*, long long milliseconds, timer_function, void* data))               \
    required(AvoidReplicaTraffic, int, ())                                                                                    \
    required(SubscribeToServerEvent, int, (module_context*, module_event, event_function))                                    \
    optional(TryAlloc, void*, (std::size_t))                                                                                  \
    optional(TryCalloc, void*, (std::size_t count, std::size_t bytes))                                                        \
    optional(DefragAlloc, void*, (module_defragmentation*, void* block))                                                      \
    optional(GetCommand, module_command*, (module_context*, const char* name))                                                \
    optional(SetCommandInfo, int, (module_command*, const command_info*))                                                     \
    optional(AddACLCategory, int, (module_context*, const char* name))                                                        \
    optional(SetCommandACLCategories, int, (module_command*, const char* names))                                              \
    optional(RegisterInfoFunc, int, (module_context*, info_function))                                                         \
    optional(InfoAddSection, int, (module_info*, const char* name))                                                           \
    optional(InfoAddFieldULongLong, int, (module_info*, const char* name, unsigned long long))
// clang-format on

/// The functions, resolved once when the module is loaded.
struct module_api {
#define EVERBLOOM_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
    EVERBLOOM_MODULE_API(EVERBLOOM_DECLARE, EVERBLOOM_DECLARE)
#undef EVERBLOOM_DECLARE

    /// Asks the server for every function of the list.
    void resolve(module_context* context) noexcept;
    /// Does the server have all that are required?
    [[nodiscard]] bool is_complete() const noexcept;
};

inline module_api api;

} // namespace everbloom::redis
