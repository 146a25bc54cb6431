// What saving needs of the loader: it reads a file before that is written.
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace everbloom {

/// The filter that the file with this header and these sections would hold; a failure if it could not be opened.
[[nodiscard]] result<filter_file> load_unwritten(std::span<const std::byte> header,
                                                 std::span<const word_pieces> sections);

} // namespace everbloom
