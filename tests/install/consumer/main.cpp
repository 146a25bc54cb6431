// What a user writes first: make a filter, fill it, save it, map the file, and query it again. Compiled against an installed tree
// only, by CMake and by pkg-config.
#include <everbloom/everbloom.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

namespace {

constexpr std::uint64_t members = 1000;

int stop(const std::string& sentence) {
    std::cerr << sentence << '\n';
    return 1;
}

} // namespace

int main() try {
    using namespace everbloom;

    filter<std::uint64_t> made({.capacity = members, .fpr = 0.01, .kind = "counting", .key = hash_key::from_seed(1)});
    for (std::uint64_t key = 0; key < members; ++key) {
        const insert_outcome outcome = made.insert(key);
        if (!succeeded(outcome)) return stop("a key was refused: " + std::string(name_of(outcome)));
    }
    if (made.erase(0) != erase_outcome::removed) return stop("a member could not be removed");

    // The tests run this in a folder of its own.
    const std::string path = "consumer.eb";
    made.save(path);
    const auto mapped = filter<std::uint64_t, counting>::map(path);
    const auto other_keys = filter<std::string>::try_open(path);
    std::remove(path.c_str()); // the mapping keeps the bytes
    if (mapped.can(capability::insert)) return stop("a mapped filter must be read-only");
    if (other_keys) return stop("a filter of numbers was opened as one of texts");
    if (mapped.stats().capacity != members) return stop("the file has lost the capacity");
    std::uint64_t false_positives = 0;
    for (std::uint64_t key = 1; key < members; ++key) {
        if (!mapped.may_contain(key)) return stop("the mapped filter lost key " + std::to_string(key));
        false_positives += mapped.may_contain(key + members) ? 1 : 0;
    }
    // About ten are expected; sixty would be a broken hash, not bad luck.
    if (false_positives > 60) return stop(std::to_string(false_positives) + " false positives of 999 absent keys");

    std::cout << "everbloom " << version_text << ": " << mapped.kind() << " filter, about "
              << std::llround(mapped.stats().keys) << " keys\n";
} catch (const everbloom::error& problem) {
    return stop(problem.what());
}
