// everbloom.so: what the server calls when it loads the module, and the list of commands.
#include "bloom_commands.hpp"
#include "bloom_shaping.hpp"
#include "chunk_commands.hpp"
#include "cuckoo_commands.hpp"
#include "data_type.hpp"
#include "eb_commands.hpp"
#include "explicit_creation.hpp"
#include "settings.hpp"

#include <everbloom/bits/memory_hook.hpp>

namespace everbloom::redis {
namespace {

constexpr int module_version = 100; // 0.1.0, as MODULE LIST shows it

constexpr const char* reads = "readonly fast";
constexpr const char* writes = "write deny-oom";
constexpr const char* removes = "write fast"; // what frees memory is never refused for lack of it

constexpr const char* measures = "readonly";
constexpr const char* dumps =
    "readonly admin"; // whole filters with their hash keys: in the category of dangerous commands

struct listed_command {
    const char* name; // in lower case: the server prints it in its errors
    command_function run;
    const char* flags;
    int last_key = 1; // -1: all arguments are keys; 0: none is
};

constexpr listed_command eb_commands[]{
    {"eb.create", run_command<eb_create>, writes},   {"eb.add", run_command<eb_add>, writes},
    {"eb.exists", run_command<eb_exists>, reads},    {"eb.del", run_command<eb_del>, removes},
    {"eb.protect", run_command<eb_protect>, writes}, {"eb.info", run_command<eb_info>, measures},
    {"eb.plan", run_command<eb_plan>, measures, 0},  {"eb.export", run_command<eb_export>, dumps},
    {"eb.import", run_command<eb_import>, writes},   {"eb.loadchunk", run_command<eb_loadchunk>, writes},
};

// The first one tells whether another module has taken the names.
constexpr listed_command peer_commands[]{
    {"bf.reserve", run_command<bf_reserve>, writes},
    {"bf.add", run_command<bf_add>, writes},
    {"bf.madd", run_command<bf_madd>, writes},
    {"bf.insert", run_command<bf_insert>, writes},
    {"bf.exists", run_command<bf_exists>, reads},
    {"bf.mexists", run_command<bf_mexists>, reads},
    {"bf.del", run_command<bf_del>, removes},
    {"bf.mdel", run_command<bf_mdel>, removes},
    {"bf.info", run_command<bf_info>, reads},
    {"bf.card", run_command<bf_card>, reads},
    {"bf.debug", run_command<bf_debug>, reads},
    {"bf.scandump", run_command<bf_scandump>, dumps},
    {"bf.loadchunk", run_command<bf_loadchunk>, writes},
    {"bf.merge", run_command<bf_merge>, writes, -1},
    {"bf.resize", run_command<bf_resize>, writes},
    {"bf.stats", run_command<bf_stats>, measures},
    {"cf.reserve", run_command<cf_reserve>, writes},
    {"cf.add", run_command<cf_add>, writes},
    {"cf.addnx", run_command<cf_addnx>, writes},
    {"cf.insert", run_command<cf_insert>, writes},
    {"cf.insertnx", run_command<cf_insertnx>, writes},
    {"cf.exists", run_command<cf_exists>, reads},
    {"cf.mexists", run_command<cf_mexists>, reads},
    {"cf.del", run_command<cf_del>, removes},
    {"cf.count", run_command<cf_count>, reads},
    {"cf.compact", run_command<cf_compact>, removes},
    {"cf.info", run_command<cf_info>, reads},
    {"cf.debug", run_command<cf_debug>, reads},
    {"cf.scandump", run_command<cf_scandump>, dumps},
    {"cf.loadchunk", run_command<cf_loadchunk>, writes},
};

bool create(module_context* context, const listed_command& one) {
    return api.CreateCommand(context, one.name, one.run, one.flags, one.last_key == 0 ? 0 : 1, one.last_key,
                             one.last_key == 0 ? 0 : 1) == api_ok;
}

template <std::size_t Count>
bool create_all(module_context* context, const listed_command (&commands)[Count], std::size_t first) {
    for (std::size_t i = first; i < Count; ++i) {
        if (!create(context, commands[i])) {
            api.Log(context, "warning", "everbloom: the server refuses the command %s", commands[i].name);
            return false;
        }
    }
    return true;
}

/// False after a message: an argument that is not understood must not be ignored.
bool take_arguments(const call& given) {
    settings& wanted = current_settings;
    for (std::size_t at = 0; at < given.count(); at += 2) {
        const std::string name(given.text(at));
        bool understood = at + 1 < given.count();
        if (understood && is_word(name, "ERROR_RATE")) {
            wanted.error_rate = given.number(at + 1).value_or(0);
            understood = wanted.error_rate > 0 && wanted.error_rate < 1;
        } else if (understood && is_word(name, "HASH_KEY")) {
            const auto key = key_of_hex(given.text(at + 1));
            understood = key.has_value();
            if (key) wanted.key = *key;
        } else if (understood && is_word(name, "FAMILIES")) {
            wanted.eb_only = is_word(given.text(at + 1), "EB");
            understood = wanted.eb_only || is_word(given.text(at + 1), "ALL");
        } else if (understood) {
            const long long number = given.integer(at + 1).value_or(0);
            std::uint64_t* const place = is_word(name, "INITIAL_SIZE")      ? &wanted.initial_size
                                         : is_word(name, "CF_INITIAL_SIZE") ? &wanted.cuckoo_size
                                         : is_word(name, "MAX_BYTES")       ? &wanted.most_bytes
                                                                            : nullptr;
            understood = place != nullptr && number > 0;
            if (understood) *place = static_cast<std::uint64_t>(number);
        }
        if (!understood) {
            api.Log(
                given.context(), "warning",
                "everbloom: the module argument '%s' is unknown or its value is; known are ERROR_RATE, INITIAL_SIZE, "
                "CF_INITIAL_SIZE, MAX_BYTES, HASH_KEY (32 hexadecimal digits) and FAMILIES (ALL or EB)",
                name.c_str());
            return false;
        }
    }
    return true;
}

bool start(module_context* context, module_string** arguments, int count) {
    const auto key = hash_key::random();
    if (!key) {
        api.Log(context, "warning", "everbloom: %s", key.error().sentence.c_str());
        return false;
    }
    current_settings.key = *key;
    if (!take_arguments(call(context, arguments, count))) return false;
    set_memory_hook({allocate_from_server, api.Free});
    api.SetModuleOptions(context, option_handle_io_errors);
    filter_type = create_type(context);
    if (filter_type == nullptr) {
        api.Log(context, "warning", "everbloom: the server refuses the data type %s", type_name);
        return false;
    }
    if (!create_all(context, eb_commands, 0)) return false;
    if (current_settings.eb_only) return true;
    if (!create(context, peer_commands[0])) {
        api.Log(context, "warning",
                "everbloom: another module has the commands BF.* and CF.* already; only EB.* is available here. Load "
                "everbloom first, or with FAMILIES EB to say so");
        current_settings.eb_only = true;
        return true;
    }
    return create_all(context, peer_commands, 1);
}

} // namespace
} // namespace everbloom::redis

extern "C" __attribute__((visibility("default"))) int
RedisModule_OnLoad(everbloom::redis::module_context* context, everbloom::redis::module_string** arguments, int count);

int RedisModule_OnLoad(everbloom::redis::module_context* context, everbloom::redis::module_string** arguments,
                       int count) {
    using namespace everbloom::redis;
    api.resolve(context);
    if (api.SetModuleAttribs == nullptr) return api_error;
    api.SetModuleAttribs(context, "everbloom", module_version, api_version);
    if (!api.is_complete()) {
        if (api.Log != nullptr)
            api.Log(context, "warning", "everbloom: this server is too old; Redis 7.0 is the first");
        return api_error;
    }
    try {
        return start(context, arguments, count) ? api_ok : api_error;
    } catch (const std::exception&) { // no memory
        return api_error;
    }
}
