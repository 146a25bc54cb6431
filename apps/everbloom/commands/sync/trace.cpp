#include "commands/sync/trace.hpp"

#include "commands/sync/list_file.hpp"
#include "frame/interruption.hpp"
#include "keys/block_reader.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/jobs/canonical_key.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace everbloom::cli {
namespace {

/// Does a comment contain words like "+31460" and "-0"?
bool counts_changes(std::string_view comment) {
    bool added = false;
    bool removed = false;
    while (!comment.empty()) {
        const std::size_t end = std::min(comment.find(' '), comment.size());
        const std::string_view word = comment.substr(0, end);
        const bool is_count = word.size() > 1 && word.find_first_not_of("0123456789", 1) == std::string_view::npos;
        added |= is_count && word.front() == '+';
        removed |= is_count && word.front() == '-';
        comment.remove_prefix(std::min(end + 1, comment.size()));
    }
    return added && removed;
}

class trace_parser {
public:
    explicit trace_parser(const key_format& format) : format_(format), canonical_(format.type) {}

    result<void> take(std::string_view line) {
        if (format_.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with('#')) {
            line.remove_prefix(line.starts_with("# ") ? 2 : 1);
            if (!counts_changes(line)) return {};
            if (revisions_.size() == most_revisions) {
                return fail(failure_reason::bad_parameter,
                            fmt::format("more than {} revisions; split the trace", grouped(most_revisions)));
            }
            revisions_.push_back({std::string(line), {}});
            return {};
        }
        if (!line.starts_with('+') && !line.starts_with('-')) {
            return fail(
                failure_reason::bad_parameter,
                fmt::format("'{}' is not a line of a trace: it must begin with +, - or #; a plain list is given "
                            "without --trace",
                            printable(line)));
        }
        const auto key = canonical_(line.substr(1));
        if (!key) return fail(malformed_key(format_.type, line.substr(1), key_type_flag));
        if (auto fits = check_listable(*key); !fits) return fits;
        if (revisions_.empty()) revisions_.emplace_back();
        revisions_.back().steps.add(line.front() == '+' ? trace_verb::add : trace_verb::remove, *key);
        return {};
    }

    [[nodiscard]] std::vector<trace_revision> finish() { return std::move(revisions_); }

private:
    const key_format& format_;
    canonical_key canonical_;
    std::vector<trace_revision> revisions_;
};

} // namespace

void trace_steps::add(trace_verb verb, std::string_view key) {
    constexpr std::size_t page_bytes = std::size_t{1} << 20;
    constexpr std::size_t most_before_key = 11; // the sign, and a length of 64 bits
    if (pages_.empty() || pages_.back().size() + most_before_key + key.size() > page_bytes) pages_.emplace_back();
    std::string& page = pages_.back();
    page += verb == trace_verb::add ? '+' : '-';
    std::size_t length = key.size();
    for (; length >= 0x80; length >>= 7) page += static_cast<char>((length & 0x7f) | 0x80);
    page += static_cast<char>(length);
    page += key;
}

result<std::vector<trace_revision>> read_trace(const std::string& name, const reading_rules& rules,
                                               const key_format& format, const cancellation& cancel) {
    auto files = find_key_files({name}, rules);
    if (!files) return fail(std::move(files.error()));
    block_reader reader(*files, format.separator, cancel);
    trace_parser parser(format);
    std::uint64_t line = 0;
    const auto place = [&] { return fmt::format("{}, line {}", display_name(name), line); };
    for (key_block block; reader.next(block);) {
        std::string_view rest = block.text();
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(format.separator), rest.size());
            ++line;
            if (auto taken = parser.take(rest.substr(0, end)); !taken) {
                return fail(in(place(), std::move(taken.error())));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        if (!block.error) continue;
        ++line;
        return fail(block.error_is_in_a_key ? in(place(), std::move(*block.error)) : std::move(*block.error));
    }
    if (cancel.requested()) return fail(failure_reason::input_output, interruption::sentence);
    return parser.finish();
}

replayed_revision replay(const key_list& list, const trace_revision& revision, key_arena& arena) {
    replayed_revision made;
    struct membership {
        bool before;
        bool now;
    };
    std::unordered_map<std::string_view, membership> touched;
    revision.steps.for_each([&](trace_verb verb, std::string_view key) {
        auto [found, is_new] = touched.try_emplace(key);
        if (is_new) {
            const bool is_member = std::binary_search(list.begin(), list.end(), key);
            found->second = {is_member, is_member};
        }
        const bool wanted = verb == trace_verb::add;
        if (found->second.now == wanted) ++(wanted ? made.additions_ignored : made.removals_ignored);
        found->second.now = wanted;
    });
    for (const auto& [key, member] : touched) {
        if (member.before == member.now) continue;
        if (member.now) made.change.added.push_back(arena.keep(key));
        if (member.before) made.change.removed.push_back(key);
    }
    std::sort(made.change.added.begin(), made.change.added.end());
    std::sort(made.change.removed.begin(), made.change.removed.end());
    return made;
}

} // namespace everbloom::cli
