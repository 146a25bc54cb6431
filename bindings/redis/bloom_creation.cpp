// How BF.RESERVE, BF.INSERT and the first BF.ADD make a filter.
#include "bloom_commands.hpp"
#include "settings.hpp"

#include <everbloom/filter/elastic/elastic_blocked_spec.hpp>

#include <algorithm>
#include <bit>

namespace everbloom::redis {
namespace {

/// The FPR of a filter that may grow is kept up to this many keys, or 16 times its capacity.
constexpr std::uint64_t least_plan = std::uint64_t{1} << 24;
constexpr std::uint64_t planned_growth = 16;
constexpr std::uint64_t certainty_bits = 30;
constexpr std::uint64_t least_word_bits = 40;
constexpr std::uint64_t most_word_bits = elastic_blocked_spec::most_word_bits;
/// Larger ones would need more memory than any machine has; sums with them do not overflow.
constexpr std::uint64_t most_capacity = std::uint64_t{1} << 48;

} // namespace

creation bloom_creation(const bloom_options& options) {
    creation wanted;
    const std::uint64_t capacity = std::min(options.capacity, most_capacity);
    wanted.request.kind = options.deletable ? "elastic_blocked" : "quotient";
    wanted.request.items = capacity;
    wanted.request.fpr = options.error_rate;
    const std::uint64_t planned = options.expansion == 0 ? capacity : std::max(least_plan, capacity * planned_growth);
    if (options.deletable) {
        // n keys are told from others with a mistake below 1e-9 by log2(n) + 30 bits.
        const std::uint64_t bits = certainty_bits + static_cast<std::uint64_t>(std::bit_width(planned - 1));
        wanted.request.parameters.push_back(
            {"word_bits", std::to_string(std::clamp(bits, least_word_bits, most_word_bits))});
    } else {
        wanted.request.parameters.push_back({"planned_keys", std::to_string(planned)});
    }
    wanted.target = {capacity, options.error_rate};
    wanted.facts.family = command_family::bloom;
    wanted.facts.capacity = capacity;
    wanted.facts.expansion = options.expansion;
    wanted.hasher = new_hasher();
    return wanted;
}

int bf_reserve(const call& now) {
    const auto deletable = now.count() > 4 ? now.find("DELETABLE", 4) : std::nullopt;
    if (now.count() < 4 || now.count() > (deletable ? 8U : 7U)) return now.wrong_arity();
    bloom_options options;
    options.deletable = deletable.has_value();
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
