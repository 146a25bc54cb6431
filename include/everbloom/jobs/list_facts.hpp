// list_facts: what is stored with the exact list of a filter's keys, besides the keys.
//
// A filter and its list are two files, or two values, that can be replaced only one after the other. The identity of the filter that
// holds exactly these keys shows whether they belong together. If they do not, the list is right, and the filter is rebuilt.
#pragma once

#include <everbloom/jobs/key_list.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>

namespace everbloom {

struct list_facts {
    key_type type = key_type::text;
    std::uint32_t kind = 0;        // of the filter, by its number
    double fpr = 0;                // target
    std::uint64_t identity = 0;    // of the filter
    std::uint64_t undeletable = 0; // keys that left the list and could not be removed from the filter
};

/// A list and its facts. The keys are in their canonical spelling.
struct followed_list {
    list_facts facts;
    key_list keys;
};

/// A checksum of everything that determines an answer: kind, geometry, hash and cells.
[[nodiscard]] std::uint64_t identity_of(const filter_file& file);

} // namespace everbloom
