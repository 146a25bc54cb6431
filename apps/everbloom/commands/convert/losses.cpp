#include "commands/convert/losses.hpp"

#include <fmt/format.h>

namespace everbloom::cli {

std::vector<std::string> losses_of_keys(foreign_format to) {
    std::vector<std::string> made;
    if (to == foreign_format::parquet_bitset) made.emplace_back("the header with size and hash");
    if (to != foreign_format::dcso) made.emplace_back("capacity and target FPR");
    made.insert(made.end(), {"key type", "checksums", "a secret hash key", "removals"});
    return made;
}

std::vector<std::string> losses_of_filter() { return {"checksums"}; }

std::vector<std::string> losses_between(foreign_format from, foreign_format to) {
    if (from == foreign_format::parquet && to == foreign_format::parquet_bitset) {
        return {"the header with size and hash"};
    }
    return {};
}

std::string why_not(foreign_format from, std::string_view to) {
    return fmt::format("is {}: its cells cannot become those of {}, which has another hash and other places for the "
                       "bits of a key. 'everbloom check' and 'everbloom show' read it as it is; with the keys, "
                       "'everbloom {}'",
                       words_of(from), to,
                       to == "an everbloom filter" ? "create OUT KEYS' makes one" : "convert KEYS OUT' makes one");
}

} // namespace everbloom::cli
