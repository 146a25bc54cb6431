// block_reader: reads all key files in order, as blocks of whole keys.
//
// A block from a file is filled completely, or up to the limit of keys per block. A block from a pipe or a terminal is returned as soon as
// it holds a whole key and no more input is available, so that `tail -f log | everbloom check` answers line by line.
#pragma once

#include "keys/byte_stream.hpp"
#include "keys/key_block.hpp"
#include "keys/key_files.hpp"

#include <memory>
#include <string>

namespace everbloom::cli {

class block_reader {
public:
    /// `separator` ends a key. The arguments must outlive the reader.
    block_reader(const key_files& files, char separator, const cancellation& cancel)
        : files_(files), separator_(separator), cancel_(cancel) {}

    /// Reads the next block; false after the last one. An error is stored in the block, after the keys before it.
    [[nodiscard]] bool next(key_block& block);

private:
    enum class filled { whole_keys, end_of_file, error };

    [[nodiscard]] result<std::unique_ptr<byte_stream>> open_next();
    [[nodiscard]] filled fill(key_block& block);
    /// Reads until the block is full enough, the file ends, or there is a whole key and no more input is available.
    [[nodiscard]] result<void> read_some(key_block& block);
    /// The end of whole keys in the block: of all, or of as many as a block may have.
    [[nodiscard]] std::size_t end_of_keys(std::string_view text, bool too_many) const;
    [[nodiscard]] bool may_span_lines() const noexcept {
        return files_.csv_delimiter && (!files_.detects_format || format_ == list_format::csv);
    }
    /// Leaves whole keys in the block, up to the limit; carries the rest to the next one. False if the rest of the file fits.
    [[nodiscard]] bool cut(key_block& block);
    [[nodiscard]] failure too_long() const;

    const key_files& files_;
    char separator_;
    const cancellation& cancel_;
    std::unique_ptr<byte_stream> stream_;
    std::size_t next_file_ = 0;
    std::string carried_;                    // read after the keys of the last block
    std::size_t wanted_bytes_ = block_bytes; // of the next block: fewer while keys are short
    list_format format_ = list_format::raw;  // of the present file
    bool stream_ended_ = false;
    bool begins_file_ = false;
    bool ended_ = false;
};

} // namespace everbloom::cli
