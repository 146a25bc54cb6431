// What a stranger would write first: build a filter, fill it, save it, map the file, and ask again. Compiled against an
// installed tree only, by CMake and by pkg-config.
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/version.hpp>

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

int main() {
    using namespace everbloom;

    auto built = build({.kind = "counting", .items = members, .fpr = 0.01, .parameters = {}});
    if (!built) return stop(built.error().sentence);
    filter_file file;
    file.handle = keyed(std::move(*built), any_hasher(hash_id::siphash, hash_key::from_seed(1)));
    file.keys = key_type::u64;
    file.target = {members, 0.01};
    for (std::uint64_t key = 0; key < members; ++key) {
        const auto outcome = file.handle.insert(key);
        if (!outcome) return stop(outcome.error().sentence);
        if (!succeeded(*outcome)) return stop("a key did not go in: " + std::string(name_of(*outcome)));
    }
    const auto gone = file.handle.erase(std::uint64_t{0});
    if (!gone) return stop(gone.error().sentence);
    if (*gone != erase_outcome::removed) return stop("a member could not be removed");

    // The tests run this in a folder of its own.
    const std::string path = "consumer.eb";
    if (auto saved = save_filter(file, path); !saved) return stop(saved.error().sentence);
    const auto mapped = map_filter(path);
    std::remove(path.c_str()); // the mapping keeps the bytes
    if (!mapped) return stop(mapped.error().sentence);
    if (mapped->filter().can(capability::insert)) return stop("a mapped filter must be read-only");
    if (mapped->keys != key_type::u64 || mapped->target.items != members) return stop("the file forgot something");
    std::uint64_t strangers = 0;
    for (std::uint64_t key = 1; key < members; ++key) {
        if (!mapped->handle.may_contain(key)) return stop("the mapped filter lost key " + std::to_string(key));
        strangers += mapped->handle.may_contain(key + members) ? 1 : 0;
    }
    // About ten are expected; sixty would be a broken hash, not bad luck.
    if (strangers > 60) return stop(std::to_string(strangers) + " of 999 strangers were taken for members");

    std::cout << "everbloom " << version_text << ": " << mapped->filter().kind() << " filter, about "
              << std::llround(mapped->filter().measure().items) << " keys\n";
}
