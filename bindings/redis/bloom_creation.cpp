// How BF.RESERVE, BF.INSERT and the first BF.ADD make a filter.
#include "bloom_commands.hpp"
#include "settings.hpp"

#include <everbloom/filter/quotient/quotient_spec.hpp>

#include <algorithm>

namespace everbloom::redis {
namespace {

/// The FPR of a filter that may grow is kept up to this many keys, or 16 times its capacity.
constexpr std::uint64_t least_plan = std::uint64_t{1} << 24;
constexpr std::uint64_t planned_growth = 16;
/// Larger ones would need more memory than any machine has; sums with them do not overflow.
constexpr std::uint64_t most_capacity = std::uint64_t{1} << 48;

// Of filters whose keys can be removed: the longest fingerprints there are, and the buckets that leave 14 slots in a line. A new key is taken
// for one of the members with a chance of 1.3e-10 at the capacity, and in proportion to the keys beyond.
constexpr std::uint64_t long_fingerprint_bits = 8 + quotient_spec::most_extension_bits;
constexpr unsigned long_fingerprint_buckets = 49;
/// So that a small filter can grow far: 8 KiB.
constexpr std::uint64_t least_rows = 128;

void ask_for_long_fingerprints(creation& wanted, std::uint64_t capacity, bool grows) {
    const line_shape line(long_fingerprint_buckets, static_cast<unsigned>(quotient_spec::most_extension_bits));
    // Two thirds of the empty slots of a full table are not counted on.
    const std::uint64_t slots = capacity + millionths_of(capacity, 3 * (one_in_millionths - quotient_spec::full_load));
    const std::uint64_t needed = slots / line.slots + 1;
    const std::uint64_t rows = grows ? std::max(needed, least_rows) : needed;
    const auto set = [&](const char* name, std::uint64_t value) {
        wanted.request.parameters.push_back({name, std::to_string(value)});
    };
    set("rows", rows);
    set("initial_lines", rows);
    set("buckets", long_fingerprint_buckets);
    set("remainder_bits", long_fingerprint_bits);
    set("planned_keys", capacity);
}

} // namespace

creation bloom_creation(const bloom_options& options) {
    creation wanted;
    const std::uint64_t capacity = std::min(options.capacity, most_capacity);
    const bool grows = options.expansion != 0;
    wanted.request.kind = "quotient";
    wanted.target = {capacity, options.error_rate};
    if (options.deletable) {
        ask_for_long_fingerprints(wanted, capacity, grows);
    } else {
        const std::uint64_t planned = grows ? std::max(least_plan, capacity * planned_growth) : capacity;
        wanted.request.items = capacity;
        wanted.request.fpr = options.error_rate;
        wanted.request.parameters.push_back({"planned_keys", std::to_string(planned)});
    }
    wanted.facts.family = command_family::bloom;
    wanted.facts.capacity = capacity;
    wanted.facts.expansion = options.expansion;
    wanted.facts.deletable = options.deletable;
    wanted.hasher = new_hasher();
    return wanted;
}

int bf_reserve(const call& now) {
    const auto deletable = now.count() > 4 ? now.find("DELETABLE", 4) : std::nullopt;
    if (now.count() < 4 || now.count() > (deletable ? 8U : 7U)) return now.wrong_arity();
    bloom_options options;
    options.deletable = deletable || current_settings.deletable;
    const auto rate = now.number(2);
    if (!rate) return now.error("ERR bad error rate");
    if (!(*rate > 0) || !(*rate < 1)) return now.error("ERR (0 < error rate range < 1) ");
    options.error_rate = *rate;
    const auto capacity = now.integer(3);
    if (!capacity) return now.error("ERR bad capacity");
    if (*capacity <= 0) return now.error("ERR (capacity should be larger than 0)");
    options.capacity = static_cast<std::uint64_t>(*capacity);
    const bool fixed = now.find("NONSCALING", 4).has_value();
    if (const auto at = now.find("EXPANSION", 4)) {
        if (*at + 1 == now.count()) return now.error("ERR no expansion");
        const auto expansion = now.integer(*at + 1);
        if (!expansion) return now.error("ERR bad expansion");
        if (*expansion < 1) return now.error("ERR expansion should be greater or equal to 1");
        if (fixed) return now.error("Nonscaling filters cannot expand");
        options.expansion = static_cast<std::uint64_t>(*expansion);
    }
    if (fixed) options.expansion = 0;

    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (!key.is_absent()) {
        return now.error(key.of(command_family::bloom) != nullptr ? exists_text : wrong_type_text);
    }
    if (create_value(now, key, now.argument(1), bloom_creation(options)) == nullptr) return api_ok;
    now.notify("bf.reserve", now.argument(1));
    return now.ok();
}

} // namespace everbloom::redis
