// Bytes as compressors write them, made by their own libraries: what the program must read.
#pragma once

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace everbloom::support {

[[nodiscard]] inline std::string gzip_of(std::string_view text) {
    z_stream state{};
    std::string made(::compressBound(text.size()) + 32, '\0');
    if (deflateInit2(&state, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("gzip");
    state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    state.avail_in = static_cast<uInt>(text.size());
    state.next_out = reinterpret_cast<Bytef*>(made.data());
    state.avail_out = static_cast<uInt>(made.size());
    const int status = deflate(&state, Z_FINISH);
    made.resize(state.total_out);
    deflateEnd(&state);
    if (status != Z_STREAM_END) throw std::runtime_error("gzip");
    return made;
}

/// With a window of 2^window_log bytes; 0: as large as the level wants it.
[[nodiscard]] inline std::string zstd_of(std::string_view text, int window_log = 0) {
    std::string made(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    if (window_log != 0) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0); // or the window is cut down to the contents
    }
    // In two steps: declaring the end at once would make the window small.
    ZSTD_inBuffer input{text.data(), text.size(), 0};
    ZSTD_outBuffer output{made.data(), made.size(), 0};
    if (window_log != 0) ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
    const std::size_t left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    if (left != 0) throw std::runtime_error("zstd");
    made.resize(output.pos);
    return made;
}

[[nodiscard]] inline std::string xz_of(std::string_view text, std::uint32_t level = 6) {
    std::string made(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t used = 0;
    if (lzma_easy_buffer_encode(level, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                text.size(), reinterpret_cast<std::uint8_t*>(made.data()), &used,
                                made.size()) != LZMA_OK) {
        throw std::runtime_error("xz");
    }
    made.resize(used);
    return made;
}

/// With a dictionary of `dictionary_bytes` bytes, in the xz container or as the older lzma.
[[nodiscard]] inline std::string lzma_of(std::string_view text, std::uint32_t dictionary_bytes, bool as_xz) {
    lzma_options_lzma options;
    lzma_lzma_preset(&options, 1);
    options.dict_size = dictionary_bytes;
    const lzma_filter chain[]{{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    lzma_stream state = LZMA_STREAM_INIT;
    if ((as_xz ? lzma_stream_encoder(&state, chain, LZMA_CHECK_CRC32) : lzma_alone_encoder(&state, &options)) !=
        LZMA_OK) {
        throw std::runtime_error("lzma");
    }
    std::string made(lzma_stream_buffer_bound(text.size()) + 4096, '\0');
    state.next_in = reinterpret_cast<const std::uint8_t*>(text.data());
    state.avail_in = text.size();
    state.next_out = reinterpret_cast<std::uint8_t*>(made.data());
    state.avail_out = made.size();
    const lzma_ret status = lzma_code(&state, LZMA_FINISH);
    made.resize(state.total_out);
    lzma_end(&state);
    if (status != LZMA_STREAM_END) throw std::runtime_error("lzma");
    return made;
}

[[nodiscard]] inline std::string bzip2_of(std::string_view text) {
    auto used = static_cast<unsigned>(text.size() + text.size() / 100 + 600);
    std::string made(used, '\0');
    if (BZ2_bzBuffToBuffCompress(made.data(), &used, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()),
                                 9, 0, 0) != BZ_OK) {
        throw std::runtime_error("bzip2");
    }
    made.resize(used);
    return made;
}

} // namespace everbloom::support
