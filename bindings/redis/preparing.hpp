// preparing: large filters that a command needs, made in steps before it runs.
//
// A table of a gigabyte takes a quarter of a second to be set to empty, and so does one that is read from its bytes. Where the client can wait,
// a job (job.hpp) makes the filter, which no key has yet; then the command is run again from its beginning, in one step, and takes it. If
// something else is behind the key by then, the command finds that out as always: it happens as a whole when it ends.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

/// True if the client now waits until an empty filter of this size is prepared.
[[nodiscard]] bool prepare(const call& now, const creation& wanted, std::uint64_t bytes);

/// The same for a filter from the bytes of its file, in an argument.
[[nodiscard]] bool prepare_from_file(const call& now, std::size_t argument);

} // namespace everbloom::redis
