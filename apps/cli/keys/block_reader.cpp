#include "block_reader.hpp"

#include <algorithm>
#include <cstring>

namespace everbloom::cli {
namespace {

// The longest key and its separator: a block of this size without one holds a key that is too long.
constexpr std::size_t largest_block = longest_key_bytes + 1;

std::size_t past_last(std::string_view text, char separator) noexcept {
    const std::size_t last = text.rfind(separator);
    return last == std::string_view::npos ? 0 : last + 1;
}

} // namespace

bool block_reader::next(key_block& block) {
    block.reset();
    while (!ended_ && !cancel_.requested()) {
        if (!stream_) {
            if (next_file_ == files_.names.size()) break;
            auto opened = open_bytes(files_.names[next_file_++], cancel_);
            if (!opened) {
                block.trouble = std::move(opened.error());
                ended_ = true;
                return true;
            }
            stream_ = std::move(*opened);
        }
        block.file = next_file_ - 1;
        const filled how = fill(block);
        block.file_bytes = stream_->file_offset();
        if (how == filled::trouble) ended_ = true;
        if (how == filled::end_of_file) stream_.reset();
        // A file may end without a key in the last block: on to the next one.
        if (how != filled::end_of_file || !block.text().empty()) return true;
    }
    ended_ = true;
    return false;
}

block_reader::filled block_reader::fill(key_block& block) {
    if (carried_.size() >= block.free_space().size())
        block.grow(std::min(carried_.size() + block_bytes, largest_block));
    std::copy(carried_.begin(), carried_.end(), block.free_space().begin());
    block.use(carried_.size());
    std::size_t searched = carried_.size(); // no separator before here
    carried_.clear();
    for (;;) {
        const auto got = stream_->read(block.free_space());
        if (!got) {
            block.trouble = got.error();
            block.shorten(past_last(block.text(), separator_)); // the keys before the damage are good
            return filled::trouble;
        }
        block.use(*got);
        if (*got == 0) return filled::end_of_file;
        if (!block.free_space().empty() && stream_->ready()) continue;
        const std::size_t keep = past_last(block.text().substr(searched), separator_);
        if (keep != 0) {
            carried_ = block.text().substr(searched + keep);
            block.shorten(searched + keep);
            return filled::whole_keys;
        }
        searched = block.text().size();
        if (searched > longest_key_bytes) {
            block.shorten(0);
            block.trouble = failure{failure_reason::bad_parameter,
                                    "this key is longer than 64 MiB; are the keys separated in another way (-0)?"};
            block.trouble_is_in_a_key = true;
            return filled::trouble;
        }
        if (block.free_space().empty()) block.grow(std::min(2 * searched, largest_block));
    }
}

} // namespace everbloom::cli
