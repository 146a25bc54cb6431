// libFuzzer: a file of patterns and some data. Lines are parsed or refused in words; what is parsed is written and read back unchanged; and
// the matcher finds what a comparison at every offset finds, with and without its filter, in one piece or in two.
#include "demand.hpp"

#include <gate/patterns/byte_matcher.hpp>
#include <gate/patterns/pattern_line.hpp>

#include <string_view>

namespace {

using namespace everbloom;
using namespace everbloom::cli;

/// Lines up to an empty one are patterns, the rest is data.
struct fuzzed_input {
    byte_pattern_list patterns;
    std::vector<std::uint8_t> data;
};

void take_line(std::string_view line, byte_pattern_list& patterns) {
    pattern_line parsed;
    const auto understood = parse_pattern_line(line, parsed);
    if (!understood) {
        demand(!understood.error().sentence.empty(), "a refusal has words");
        return;
    }
    demand(parsed.words.empty() || parsed.bytes.empty(), "a pattern is words or bytes");
    if (parsed.bytes.empty()) return;
    demand(parsed.bytes.size() <= most_pattern_bytes && parsed.mask.size() == parsed.bytes.size(), "a length is legal");
    patterns.add({parsed.bytes, parsed.mask});
    const byte_pattern added = patterns[patterns.count() - 1];
    pattern_line again;
    demand(parse_pattern_line(added.text(), again).has_value(), "what was written can be read");
    demand(std::ranges::equal(added.bytes, again.bytes) && std::ranges::equal(added.mask, again.mask),
           "and is the same pattern");
}

fuzzed_input input_from(std::string_view text) {
    fuzzed_input made;
    while (!text.empty() && text.front() != '\n' && made.patterns.count() < 50) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        take_line(text.substr(0, end), made.patterns);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    made.data.assign(text.begin(), text.end());
    made.patterns.remove_duplicates();
    return made;
}

/// A pattern that begins before `border` and ends behind it; 0: anywhere.
bool is_in(const byte_pattern_list& patterns, std::span<const std::uint8_t> data, std::size_t border) {
    for (std::size_t i = 0; i < patterns.count(); ++i) {
        const byte_pattern one = patterns[i];
        for (std::size_t at = 0; at + one.size() <= data.size(); ++at) {
            if (border != 0 && (at >= border || at + one.size() <= border)) continue;
            if (one.matches(data.data() + at)) return true;
        }
    }
    return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size > 4096) return 0;
    const fuzzed_input input = input_from({reinterpret_cast<const char*>(bytes), size});
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(1));
    const bool expected = is_in(input.patterns, input.data, 0);
    const std::size_t half = input.data.size() / 2;
    const std::span<const std::uint8_t> data(input.data);
    const bool across = half != 0 && is_in(input.patterns, data, half);
    for (const auto lookup : {window_lookup::by_filter, window_lookup::by_table}) {
        const auto matcher = byte_matcher::make(input.patterns, hash, lookup);
        demand(matcher.has_value(), "a matcher can be made");
        demand(matcher->find(data).has_value() == expected, "it finds what is there");
        demand(matcher->find_across(data.first(half), data.subspan(half)).has_value() == across,
               "also across a border");
    }
    return 0;
}
