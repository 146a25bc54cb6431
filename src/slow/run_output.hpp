// What a merge makes: blocks of the run, in the file, and blocks of bits, in memory.
#pragma once

#include <everbloom/filter/kernel/line_batch.hpp>
#include <everbloom/runtime/slow/random_access_file.hpp>
#include <everbloom/runtime/slow/record_geometry.hpp>
#include <everbloom/runtime/slow/run_block.hpp>

#include <array>
#include <span>

namespace everbloom {

/// Writes blocks one behind the other, many at a time.
class block_output {
public:
    block_output(random_access_file& file, std::uint64_t offset, std::span<std::uint64_t> buffer) noexcept
        : file_(file), offset_(offset), buffer_(buffer) {}

    /// The next block, to be filled; then `put`.
    [[nodiscard]] std::span<std::uint64_t, run_block_words> next() noexcept {
        return buffer_.subspan(used_).first<run_block_words>();
    }
    [[nodiscard]] result<void> put() {
        used_ += run_block_words;
        return used_ == buffer_.size() ? write() : result<void>{};
    }
    [[nodiscard]] result<void> write() {
        const auto bytes = std::as_bytes(buffer_.first(used_));
        if (auto written = file_.write(offset_, bytes); !written) return written;
        offset_ += bytes.size();
        used_ = 0;
        return {};
    }

private:
    random_access_file& file_;
    std::uint64_t offset_;
    std::span<std::uint64_t> buffer_;
    std::size_t used_ = 0;
};

/// Sets the patterns of ascending hashes in fresh blocks: those of one block together.
class block_painter {
public:
    block_painter(const record_geometry& geometry, std::uint64_t part, std::uint64_t* words, std::uint64_t blocks,
                  unsigned hashes) noexcept
        : hashing_(geometry.word_bits), geometry_(geometry), part_(part), words_(words), blocks_(blocks),
          hashes_(hashes) {}

    void add(std::uint64_t record) noexcept {
        const std::uint64_t block = reduce(geometry_.place_of(record), blocks_);
        if (block != block_ || count_ == seeds_.size()) paint();
        block_ = block;
        seeds_[count_++] = hashing_.seed_of(geometry_.hash_of(part_, record));
    }
    void add(std::span<const std::uint64_t> records) noexcept {
        for (const std::uint64_t record : records) add(record);
    }
    void paint() noexcept {
        kernel::unite(words_ + block_ * line_words, std::span(seeds_).first(count_), hashes_);
        count_ = 0;
    }

private:
    block_hashing hashing_;
    record_geometry geometry_;
    std::uint64_t part_;
    std::uint64_t* words_;
    std::uint64_t blocks_;
    unsigned hashes_;
    std::uint64_t block_ = 0;
    std::size_t count_ = 0;
    std::array<std::uint64_t, 128> seeds_;
};

} // namespace everbloom
