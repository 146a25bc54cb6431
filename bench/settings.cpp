#include "settings.hpp"

#include "questions.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace everbloom::bench {
namespace {

settings chosen_settings;

constexpr std::uint64_t normal_items = 1'000'000;
constexpr std::uint64_t quick_items = 100'000;
constexpr std::uint64_t fewest_items = 1'000; // below, one pass over the keys is too short for a clock

/// Takes the arguments one by one; the value of a flag follows it or is glued to it with "=".
class settings_reader {
public:
    explicit settings_reader(const std::vector<std::string>& arguments) : left_(arguments.begin(), arguments.end()) {}

    [[nodiscard]] result<settings> read_all() {
        while (!left_.empty()) {
            if (auto read = read_one(); !read) return fail(std::move(read.error()));
        }
        made_.items = items_.value_or(made_.pace == haste::quick ? quick_items : normal_items);
        return std::move(made_);
    }

private:
    [[nodiscard]] result<void> read_one() {
        const std::string argument = take();
        const std::string flag = argument.substr(0, argument.find('='));
        if (argument == "--quick") {
            made_.pace = haste::quick;
        } else if (argument == "--help" || argument == "-h") {
            made_.wanted = wish::explain;
        } else if (flag == "--items" || flag == "--fpr" || flag == "--kinds" || flag == "--json") {
            if (argument == flag && left_.empty()) {
                return fail(failure_reason::bad_parameter, flag + " needs a value behind it");
            }
            return read_value(flag, argument == flag ? take() : argument.substr(flag.size() + 1));
        } else {
            made_.passed_on.push_back(argument);
        }
        return {};
    }

    [[nodiscard]] result<void> read_value(std::string_view flag, const std::string& text) {
        if (flag == "--items") return read_items(text);
        if (flag == "--fpr") return read_fpr(text);
        if (flag == "--kinds") return read_kinds(text);
        made_.json_path = text;
        return {};
    }

    [[nodiscard]] result<void> read_items(const std::string& text) {
        const auto items = parse_size(text);
        if (!items) return fail(in("--items", items.error()));
        if (*items < fewest_items) {
            return fail(failure_reason::bad_parameter,
                        fmt::format("--items: {} is too few to time; use at least {}", text, fewest_items));
        }
        items_ = *items;
        return {};
    }

    [[nodiscard]] result<void> read_fpr(const std::string& text) {
        const auto rate = parse_rate(text);
        if (!rate) return fail(in("--fpr", rate.error()));
        if (auto checked = check(workload{1, *rate}); !checked) return fail(in("--fpr", std::move(checked.error())));
        made_.fpr = *rate;
        return {};
    }

    [[nodiscard]] result<void> read_kinds(std::string_view text) {
        while (!text.empty()) {
            const std::string_view name = text.substr(0, text.find(','));
            if (find_kind(name) == nullptr) return fail(in("--kinds", unknown_kind(name)));
            made_.kinds.emplace_back(name);
            text.remove_prefix(std::min(name.size() + 1, text.size()));
        }
        return {};
    }

    [[nodiscard]] std::string take() {
        std::string first = std::move(left_.front());
        left_.pop_front();
        return first;
    }

    std::deque<std::string> left_;
    std::optional<std::uint64_t> items_;
    settings made_;
};

} // namespace

bool settings::includes(std::string_view kind) const noexcept {
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool settings::passes_on(std::string_view flag) const noexcept {
    return std::any_of(passed_on.begin(), passed_on.end(),
                       [&](std::string_view argument) { return argument.substr(0, argument.find('=')) == flag; });
}

result<settings> read_settings(const std::vector<std::string>& arguments) {
    return settings_reader(arguments).read_all();
}

std::string help_text() {
    std::string text = R"(everbloom_bench: how fast the filters of everbloom are, beside each other, beside the other
libraries found on this machine, and beside what the memory itself allows.

Without arguments it asks every question below about every kind, with a million keys, in about two minutes. All
repetitions of all measurements are shuffled, so that a slow moment of the machine hits everybody; the best
repetition counts. Every filter is checked before it is timed: a wrong answer is an error, not a number.

Our flags:
  --items N       keys per filter: 1e6 (default), 10M, 1e8 ...
  --fpr P         the rate of false positives the filters are planned for: 1% (default), 0.001 ...
  --kinds A,B     only these kinds
  --quick         a first look in seconds: 100 000 keys unless --items says otherwise, short repetitions
  --json FILE     the numbers also as JSON: every repetition, and the ratios
  --help          this text

Questions (the first part of each benchmark's name):
)";
    for (const question& one : questions) text += fmt::format("  {:15} {}\n", one.name, one.title);
    text += R"(
Flags of Google Benchmark are passed on, for example:
  --benchmark_filter=REGEX         only some: '^lookup_absent/', '/batch/', '/blocked$', or '-^space/' for all but
  --benchmark_list_tests           the names, without measuring
  --benchmark_repetitions=N        at least 5 by default, more where two minutes allow it
  --benchmark_min_time=SECONDS     per repetition
  --benchmark_format=console       Google Benchmark's own output (console, json, csv) instead of our tables
  --benchmark_out=FILE             the same into a file, beside our tables

Examples:
  everbloom bench
  everbloom bench --items 1e7 --kinds blocked,counting --benchmark_filter=^lookup
)";
    return text;
}

const settings& run_settings() noexcept { return chosen_settings; }
void set_run_settings(settings chosen) { chosen_settings = std::move(chosen); }

} // namespace everbloom::bench
