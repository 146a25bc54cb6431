// How CF.RESERVE, CF.INSERT and the first CF.ADD make a filter.
#include "cuckoo_commands.hpp"
#include "settings.hpp"

#include <array>
#include <bit>

namespace everbloom::redis {
namespace {

// As for BF: the error rate is kept up to this many keys, or 16 times the capacity.
constexpr std::uint64_t least_cuckoo_plan = std::uint64_t{1} << 24;
constexpr std::uint64_t planned_cuckoo_growth = 16;
constexpr std::uint64_t most_cuckoo_capacity = std::uint64_t{1} << 48;

struct ranged_option {
    std::string_view name;
    std::uint64_t cuckoo_options::*place;
    long long least;
    long long most;
};
constexpr std::array<ranged_option, 3> ranged_options{
    ranged_option{"BUCKETSIZE", &cuckoo_options::bucket_keys, 1, 255},
    ranged_option{"MAXITERATIONS", &cuckoo_options::most_moves, 1, 65535},
    ranged_option{"EXPANSION", &cuckoo_options::expansion, 0, 32768}};

} // namespace

creation cuckoo_creation(const cuckoo_options& options) {
    creation wanted;
    const std::uint64_t capacity = std::min(options.capacity, most_cuckoo_capacity);
    const std::uint64_t planned =
        options.expansion == 0 ? capacity : std::max(least_cuckoo_plan, capacity * planned_cuckoo_growth);
    wanted.request.kind = "quotient";
    wanted.request.items = capacity;
    wanted.request.fpr = current_settings.error_rate;
    wanted.request.parameters.push_back({"planned_keys", std::to_string(planned)});
    wanted.target = {capacity, current_settings.error_rate};
    wanted.facts.family = command_family::cuckoo;
    wanted.facts.capacity = capacity;
    wanted.facts.expansion = options.expansion == 0 ? 0 : std::bit_ceil(options.expansion);
    wanted.facts.bucket_keys = options.bucket_keys;
    wanted.facts.most_moves = options.most_moves;
    wanted.hasher = new_hasher();
    return wanted;
}

int cf_reserve(const call& now) {
    if (now.count() < 3 || now.count() % 2 == 0) return now.wrong_arity();
    cuckoo_options options;
    const auto capacity = now.integer(2);
    if (!capacity) return now.error("Bad capacity");
    for (const ranged_option& one : ranged_options) {
        const auto at = now.find(one.name, 3);
        if (!at || *at + 1 >= now.count()) continue;
        const auto value = now.integer(*at + 1);
        const std::string name(one.name);
        if (!value) return now.error("Couldn't parse " + name);
        if (*value < one.least || *value > one.most) {
            return now.error(name + ": value must be an integer between " + std::to_string(one.least) + " and " +
                             std::to_string(one.most) + ", inclusive.");
        }
        options.*one.place = static_cast<std::uint64_t>(*value);
    }
    if (*capacity < 2 * static_cast<long long>(options.bucket_keys)) return now.error(small_capacity_text);
    options.capacity = static_cast<std::uint64_t>(*capacity);

    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent()) {
        return now.error(key.of(command_family::cuckoo) != nullptr ? exists_text : wrong_type_text);
    }
    if (create_value(now, key, now.argument(1), cuckoo_creation(options)) == nullptr) return api_ok;
    now.notify("cf.reserve", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
