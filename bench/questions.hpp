// The list of questions, in the order of their tables. A new question is one file and one line here.
//
// The measurements that answer a question are called question/variant/contestant (measurements.hpp).
#pragma once

#include <array>
#include <string_view>

namespace everbloom::bench {

/// How the answers are shown.
enum class table_layout {
    ratios,  // a row per contestant; per variant a speed, and the ratios to the others
    columns, // a row per contestant, a column per variant, nothing else
    space,   // no speeds at all
};

struct question {
    std::string_view name;
    std::string_view title;
    std::string_view unit; // of the speeds, in millions
    table_layout layout;
    void (*register_all)();
};

// Each is defined in the file of that name; it adds one measurement per variant and contestant.
void register_lookup_absent();
void register_lookup_mixed();
void register_lookup_present();
void register_insert();
void register_erase();
void register_growth();
void register_load_save();
void register_hash();
void register_forwarding();
void register_front_door();
void register_memory_bound();
void register_space();

inline constexpr std::array<question, 12> questions{{
    {"lookup_absent", "looking for keys that were never inserted", "M keys/s", table_layout::ratios,
     register_lookup_absent},
    {"lookup_mixed", "looking for keys of which every other one, at random, is there", "M keys/s", table_layout::ratios,
     register_lookup_mixed},
    {"lookup_present", "looking for keys that are there, in random order", "M keys/s", table_layout::ratios,
     register_lookup_present},
    {"insert", "filling an empty filter with the keys it was planned for", "M keys/s", table_layout::ratios,
     register_insert},
    {"erase", "removing all keys of a full filter, in random order", "M keys/s", table_layout::ratios, register_erase},
    {"growth", "filters that began 1, 16 and 256 times too small, in batches", "M keys/s", table_layout::columns,
     register_growth},
    {"load_save", "reading, mapping and durably writing a filter's file", "MB/s", table_layout::columns,
     register_load_save},
    {"hash", "turning keys of 8, 16 and 64 bytes into digests", "M keys/s", table_layout::columns, register_hash},
    {"forwarding", "deciding whether a packet leaves on a link, for the links of a node and for many", "M decisions/s",
     table_layout::columns, register_forwarding},
    {"front_door", "what filter<Key, Kind> (fixed) and filter<Key> (any) cost over the raw filter", "M keys/s",
     table_layout::columns, register_front_door},
    {"memory_bound", "hashing a key and touching one random line: what memory allows", "M lines/s",
     table_layout::columns, register_memory_bound},
    {"space", "bits per key, and the rate they buy (not timed)", "", table_layout::space, register_space},
}};

} // namespace everbloom::bench
