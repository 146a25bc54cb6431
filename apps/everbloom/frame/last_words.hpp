// last_words: error messages at the end of the program, with the exit status: was a file changed before the error, or not?
//
// Nothing in here allocates: memory may be what ran out. Out of memory is a failure like any other, and nearly everywhere an exception
// or a value. Three places remain: the initialisers that run before main, functions that are noexcept (destructors of JSON values
// allocate), and the C++ runtime itself, which needs memory to throw. They end in std::terminate, which here ends the program with a
// message instead of a core dump.
#pragma once

#include <everbloom/core/failure.hpp>

namespace everbloom::cli {

/// "names.eb: changed, but " and what failed afterwards. Returns exit_changed.
int report_after_change(const char* what) noexcept;

/// One line. Returns exit_error, or exit_changed if files were changed before the failure.
int report_failure(const failure& what) noexcept;

/// The report could not be printed; `reason` is an errno.
int report_unwritten_output(int reason) noexcept;

/// Memory ran out.
int report_no_memory() noexcept;

/// Gives closed standard streams a descriptor that can be neither read nor written. Otherwise the next file to be opened would get their
/// number, and messages would go into it.
void occupy_closed_streams() noexcept;

/// Until a handler is set, SIGINT, SIGTERM and SIGHUP end the program with a message.
void announce_interruptions() noexcept;

} // namespace everbloom::cli
