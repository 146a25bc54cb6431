// everbloom.so: what the server calls when it loads the module, and the list of commands.
#include "bloom_commands.hpp"
#include "bloom_shaping.hpp"
#include "chunk_commands.hpp"
#include "cuckoo_commands.hpp"
#include "data_type.hpp"
#include "eb_commands.hpp"
#include "explicit_creation.hpp"
#include "job.hpp"
#include "server_memory.hpp"
#include "settings.hpp"

#include <everbloom/version.hpp>

namespace everbloom::redis {
namespace {

/// As MODULE LIST shows it: 200 is 0.2.0.
constexpr int module_version = 10'000 * version_major + 100 * version_minor + version_patch;

constexpr const char* reads = "readonly fast";
constexpr const char* writes = "write deny-oom";
constexpr const char* writes_in_steps = "write deny-oom blocking"; // large filters: the client waits, others do not
constexpr const char* removes = "write fast";                      // what frees memory is never refused for lack of it

constexpr const char* measures = "readonly";
constexpr const char* dumps =
    "readonly admin"; // whole filters with their hash keys: in the category of dangerous commands
constexpr const char* dumps_in_steps = "readonly admin blocking";

/// One command: its name in lower case, because the server prints it in its errors.
struct listed_command {
    const char* name;
    command_function run;
    const char* flags;
    const char* cost; // n: keys of the command; m: bytes of the filter
    const char* summary;
    int last_key = 1; // -1: all arguments are keys; 0: none is
};

constexpr const char* per_key = "O(n)";
constexpr const char* constant = "O(1)";
constexpr const char* whole = "O(m)";

// clang-format off
constexpr listed_command eb_commands[]{
    {"eb.create", run_command<eb_create>, writes_in_steps, whole, "Makes an empty filter of any kind"},
    {"eb.add", run_command<eb_add>, writes, per_key, "Adds keys to a filter of any kind"},
    {"eb.exists", run_command<eb_exists>, reads, per_key, "Asks whether keys may be in a filter"},
    {"eb.del", run_command<eb_del>, removes, per_key, "Removes keys from a filter whose kind can"},
    {"eb.protect", run_command<eb_protect>, writes, per_key, "Keys that are not members are never false positives again"},
    {"eb.info", run_command<eb_info>, measures, whole, "Kind, size, error rates and geometry of a filter"},
    {"eb.plan", run_command<eb_plan>, measures, constant, "The kinds of filters that suit a workload, best first", 0},
    {"eb.export", run_command<eb_export>, dumps_in_steps, whole, "The filter as the bytes of an .eb file"},
    {"eb.import", run_command<eb_import>, writes_in_steps, whole, "Makes a filter of the bytes of an .eb file"},
    {"eb.loadchunk", run_command<eb_loadchunk>, writes, whole, "Makes a filter of chunks of an .eb file, in order"},
};

// The first one tells whether another module has taken the names.
constexpr listed_command peer_commands[]{
    {"bf.reserve", run_command<bf_reserve>, writes, whole, "Makes an empty Bloom filter"},
    {"bf.add", run_command<bf_add>, writes, constant, "Adds a key to a Bloom filter, which is made if it is absent"},
    {"bf.madd", run_command<bf_madd>, writes, per_key, "Adds keys to a Bloom filter, which is made if it is absent"},
    {"bf.insert", run_command<bf_insert>, writes, per_key, "Adds keys to a Bloom filter, with options for a new one"},
    {"bf.exists", run_command<bf_exists>, reads, constant, "Asks whether a key may be in a Bloom filter"},
    {"bf.mexists", run_command<bf_mexists>, reads, per_key, "Asks whether keys may be in a Bloom filter"},
    {"bf.del", run_command<bf_del>, removes, constant, "Removes a key from a DELETABLE Bloom filter"},
    {"bf.mdel", run_command<bf_mdel>, removes, per_key, "Removes keys from a DELETABLE Bloom filter"},
    {"bf.info", run_command<bf_info>, reads, constant, "Capacity, size and number of keys of a Bloom filter"},
    {"bf.card", run_command<bf_card>, reads, constant, "The number of keys in a Bloom filter"},
    {"bf.debug", run_command<bf_debug>, reads, constant, "Internal sizes of a Bloom filter"},
    {"bf.scandump", run_command<bf_scandump>, dumps, whole, "The next chunk of a Bloom filter"},
    {"bf.loadchunk", run_command<bf_loadchunk>, writes, whole, "Takes a chunk of BF.SCANDUMP"},
    {"bf.merge", run_command<bf_merge>, writes_in_steps, whole, "Gives a Bloom filter the keys of others", -1},
    {"bf.resize", run_command<bf_resize>, writes_in_steps, whole, "Changes the capacity of a Bloom filter"},
    {"bf.stats", run_command<bf_stats>, measures, whole, "Measured error rate and bits per key of a Bloom filter"},
    {"cf.reserve", run_command<cf_reserve>, writes, whole, "Makes an empty cuckoo filter"},
    {"cf.add", run_command<cf_add>, writes, constant, "Adds a copy of a key to a cuckoo filter"},
    {"cf.addnx", run_command<cf_addnx>, writes, constant, "Adds a key to a cuckoo filter unless it seems to be there"},
    {"cf.insert", run_command<cf_insert>, writes, per_key, "Adds copies of keys to a cuckoo filter"},
    {"cf.insertnx", run_command<cf_insertnx>, writes, per_key, "Adds keys to a cuckoo filter unless they seem to be there"},
    {"cf.exists", run_command<cf_exists>, reads, constant, "Asks whether a key may be in a cuckoo filter"},
    {"cf.mexists", run_command<cf_mexists>, reads, per_key, "Asks whether keys may be in a cuckoo filter"},
    {"cf.del", run_command<cf_del>, removes, constant, "Removes a copy of a key from a cuckoo filter"},
    {"cf.count", run_command<cf_count>, reads, constant, "The number of copies of a key in a cuckoo filter"},
    {"cf.compact", run_command<cf_compact>, removes, constant, "Sets the number of removed keys to zero"},
    {"cf.info", run_command<cf_info>, reads, constant, "Size and number of keys of a cuckoo filter"},
    {"cf.debug", run_command<cf_debug>, reads, constant, "Internal sizes of a cuckoo filter"},
    {"cf.scandump", run_command<cf_scandump>, dumps, whole, "The next chunk of a cuckoo filter"},
    {"cf.loadchunk", run_command<cf_loadchunk>, writes, whole, "Takes a chunk of CF.SCANDUMP"},
};
// clang-format on

/// For COMMAND DOCS and access control, where the server has them. Categories are those of the peer: @bloom, @cuckoo; ours is @everbloom.
void describe(module_context* context, const listed_command& one) {
    module_command* const command = api.GetCommand != nullptr ? api.GetCommand(context, one.name) : nullptr;
    if (command == nullptr) return;
    if (api.SetCommandInfo != nullptr) {
        static constexpr command_info_version version;
        command_info info;
        info.version = &version;
        info.summary = one.summary;
        info.complexity = one.cost;
        info.since = "0.1.0";
        api.SetCommandInfo(command, &info);
    }
    if (api.AddACLCategory != nullptr && api.SetCommandACLCategories != nullptr) {
        const char* const category = one.name[0] == 'b' ? "bloom" : one.name[0] == 'c' ? "cuckoo" : "everbloom";
        api.AddACLCategory(context, category); // refused where it exists
        api.SetCommandACLCategories(command, category);
    }
}

/// The section of INFO.
void add_info(module_info* info, int) {
    if (api.InfoAddSection == nullptr || api.InfoAddFieldULongLong == nullptr) return;
    if (api.InfoAddSection(info, "filters") != api_ok) return;
    api.InfoAddFieldULongLong(info, "filters", totals().filters);
    api.InfoAddFieldULongLong(info, "jobs", jobs_under_way());
    api.InfoAddFieldULongLong(info, "max_bytes_per_filter", current_settings.most_bytes);
    api.InfoAddFieldULongLong(info, "has_bf_and_cf_commands", current_settings.eb_only ? 0 : 1);
}

bool create(module_context* context, const listed_command& one) {
    const int first = one.last_key == 0 ? 0 : 1;
    if (api.CreateCommand(context, one.name, one.run, one.flags, first, one.last_key, first) != api_ok) return false;
    describe(context, one);
    return true;
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
        } else if (understood && is_word(name, "DELETABLE")) {
            wanted.deletable = is_word(given.text(at + 1), "YES");
            understood = wanted.deletable || is_word(given.text(at + 1), "NO");
        } else if (understood && is_word(name, "FAMILIES")) {
            wanted.eb_only = is_word(given.text(at + 1), "EB");
            understood = wanted.eb_only || is_word(given.text(at + 1), "ALL");
        } else if (understood) {
            const long long number = given.integer(at + 1).value_or(0);
            std::uint64_t* const place = is_word(name, "INITIAL_SIZE")      ? &wanted.initial_size
                                         : is_word(name, "CF_INITIAL_SIZE") ? &wanted.cuckoo_size
                                         : is_word(name, "MAX_BYTES")       ? &wanted.most_bytes
                                         : is_word(name, "STEP_BYTES")      ? &wanted.step_bytes
                                                                            : nullptr;
            understood = place != nullptr && number > 0;
            if (understood) *place = static_cast<std::uint64_t>(number);
        }
        if (!understood) {
            api.Log(
                given.context(), "warning",
                "everbloom: the module argument '%s' is unknown or its value is; known are ERROR_RATE, INITIAL_SIZE, "
                "CF_INITIAL_SIZE, MAX_BYTES, STEP_BYTES, HASH_KEY (32 hexadecimal digits), DELETABLE (YES or NO) and "
                "FAMILIES (ALL "
                "or EB)",
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
    use_server_memory();
    api.SetModuleOptions(context, option_handle_io_errors);
    filter_type = create_type(context);
    if (filter_type == nullptr) {
        api.Log(context, "warning", "everbloom: the server refuses the data type %s", type_name);
        return false;
    }
    if (!watch_databases(context)) {
        api.Log(context, "warning", "everbloom: the server does not tell when databases are flushed or swapped");
        return false;
    }
    if (api.RegisterInfoFunc != nullptr) api.RegisterInfoFunc(context, add_info);
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
