// settings: what the module's arguments and the start of the server decide for all filters.
//
//     loadmodule everbloom.so ERROR_RATE 0.001 INITIAL_SIZE 1000 MAX_BYTES 1073741824 HASH_KEY 000102...0f DELETABLE YES FAMILIES EB
//     STEP_BYTES 4194304
#pragma once

#include <everbloom/hash/hash_key.hpp>

#include <cstdint>

namespace everbloom::redis {

struct settings {
    double error_rate = 0.01;         // of filters that a command creates without saying more, as the peer's
    std::uint64_t initial_size = 100; // their capacity
    std::uint64_t cuckoo_size = 1024;
    std::uint64_t most_bytes = std::uint64_t{128} << 20; // per filter; larger ones are refused
    std::uint64_t step_bytes = std::uint64_t{4} << 20;   // that a step of BF.MERGE and BF.RESIZE touches
    bool deletable = false;                              // whether filters of BF.* are, if they do not say so
    bool eb_only = false;                                // leave BF.* and CF.* to another module
    /// For new filters. Drawn at the start unless given: filters that are to be merged across restarts or servers need a given one.
    everbloom::hash_key key;
};

inline settings current_settings;

} // namespace everbloom::redis
