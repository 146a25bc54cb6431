#include "keys/key_block.hpp"

#include <algorithm>
#include <cstring>

namespace everbloom::cli {

void key_block::reset() {
    used_ = 0;
    if (room_ != block_bytes) {
        buffer_.reset(); // before the new allocation: a huge block is freed at once
        buffer_ = std::make_unique_for_overwrite<char[]>(block_bytes);
        room_ = block_bytes;
    }
    error.reset();
    error_is_in_a_key = false;
}

void key_block::grow(std::size_t room) {
    auto larger = std::make_unique_for_overwrite<char[]>(room);
    std::copy_n(buffer_.get(), used_, larger.get());
    buffer_ = std::move(larger);
    room_ = room;
}

} // namespace everbloom::cli
