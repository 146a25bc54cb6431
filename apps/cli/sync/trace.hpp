// A trace: the life of a list as lines `+key`, `-key` and `# comment`.
//
// A comment that counts its changes, as in `# 2019-03-25 size=31460 +31460 -0`, begins a revision; other comments are passed over.
#pragma once

#include "cancellation.hpp"
#include "key_list.hpp"
#include "keys/key_batches.hpp"

#include <everbloom/core/result.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

enum class trace_verb : std::uint8_t { add, remove };

struct trace_step {
    trace_verb verb;
    std::string_view key; // in its canonical spelling
};

struct trace_revision {
    std::string mark; // the comment without its #, or nothing
    std::vector<trace_step> steps;
};

/// The whole trace, before anything is done; a malformed line is a failure with its place. The keys go into the arena.
[[nodiscard]] result<std::vector<trace_revision>> read_trace(const std::string& name, const key_format& format,
                                                             key_arena& arena, const cancellation& cancel);

/// What a revision does to a list, in the end. A step that changes nothing (adds a member, removes a stranger) is counted.
struct replayed_revision {
    list_change change;
    std::uint64_t additions_ignored = 0;
    std::uint64_t removals_ignored = 0;
};
[[nodiscard]] replayed_revision replay(const key_list& list, const trace_revision& revision);

} // namespace everbloom::cli
