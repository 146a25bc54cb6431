// The hashes whose digests must look random: all but those that read the files of other programs.
#pragma once

#include <everbloom/hash/hash_key.hpp>

#include <vector>

namespace everbloom::statistical {

[[nodiscard]] inline std::vector<hash_id> general_hashes() {
    std::vector<hash_id> made(known_hashes.begin(), known_hashes.end());
    std::erase(made, hash_id::dcso);
    return made;
}

} // namespace everbloom::statistical
