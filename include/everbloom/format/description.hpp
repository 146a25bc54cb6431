// file_description: the header of a filter file, parsed but not yet trusted. Every number must be checked before it is used.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace everbloom {

struct section_description {
    std::uint64_t offset = 0; // in the file, a multiple of 64
    std::uint64_t lines = 0;  // of 64 bytes
    std::size_t first_page = 0;
};

struct file_description {
    std::uint32_t kind = 0;
    std::uint32_t hash = 0;
    std::uint32_t key_type = 0;
    bool guarded = false;  // two parameters and one section after the kind's own are the exclusion list's
    bool attached = false; // the last parameter and the last section are those of an attachment
    std::array<std::uint8_t, 16> hash_key{};
    std::uint64_t agreed_items = 0; // capacity; 0: none recorded
    double agreed_fpr = 0;
    std::vector<std::uint64_t> parameters; // the fields of the kind's spec, in its order
    std::vector<section_description> sections;
    std::vector<std::uint64_t> page_checksums; // of all sections, one per page
};

} // namespace everbloom
