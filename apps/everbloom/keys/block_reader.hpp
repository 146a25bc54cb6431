// block_reader: all key files, one after the other, as blocks of whole keys.
//
// A block from a file is filled to the brim, or has as many keys as a block may have. A block from a pipe or a terminal is handed on as soon as it holds a whole key and
// nothing more is waiting, so that `tail -f log | everbloom check` answers line by line.
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

    /// Reads the next block; false behind the last one. What goes wrong is noted in the block, behind the keys before it.
    [[nodiscard]] bool next(key_block& block);

private:
    enum class filled { whole_keys, end_of_file, trouble };

    [[nodiscard]] filled fill(key_block& block);
    /// Reads until the block is full enough, the file ends, or a whole key is there and nothing more is waiting.
    [[nodiscard]] result<void> read_some(key_block& block);
    /// Leaves whole keys in the block, and not too many; carries the rest to the next one. False if all of the file's end fits.
    [[nodiscard]] bool cut(key_block& block);
    [[nodiscard]] failure too_long() const;

    const key_files& files_;
    char separator_;
    const cancellation& cancel_;
    std::unique_ptr<byte_stream> stream_;
    std::size_t next_file_ = 0;
    std::string carried_;                    // what was read behind the keys of the last block
    std::size_t wanted_bytes_ = block_bytes; // of the next block: fewer while keys are short
    bool stream_ended_ = false;
    bool ended_ = false;
};

} // namespace everbloom::cli
