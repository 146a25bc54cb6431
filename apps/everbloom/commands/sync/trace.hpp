// trace: the history of a list as lines `+key`, `-key` and `# comment`.
//
// A comment with the numbers of changes, as in `# 2019-03-25 size=31460 +31460 -0`, begins a revision; other comments are ignored.
#pragma once

#include "frame/cancellation.hpp"
#include "keys/byte_stream.hpp"
#include "keys/key_batches.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/key_list.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

enum class trace_verb : std::uint8_t { add, remove };

/// The steps of a revision, about as large as their lines: `+` or `-`, the length of the key, the key.
class trace_steps {
public:
    /// `key` in its canonical spelling.
    void add(trace_verb verb, std::string_view key);

    /// Calls visit(verb, key) for each step in order. The keys are valid as long as this.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const std::string& page : pages_) {
            for (std::string_view rest = page; !rest.empty();) {
                const trace_verb verb = rest[0] == '+' ? trace_verb::add : trace_verb::remove;
                std::size_t length = 0;
                std::size_t at = 1;
                for (unsigned shift = 0;; shift += 7) {
                    const auto byte = static_cast<unsigned char>(rest[at++]);
                    length |= std::size_t{byte & 0x7fU} << shift;
                    if (byte < 0x80) break;
                }
                visit(verb, rest.substr(at, length));
                rest.remove_prefix(at + length);
            }
        }
    }

private:
    std::vector<std::string> pages_; // pages, so that growing copies nothing
};

struct trace_revision {
    std::string mark; // the comment without its #, or empty
    trace_steps steps;
};

/// Each has a line of output.
inline constexpr std::size_t most_revisions = 100'000;

/// The whole trace, before anything is changed; a malformed line is a failure with its line number.
[[nodiscard]] result<std::vector<trace_revision>> read_trace(const std::string& name, const reading_rules& rules,
                                                             const key_format& format, const cancellation& cancel);

/// The net change of a list by a revision. Steps without effect (adding a member, removing an absent key) are counted.
struct replayed_revision {
    list_change change;
    std::uint64_t additions_ignored = 0;
    std::uint64_t removals_ignored = 0;
};
/// The keys that it adds go into the arena.
[[nodiscard]] replayed_revision replay(const key_list& list, const trace_revision& revision, key_arena& arena);

} // namespace everbloom::cli
