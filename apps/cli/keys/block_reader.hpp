// block_reader: all key files, one after the other, as blocks of whole keys.
//
// A block from a file is filled to the brim. A block from a pipe or a terminal is handed on as soon as it holds a whole key and
// nothing more is waiting, so that `tail -f log | everbloom check` answers line by line.
#pragma once

#include "byte_stream.hpp"
#include "key_block.hpp"
#include "key_files.hpp"

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

    const key_files& files_;
    char separator_;
    const cancellation& cancel_;
    std::unique_ptr<byte_stream> stream_;
    std::size_t next_file_ = 0;
    std::string carried_; // the beginning of a key whose end is in the next block
    bool ended_ = false;
};

} // namespace everbloom::cli
