#include "keys/block_reader.hpp"

#include "keys/csv_record.hpp"
#include "keys/line_cutter.hpp"
#include "keys/memory_stream.hpp"

#include <algorithm>
#include <utility>

namespace everbloom::cli {
namespace {

std::size_t past_last(std::string_view text, char separator) noexcept {
    const std::size_t last = text.rfind(separator);
    return last == std::string_view::npos ? 0 : last + 1;
}

/// The offset after this many keys; the text has at least that many.
std::size_t past_keys(std::string_view text, char separator, std::size_t keys) noexcept {
    std::size_t past = 0;
    for (; keys != 0; --keys) past = text.find(separator, past) + 1;
    return past;
}

} // namespace

bool block_reader::next(key_block& block) {
    block.reset();
    while (!ended_ && !cancel_.requested()) {
        if (!stream_) {
            if (next_file_ == files_.names.size()) break;
            auto opened = open_next();
            if (!opened) {
                block.file = next_file_ - 1;
                block.file_bytes = 0;
                block.error = std::move(opened.error());
                ended_ = true;
                return true;
            }
            stream_ = std::move(*opened);
            stream_ended_ = false;
            begins_file_ = true;
        }
        block.file = next_file_ - 1;
        const filled how = fill(block);
        block.begins_file = begins_file_;
        block.format = format_;
        block.file_bytes = stream_->file_offset();
        if (how == filled::error) ended_ = true;
        if (how == filled::end_of_file) stream_.reset();
        // A file may end without a key in its last block: continue with the next file. A record of CSV may need more than was there.
        if (how == filled::error || !block.text().empty()) {
            begins_file_ = false;
            return true;
        }
    }
    ended_ = true;
    return false;
}

result<std::unique_ptr<byte_stream>> block_reader::open_next() {
    const std::size_t which = next_file_++;
    if (files_.given) return std::unique_ptr<byte_stream>(std::make_unique<memory_stream>(*files_.given));
    return open_bytes(files_.names[which], files_.rules, cancel_);
}

block_reader::filled block_reader::fill(key_block& block) {
    if (carried_.size() > block.free_space().size()) block.grow(carried_.size());
    std::copy(carried_.begin(), carried_.end(), block.free_space().begin());
    block.use(carried_.size());
    carried_.clear();
    if (auto read = read_some(block); !read) {
        block.error = std::move(read.error());
        return filled::error;
    }
    if (begins_file_ && files_.detects_format) format_ = detect_format(block.text());
    const bool is_cut = cut(block);
    return stream_ended_ && !is_cut ? filled::end_of_file : filled::whole_keys;
}

result<void> block_reader::read_some(key_block& block) {
    const std::size_t longest = stream_->is_decompressed() ? longest_decompressed_key_bytes : longest_key_bytes;
    std::size_t searched = 0; // no separator before here
    bool has_a_key = false;
    bool has_news = !may_span_lines(); // what was carried over was not a whole record
    while (!stream_ended_) {
        has_a_key = has_a_key || block.text().find(separator_, searched) != std::string_view::npos;
        searched = block.text().size();
        if (has_a_key && has_news && (searched >= wanted_bytes_ || !stream_->ready())) break;
        if (!has_a_key && searched > longest) {
            block.shorten(0);
            block.error_is_in_a_key = true;
            return fail(too_long());
        }
        // The longest key and its separator: enough to find that a key is too long.
        if (block.free_space().empty()) block.grow(std::min(2 * searched, longest + 1));
        const std::size_t most = has_a_key && searched < wanted_bytes_ ? wanted_bytes_ - searched : block_bytes;
        const auto room = block.free_space();
        const auto got = stream_->read(room.first(std::min(most, room.size())));
        if (!got) {
            block.shorten(past_last(block.text(), separator_)); // the keys before the damage are valid
            return fail(got.error());
        }
        stream_ended_ = *got == 0;
        has_news = true;
        block.use(*got);
    }
    return {};
}

std::size_t block_reader::end_of_keys(std::string_view text, bool too_many) const {
    if (may_span_lines()) {
        const std::size_t end = whole_records(text, *files_.csv_delimiter, most_block_keys);
        // At the end of the file a quote that is not closed is that of its line.
        return end == 0 && stream_ended_ ? text.find(separator_) + 1 : end;
    }
    return too_many ? past_keys(text, separator_, most_block_keys) : past_last(text, separator_);
}

bool block_reader::cut(key_block& block) {
    const std::string_view text = block.text();
    const std::size_t keys = count_separators(text, separator_);
    const bool too_many = keys > most_block_keys;
    if (stream_ended_ && !too_many) return false;
    const std::size_t keep = end_of_keys(text, too_many);
    if (too_many) wanted_bytes_ = keep;
    if (keys <= most_block_keys / 2) wanted_bytes_ = std::min(2 * wanted_bytes_, block_bytes);
    carried_ = text.substr(keep);
    block.shorten(keep);
    return true;
}

failure block_reader::too_long() const {
    if (!stream_->is_decompressed()) {
        return {failure_reason::bad_parameter,
                "this key is longer than the limit of 64 MiB; if the keys end with NUL bytes, use -0"};
    }
    return {failure_reason::bad_parameter,
            "this key is longer than 2 MiB, the limit in compressed input; if the keys end "
            "with NUL bytes, use -0; otherwise decompress the file first"};
}

} // namespace everbloom::cli
