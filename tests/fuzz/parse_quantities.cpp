// libFuzzer: words as people type them become sizes, rates, numbers and filters, or are refused in words.
//
// The input is cut at newlines: the first line goes through the parsers, all of them together are the arguments of `build`: kind, items,
// rate, and then pairs of a parameter's name and value.
#include "demand.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <cmath>

namespace {

using namespace everbloom;

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from <= text.size() && lines.size() < 16;) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

void parse(const std::string& text) {
    const auto size = parse_size(text);
    demand(size || !size.error().sentence.empty(), "a refusal has words");
    if (size) demand(parse_size(std::to_string(*size)) == *size, "a size in digits is itself");
    const auto rate = parse_rate(text);
    demand(!rate || (*rate >= 0 && *rate <= 1), "a rate lies between 0 and 1");
    const auto number = parse_number(text);
    demand(!number || (std::isfinite(*number) && *number >= 0), "a number is finite and not negative");
}

/// Whether the answer would be so large that making it only tests the machine.
bool is_small(const build_request& wanted) {
    constexpr std::uint64_t most = 100000;
    if (wanted.items && *wanted.items > most) return false;
    for (const parameter_text& one : wanted.parameters) {
        if (const auto value = parse_size(one.value); value && *value > 64 * most) return false;
    }
    return true;
}

void make(const std::vector<std::string>& lines) {
    build_request wanted{lines[0], {}, {}, {}};
    if (lines.size() > 1) {
        if (const auto items = parse_size(lines[1])) wanted.items = *items;
    }
    if (lines.size() > 2) {
        if (const auto rate = parse_rate(lines[2])) wanted.fpr = *rate;
    }
    for (std::size_t i = 3; i + 1 < lines.size(); i += 2) wanted.parameters.push_back({lines[i], lines[i + 1]});
    if (!is_small(wanted)) return;
    auto built = build(wanted);
    if (!built) {
        demand(!built.error().sentence.empty(), "a refusal has words");
        return;
    }
    const digest item{0x0123456789abcdef, 0xfedcba9876543210};
    demand(!built->may_contain(item), "an empty filter is empty");
    if (!built->can(capability::insert)) return;
    demand(built->insert(item).has_value(), "a new filter takes a key");
    demand(built->may_contain(item), "and has it");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto lines = lines_of({reinterpret_cast<const char*>(data), size});
    parse(lines[0]);
    make(lines);
    return 0;
}
