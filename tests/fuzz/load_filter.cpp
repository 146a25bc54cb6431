// libFuzzer: bytes become a filter, or are refused; a filter that loads is used, saved and loaded again.
//
// The first byte chooses: even, the rest is loaded as it is; odd, its checksums are made right first, as an attacker would, so that
// the fuzzer gets past them to the checks of meaning. A crash, a sanitizer's report or a failed demand below is a finding.
// Now and then the mutator starts anew from a small file of some kind, so that a new kind is fuzzed before it has a seed.
#include "demand.hpp"
#include "fresh_inputs.hpp"
#include "hostile/raw_file.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cmath>

namespace {

using namespace everbloom;

constexpr std::size_t strangers = 48;

void look_at(const any_filter& filter, std::span<const digest> items) {
    std::array<std::uint8_t, strangers> answers{};
    filter.may_contain(items, answers);
    for (std::size_t i = 0; i < items.size(); ++i) {
        demand(filter.may_contain(items[i]) == (answers[i] != 0), "one by one and in a batch the answer is the same");
        if (!filter.can(capability::count)) continue;
        const bool counts = filter.estimate_count(items[i]).value() != 0;
        // A kind that confirms knows better than its cells: it counts nothing where they are wrong.
        const bool may_count = answers[i] != 0;
        demand(filter.can(capability::confirm) ? may_count || !counts : !may_count || counts,
               "what may be there counts");
    }
    const measurement seen = filter.measure();
    demand(seen.fpr >= 0 && seen.fpr <= 1, "the rate is a rate");
    demand(std::isfinite(seen.items) && seen.items >= 0, "the items are a number");
    const cell_census census = filter.census(5, 4);
    std::uint64_t cells = 0;
    for (const std::uint64_t one : census.values) cells += one;
    demand(cells == filter.cells(), "the census counts every cell");
}

void check_round_trip(const filter_file& file) {
    const auto written = write_filter(file);
    const auto again = read_filter(written);
    demand(again.has_value(), "what was written can be read");
    demand(write_filter(*again) == written, "and is the same");
}

void change(any_filter& filter, std::span<const digest> items) {
    std::array<insert_outcome, strangers> inserted{};
    demand(filter.insert(items, inserted).has_value(), "a filter in memory takes keys");
    for (std::size_t i = 0; i < items.size(); ++i) {
        demand(!succeeded(inserted[i]) || filter.may_contain(items[i]) || find_kind(filter.kind())->loses_members,
               "an inserted key is found");
    }
    if (filter.can(capability::erase)) {
        std::array<erase_outcome, strangers> erased{};
        demand(filter.erase(items, erased).has_value(), "a kind that removes removes");
    }
    if (filter.can(capability::merge)) {
        auto other = build_like(filter);
        demand(other.has_value(), "there is room for a second one");
        // An exclusion list, or seeds that the empty one does not have, are reasons not to merge.
        const auto merged_or_refused = [](const result<void>& done) {
            return done.has_value() || done.error().reason == failure_reason::no_room ||
                   done.error().reason == failure_reason::mismatch ||
                   done.error().reason == failure_reason::unsupported;
        };
        demand(merged_or_refused(other->merge(filter)) && merged_or_refused(filter.merge(*other)),
               "equals can be merged, unless there is a reason not to");
    }
}

void use(filter_file& file) {
    std::array<digest, strangers> items;
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = {mix(i), mix(~i)};
    items[0] = {0, 0};
    items[1] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    look_at(file.filter(), items);
    check_round_trip(file);
    if (!file.filter().can(capability::insert)) return;
    change(file.filter(), items);
    look_at(file.filter(), items);
    check_round_trip(file);
}

/// A small file of one of the kinds, behind the byte that asks for checksums to be mended.
hostile::file_bytes fresh_input(std::uint64_t seed) {
    const auto& kinds = known_kinds();
    hostile::file_bytes made{std::byte{1}};
    auto built = build({std::string(kinds[seed % kinds.size()].name), 1 + mix(seed) % 30, 0.02, {}});
    if (!built) return made;
    filter_file file;
    file.handle = keyed(std::move(*built), any_hasher());
    for (std::uint64_t i = 0; i < seed % 30 && file.filter().can(capability::insert); ++i) {
        if (!file.handle.insert(i)) break;
    }
    const auto bytes = write_filter(file);
    made.insert(made.end(), bytes.begin(), bytes.end());
    return made;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return mutated_or_fresh(data, size, most, seed, fresh_input);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto* from = reinterpret_cast<const std::byte*>(data);
    hostile::file_bytes bytes(from + 1, from + size); // a copy of exact size: one byte too far is seen
    if (data[0] % 2 == 1) hostile::seal(bytes);
    auto loaded = read_filter(bytes);
    if (!loaded) {
        demand(!loaded.error().sentence.empty(), "a refusal has words");
        demand(loaded.error().reason == failure_reason::damaged, "bytes that are no filter are damaged");
        return 0;
    }
    demand(write_filter(*loaded) == bytes, "nothing in an accepted file was ignored");
    use(*loaded);
    return 0;
}
