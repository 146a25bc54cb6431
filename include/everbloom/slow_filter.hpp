// slow_filter<Key>: a filter that lives in a file. Queries read 10 to 17 bits per key in memory; the hashes of the keys, with which
// keys are removed and the filter grows, stay on the disk.
//
//     auto seen = everbloom::slow_filter<std::string>::create("seen.eb", {.capacity = 100'000'000, .fpr = 0.001});
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//     seen.flush();      // everything before is durable now
//
// It is bound to its file as long as it exists: it is not saved, but flushed, and cannot be copied. One program writes it at a time;
// others may read it (open_for_reading). A removed key may answer "maybe" until its part of the filter is merged; a member never gets
// a "no". docs/slow.md has the story.
//
// Errors: as in filter.hpp. Whatever reads or writes the disk can fail, and then throws everbloom::error, or returns a result as
// try_...; insertions do not, they are refused (growth_refused), and `last_error` says why.
//
// Threads: any number of threads may ask at the same time; everything else needs the filter alone. concurrent_slow_filter.hpp is for threads
// that ask and update at the same time.
#pragma once

#include <everbloom/door/slow_core.hpp>
#include <everbloom/door/slow_verbs.hpp>

#include <utility>

namespace everbloom {

/// A filter that lives in a file: bits in memory, hashes on the disk.
template <class KeyType>
class slow_filter : public door::slow_verbs<slow_filter<KeyType>, KeyType, door::slow_core> {
    using verbs = door::slow_verbs<slow_filter, KeyType, door::slow_core>;
    friend verbs; // which makes filters of cores

    explicit slow_filter(door::slow_core made) noexcept : verbs(std::move(made)) {}
};

} // namespace everbloom
