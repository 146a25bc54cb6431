// concurrent_slow_filter<Key>: a filter that lives in a file, for many threads. Queries never wait, and never read the disk; updates wait
// only for those of the same part of the filter, of which there are 64, and not for merges.
//
//     auto seen = everbloom::concurrent_slow_filter<std::string>::create("seen.eb", {.capacity = 100'000'000, .fpr = 0.001});
//     // from any thread
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//     seen.flush();      // every update that has returned is durable now
//
// A key whose insertion has returned is found by every query that begins afterwards. Every function may be called by any thread at any
// time, except moving and destroying it. Files, verbs and errors are those of slow_filter; what waits for what is in docs/slow.md.
//
// `close` makes updates of other threads fail from its beginning on; queries go on with the bits that are in memory.
#pragma once

#include <everbloom/slow_filter.hpp>

namespace everbloom {

/// A filter that lives in a file, for many threads: readers never wait.
template <class KeyType>
class concurrent_slow_filter
    : public door::slow_verbs<concurrent_slow_filter<KeyType>, KeyType, door::concurrent_slow_core> {
    using verbs = door::slow_verbs<concurrent_slow_filter, KeyType, door::concurrent_slow_core>;
    friend verbs; // which makes filters of cores

    explicit concurrent_slow_filter(door::concurrent_slow_core made) noexcept : verbs(std::move(made)) {}
};

} // namespace everbloom
