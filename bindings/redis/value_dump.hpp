// value_dump: how a filter goes to dumps (RDB files, DUMP) and rewritten append-only files, and comes back from dumps.
//
// The bytes are those of the filter's file, handed over in slices of the filter's own memory: a child process that saves needs no copy of
// it. What comes back passes all checks of files.
#pragma once

#include "module_api.hpp"
#include "stored_filter.hpp"

#include <memory>

namespace everbloom::redis {

/// False, with nothing written, if there is no memory for the header or the filter in memory is damaged.
[[nodiscard]] bool save_value(module_io* io, stored_filter& value);
/// What to write instead: a mark that loading refuses with words.
void save_refusal(module_io* io);

/// Null if it is damaged, forged, or larger than `most_bytes`.
[[nodiscard]] std::unique_ptr<stored_filter> load_value(module_io* io, std::uint64_t most_bytes);

/// As commands EB.LOADCHUNK. False, with nothing written, as for `save_value`.
[[nodiscard]] bool rewrite_value(module_io* io, module_string* key, stored_filter& value);

/// Adds the bytes of the filter to a digest.
void digest_value(module_digest* digest, stored_filter& value);

} // namespace everbloom::redis
