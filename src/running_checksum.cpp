#include <everbloom/hash/running_checksum.hpp>
#include <everbloom/hash/xxh3.hpp>

namespace everbloom {

struct running_checksum::state {
    XXH3_state_t hash;
};

running_checksum::running_checksum() : state_(new state) { XXH3_64bits_reset(&state_->hash); }
running_checksum::~running_checksum() = default;

void running_checksum::add(const void* data, std::size_t bytes) noexcept {
    XXH3_64bits_update(&state_->hash, data, bytes);
}

std::uint64_t running_checksum::value() const noexcept { return XXH3_64bits_digest(&state_->hash); }

} // namespace everbloom
