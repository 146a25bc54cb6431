// last_words: what the program says when it ends in an error, with the right exit status: has a file been changed before, or not?
//
// Nothing in here allocates: memory may be what went wrong. Out of memory is a failure like any other, and nearly everywhere an exception
// or a value. Three places remain: the initialisers that run before main, functions that promise not to throw (destructors of JSON
// values allocate), and the C++ runtime itself, which needs memory to throw at all. They end in std::terminate, which here ends the
// program in words instead of a core dump.
#pragma once

#include <everbloom/core/failure.hpp>

namespace everbloom::cli {

/// "names.eb: changed, but " and what went wrong afterwards. Returns exit_changed.
int report_after_change(const char* what) noexcept;

/// One sentence. Returns exit_trouble, or exit_changed if files were changed before it happened.
int report_failure(const failure& what) noexcept;

/// The report could not be printed, for this reason (of errno).
int report_unwritten_output(int reason) noexcept;

/// Memory ran out.
int report_no_memory() noexcept;

/// Standard input, output or error that were closed when the program started get a descriptor that nothing can be read from or written to.
/// Otherwise the next file to be opened would take their number, and messages would go into it.
void occupy_closed_streams() noexcept;

/// Until something catches them, the signals that end a program by a user's wish end this one with a sentence.
void announce_interruptions() noexcept;

} // namespace everbloom::cli
