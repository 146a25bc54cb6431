// Commands that carry whole filters as bytes, in chunks: those of the filter file behind a small header.
//
// A client asks BF.SCANDUMP for chunk after chunk, each with the position behind it, and gives both to BF.LOADCHUNK elsewhere. The filter
// appears when the last byte has arrived, through all checks of files; until then the key holds chunks. A filter that is changed between
// two chunks of its dump makes one that is refused, or the changed one, never a wrong one.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

int bf_scandump(const call& now);
int bf_loadchunk(const call& now);
int cf_scandump(const call& now);
int cf_loadchunk(const call& now);

/// EB.LOADCHUNK key BF|CF|EB total_bytes chunk: chunks in order; the last one makes the filter. What a rewritten append-only file is made of.
/// EB.LOADCHUNK key REDISBLOOM position chunk: chunks of RedisBloom, where that module has the name BF.LOADCHUNK.
int eb_loadchunk(const call& now);

} // namespace everbloom::redis
