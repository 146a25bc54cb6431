// libFuzzer: bytes become a filter of another program, or are refused; a filter that is read answers, has facts, and is written again.
//
// The first byte chooses the format, all of those that the library reads; the rest is the file. A crash, a sanitizer's report or a failed
// demand below is a finding. Now and then the mutator starts anew from a small filter of some format.
#include "demand.hpp"
#include "fresh_inputs.hpp"

#include <everbloom/foreign/foreign_filter.hpp>
#include <everbloom/probe/mix.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace everbloom;

constexpr auto& formats = known_foreign_formats;

void use(const foreign_filter& filter) {
    const std::array<std::string_view, 4> keys{"", "a", "key1",
                                               "a key that is longer than a block of the hash functions"};
    std::array<digest, keys.size()> digests;
    filter.hash(keys, digests);
    digests[0] = {~std::uint64_t{0}, ~std::uint64_t{0}};
    std::array<std::uint8_t, keys.size()> answers{};
    filter.may_contain(digests, answers);
    for (const std::uint8_t answer : answers) demand(answer <= 1, "an answer is 0 or 1");
    const foreign_facts facts = filter.facts();
    demand(facts.fpr >= 0 && facts.fpr <= 1, "the rate is a rate");
    demand(std::isfinite(facts.items) && facts.items >= 0, "the items are a number");
    demand(facts.occupied <= facts.bits || filter.format() == foreign_format::dcso,
           "no more bits are set than there are");
}

std::vector<std::byte> fresh_input(std::uint64_t seed) {
    const std::size_t which = seed % 3; // dcso, guava, parquet
    std::vector<std::byte> made{static_cast<std::byte>(which)};
    auto filter = foreign_filter::plan(formats[which], 1 + mix(seed) % 40, 0.02);
    if (!filter) return made;
    for (std::uint64_t i = 0; i < seed % 30; ++i) {
        const digest item{mix(i), mix(~i)};
        filter->insert(std::span(&item, 1));
    }
    const auto bytes = filter->write();
    made.insert(made.end(), bytes.begin(), bytes.end());
    return made;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return mutated_or_fresh(data, size, most, seed, fresh_input);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const foreign_format format = formats[data[0] % formats.size()];
    const auto* from = reinterpret_cast<const std::byte*>(data);
    const std::vector<std::byte> bytes(from + 1, from + size); // a copy of exact size: one byte too far is seen
    const auto guess = guess_foreign(bytes);
    const auto filter = foreign_filter::read(format, bytes);
    if (!filter) {
        demand(!filter.error().sentence.empty(), "a refusal has words");
        demand(filter.error().reason == failure_reason::damaged || filter.error().reason == failure_reason::unsupported,
               "bytes that are no filter are damaged, or unsupported");
        return 0;
    }
    demand(filter->write_as(format) == bytes, "nothing in an accepted file was ignored");
    demand(format == foreign_format::parquet_bitset || guess, "an intact filter is recognised");
    use(*filter);
    return 0;
}
