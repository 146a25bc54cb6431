// Jobs: merges and resizes of large filters, in steps between the commands of other clients.
//
// The client that asked for it is blocked. A timer takes a step of one job, then the server serves others, and the jobs take turns. At the end
// the new table is put in place, the command is replicated and its client gets the reply. Until then nothing has changed, so that a job can be
// given up at any time: it is when its client goes away, or when a filter that takes part is deleted, replaced, moved or flushed.
//
// The order of changes is that of commands without jobs. A command that is about to change a filter of a job brings that to its end first; so
// does one that begins to merge from a filter which a job is about to change. So a job never has to wait for another one.
#pragma once

#include "shaping.hpp"

namespace everbloom::redis {

/// Replies to the command, after the work or, by a job, later. What is one step is done at once, and so is everything where a client cannot
/// be blocked: in transactions and scripts, and when a primary or a file is followed.
int carry_out(const call& now, shaping work);

/// Brings jobs to their end that will change the filter behind this key. For those that are about to change it: finish_jobs_with (call.hpp).
void finish_jobs_into(const call& now, module_string* name) noexcept;

/// Gives up the jobs that this value takes part in: it is no longer behind its key.
void cancel_jobs_with(const stored_filter* value) noexcept;

/// For INFO.
[[nodiscard]] std::size_t jobs_under_way() noexcept;

/// Tells the server that jobs want to know of databases which are flushed or swapped. False if it refuses.
[[nodiscard]] bool watch_databases(module_context* context) noexcept;

} // namespace everbloom::redis
