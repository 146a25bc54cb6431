#include "commands/convert/gzip_bytes.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace everbloom::cli {
namespace {

constexpr int gzip_wrapped = 15 + 16; // for zlib: the largest window, with a gzip header
constexpr int default_memory = 8;

class deflater {
public:
    explicit deflater(std::vector<std::byte>& into) : into_(into) {
        if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_wrapped, default_memory,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    deflater(const deflater&) = delete;
    deflater& operator=(const deflater&) = delete;
    ~deflater() { deflateEnd(&state_); }

    void add(std::span<const std::byte> piece) {
        while (!piece.empty()) {
            const std::size_t taken = std::min<std::size_t>(piece.size(), std::numeric_limits<uInt>::max());
            // zlib does not write to its input, but the pointer is not const.
            state_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
            state_.avail_in = static_cast<uInt>(taken);
            while (state_.avail_in != 0) run(Z_NO_FLUSH);
            piece = piece.subspan(taken);
        }
    }
    void end() {
        while (run(Z_FINISH) != Z_STREAM_END) {
        }
    }

private:
    int run(int flush) {
        state_.next_out = reinterpret_cast<Bytef*>(block_.data());
        state_.avail_out = static_cast<uInt>(block_.size());
        const int status = deflate(&state_, flush);
        into_.insert(into_.end(), block_.begin(), block_.end() - static_cast<std::ptrdiff_t>(state_.avail_out));
        return status;
    }

    std::vector<std::byte>& into_;
    z_stream state_{};
    std::array<std::byte, 1 << 16> block_;
};

} // namespace

std::vector<std::byte> gzip_bytes(std::span<const std::span<const std::byte>> pieces) {
    std::vector<std::byte> made;
    deflater writer(made);
    for (const auto& piece : pieces) writer.add(piece);
    writer.end();
    return made;
}

} // namespace everbloom::cli
