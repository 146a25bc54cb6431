// Commands that carry whole filters as bytes, in chunks.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

/// EB.LOADCHUNK key BF|CF|EB total_bytes chunk: chunks in order; the last one makes the filter. What a rewritten append-only file is made of.
int eb_loadchunk(const call& now);

} // namespace everbloom::redis
