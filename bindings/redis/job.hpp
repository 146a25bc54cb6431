// Jobs: work on large filters in steps, between the commands of other clients.
//
// The client that asked for it is blocked. A timer takes a step of one job, then the server serves others, and the jobs take turns. At the end
// the result is put in place, the command is replicated and its client gets the reply. Until then nothing has changed, so that a job can be
// given up at any time: it is when its client goes away, or when a filter that takes part is deleted, replaced, moved or flushed.
//
// The order of changes is that of commands without jobs. A command that is about to change a filter of a job brings that to its end first; so
// does one that begins to merge from a filter which a job is about to change. So a job never has to wait for another one.
#pragma once

#include "work.hpp"

namespace everbloom::redis {

/// The reply to the client of a job that was given up.
inline constexpr const char* changed_text =
    "ERR given up, and nothing was changed: a filter of this command was deleted, renamed "
    "or replaced before it was done";

/// As many bytes in a step as there are, and room to round up.
inline constexpr std::uint64_t everything = std::uint64_t{1} << 62;

/// Can the client of this command be blocked? Not in transactions and scripts, and not when a primary or a file is followed. Reading commands of
/// a replica's own clients can wait.
[[nodiscard]] bool may_wait(const call& now);

/// The client waits for this work. It has been begun if it has filters that must not change.
void begin_job(const call& now, std::unique_ptr<work> begun);

/// Brings jobs to their end that will change the filter behind this key. For those that are about to change it: finish_jobs_with (call.hpp).
void finish_jobs_into(const call& now, module_string* name) noexcept;

/// Gives up the jobs that this value takes part in: it is no longer behind its key.
void cancel_jobs_with(const stored_filter* value) noexcept;

/// For INFO.
[[nodiscard]] std::size_t jobs_under_way() noexcept;

/// Tells the server that jobs want to know of databases which are flushed or swapped. False if it refuses.
[[nodiscard]] bool watch_databases(module_context* context) noexcept;

} // namespace everbloom::redis
