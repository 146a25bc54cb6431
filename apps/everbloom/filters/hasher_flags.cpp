#include "filters/hasher_flags.hpp"

#include "filters/defaults.hpp"
#include "frame/flag_values.hpp"

namespace everbloom::cli {

hasher_flags::hasher_flags() : hash_(name_of(default_hash)) {}

namespace {

std::vector<std::string> names_of_hashes() {
    std::vector<std::string> names;
    names.reserve(known_hashes.size());
    for (const hash_id one : known_hashes) names.emplace_back(name_of(one));
    return names;
}

} // namespace

void hasher_flags::declare_change(command_flags& command) {
    hash_.clear();
    keeps_by_default_ = true;
    command
        .add_option("--hash", hash_,
                    "another hash function: siphash (keyed, for untrusted input), xxh3 (fast), murmur3 or integer "
                    "(default: the one it has)")
        ->type_name("HASH")
        ->suggests(names_of_hashes());
    command.add_option("--seed", seed_, "seed of the hash key, for reproducible runs (default: random)")
        ->type_name("N");
}

void hasher_flags::declare(command_flags& command) {
    command
        .add_option("--hash", hash_,
                    "hash function: siphash (keyed, for untrusted input), xxh3 (fast), murmur3, integer or dcso (with "
                    "--kind bloom: for .bloom files)")
        ->type_name("HASH")
        ->suggests(names_of_hashes())
        ->capture_default_str();
    command.add_option("--seed", seed_, "seed of the hash key, for reproducible runs (default: random)")
        ->type_name("N");
}

result<any_hasher> hasher_flags::make() const {
    const auto id = hash_named(hash_.empty() ? name_of(default_hash) : hash_);
    if (!id) {
        std::string names;
        for (const hash_id one : known_hashes) names += (names.empty() ? "" : ", ") + std::string(name_of(one));
        return fail(failure_reason::bad_parameter, "--hash: unknown hash '" + hash_ + "'; known hashes: " + names);
    }
    if (*id == hash_id::dcso) return any_hasher(*id, hash_key{}); // it has no key: all its filters can be merged
    if (seed_) {
        const auto seed = size_of_flag("--seed", *seed_);
        if (!seed) return fail(seed.error());
        return any_hasher(*id, hash_key::from_seed(*seed));
    }
    const auto key = hash_key::random();
    if (!key) return fail(key.error());
    return any_hasher(*id, *key);
}

bool hasher_flags::is_given() const { return seed_ || hash_ != name_of(default_hash); }

bool hasher_flags::names_hash() const { return hash_ != (keeps_by_default_ ? "" : name_of(default_hash)); }

bool hasher_flags::accepts(const any_hasher& there) const {
    if (hash_ != name_of(default_hash) && hash_ != name_of(there.id())) return false;
    const auto asked = make();
    return !seed_ || (asked && asked->key() == there.key());
}

} // namespace everbloom::cli
