// hot_loops: every loop whose speed matters, once, for tools/check_instructions to count.
//
//   valgrind --tool=callgrind everbloom_hot_loops       a dump of callgrind per loop, whose trigger names it: "20000 keys: blocked, ..."
//
// Instructions are no times, but they do not depend on what else the machine does: a loop that needs a tenth more of them than before has
// been changed, and somebody should know. Filters are small, because memory makes no instructions.
#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/planner.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(label) ((void)(label))
#endif

#if defined(__clang__)
#define EVERBLOOM_COMPILER "clang " __VERSION__
#else
#define EVERBLOOM_COMPILER "g++ " __VERSION__
#endif

namespace everbloom {
namespace {

constexpr std::size_t many = 20'000;

/// Runs a loop over so many things; what it gives back is printed, so that no compiler can leave it out.
template <class Loop>
void count(std::size_t things, const std::string& name, Loop loop) {
    const std::string label = std::to_string(things) + " " + name;
    CALLGRIND_ZERO_STATS;
    const std::size_t done = loop();
    CALLGRIND_DUMP_STATS_AT(label.c_str());
    std::printf("%s: %zu\n", label.c_str(), done);
}

template <class T>
T must(result<T> made) {
    if (made) return std::move(*made);
    std::fprintf(stderr, "everbloom_hot_loops: %s\n", made.error().sentence.c_str());
    std::exit(2);
}
void must(const result<void>& done) {
    if (done) return;
    std::fprintf(stderr, "everbloom_hot_loops: %s\n", done.error().sentence.c_str());
    std::exit(2);
}

std::vector<digest> digests_from(std::uint64_t first) {
    std::vector<digest> made(many);
    for (std::size_t i = 0; i < many; ++i) made[i] = {mix(2 * (first + i) + 1), mix(2 * (first + i) + 2)};
    return made;
}

/// Calls `act(part, room)` for batches, with as much of `room` as there are items in them.
template <class Room, class Act>
std::size_t in_batches(const std::vector<digest>& items, Act act) {
    std::array<Room, batch_items> room{};
    std::size_t sum = 0;
    for (std::size_t from = 0; from < items.size(); from += batch_items) {
        const std::size_t part = std::min(batch_items, items.size() - from);
        act(std::span(items).subspan(from, part), std::span(room).first(part));
        for (std::size_t i = 0; i < part; ++i) sum += static_cast<std::size_t>(room[i]);
    }
    return sum;
}

void count_kind(const kind_info& kind) {
    const std::string name(kind.name);
    const build_request wanted{name, many, 0.01, {}};
    any_filter filter = must(build(wanted));
    const auto members = digests_from(0);
    const auto others = digests_from(many);
    const auto ask = [&](const std::vector<digest>& items) {
        return in_batches<std::uint8_t>(items, [&](auto part, auto answers) { filter.may_contain(part, answers); });
    };
    count(many, "keys: " + name + ", insert batch", [&] {
        return in_batches<insert_outcome>(members,
                                          [&](auto part, auto outcomes) { must(filter.insert(part, outcomes)); });
    });
    count(many, "keys: " + name + ", absent batch", [&] { return ask(others); });
    count(many, "keys: " + name + ", present batch", [&] { return ask(members); });
    count(many, "keys: " + name + ", absent single", [&] {
        std::size_t found = 0;
        for (const digest& one : others) found += filter.may_contain(one) ? 1 : 0;
        return found;
    });
    if (filter.can(capability::confirm)) {
        count(many, "keys: " + name + ", confirm batch", [&] {
            return in_batches<std::uint8_t>(members,
                                            [&](auto part, auto answers) { must(filter.confirm(part, answers)); });
        });
    }
    if (filter.can(capability::erase)) {
        count(many, "keys: " + name + ", erase batch", [&] {
            return in_batches<erase_outcome>(members,
                                             [&](auto part, auto outcomes) { must(filter.erase(part, outcomes)); });
        });
    }
    any_filter singly = must(build(wanted));
    count(many, "keys: " + name + ", insert single", [&] {
        std::size_t sum = 0;
        for (const digest& one : members) sum += static_cast<std::size_t>(must(singly.insert(one)));
        return sum;
    });
}

void count_hashes() {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < many; ++i) texts.push_back("key-" + std::to_string(10'000'000 + i)); // 12 bytes
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    std::vector<digest> digests(many);
    for (const hash_id id : known_hashes) {
        const any_hasher hash(id, hash_key::from_seed(1));
        count(many, "keys: " + std::string(name_of(id)) + ", 12 bytes", [&] {
            hash(keys, digests);
            return static_cast<std::size_t>(digests.back().low % 1000);
        });
    }
}

void count_plans() {
    const workload million{1'000'000, 0.01};
    const auto plan = [&](const std::string& name, const expected_lifetime& lifetime) {
        const planning_request wanted{.wanted = million, .lifetime = lifetime};
        count(1, "plan: best kind, " + name, [&] { return must(best_kind(wanted)).has_value() ? 1U : 0U; });
        count(1, "plan: all kinds, " + name, [&] { return must(rank_kinds(wanted)).candidates.size(); });
    };
    plan("no lifetime given", any_lifetime);
    plan("30 % removed", {.removed_share = 0.3});
    plan("3 churn rounds", {.churn_rounds = 3});
    plan("growth 1000x", {.growth = 1000});
}

} // namespace
} // namespace everbloom

int main() {
    using namespace everbloom;
    std::printf("compiler: %s\n", EVERBLOOM_COMPILER);
    count_plans(); // before anything is remembered
    count_hashes();
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::insert)) count_kind(kind);
    }
    return 0;
}
