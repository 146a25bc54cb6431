// A failure is a value: a reason a program can switch on and a sentence a person can act on.
//
// The sentence says what was wrong, where, and what to do. Callers that know more (a file name, a line) add it with `in` on the way up;
// nothing below apps/ prints it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace everbloom {

/// Why something failed, for a program.
enum class failure_reason {
    bad_parameter, // a number out of range, or an unknown name
    unsupported,   // this kind cannot do that
    mismatch,      // two filters that do not fit together
    damaged,       // bytes that are not an intact filter
    out_of_memory, // too large for this machine, or the allocation failed
    input_output,  // a system call to read or write failed
    busy,          // another writer holds the file
    no_room,       // the keys do not fit into the size asked for
    not_durable,   // the new file is in its place, but may not survive a power cut
};

/// A failure as a value.
struct failure {
    /// For a program.
    failure_reason reason;
    /// For a person: what was wrong, where, and what to do.
    std::string sentence;
};

/// The name of a reason, "damaged" or another.
[[nodiscard]] constexpr std::string_view name_of(failure_reason reason) noexcept {
    switch (reason) {
    case failure_reason::bad_parameter: return "bad_parameter";
    case failure_reason::unsupported: return "unsupported";
    case failure_reason::mismatch: return "mismatch";
    case failure_reason::damaged: return "damaged";
    case failure_reason::out_of_memory: return "out_of_memory";
    case failure_reason::input_output: return "input_output";
    case failure_reason::busy: return "busy";
    case failure_reason::no_room: return "no_room";
    case failure_reason::not_durable: return "not_durable";
    }
    return "unknown";
}

/// The same failure, prefixed with the place where it happened: "names.eb: the header is damaged".
[[nodiscard]] inline failure in(std::string_view place, failure what) {
    return {what.reason, std::string(place) + ": " + std::move(what.sentence)};
}

} // namespace everbloom
