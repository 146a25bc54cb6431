// Commands of BF.* that the peer does not have: whole filters are merged and resized.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

/// BF.MERGE target source...: the target, made if it is absent, holds the keys of all. A failure changes nothing.
int bf_merge(const call& now);
/// BF.RESIZE key capacity: more room at once, or less memory where keys allow it.
int bf_resize(const call& now);

} // namespace everbloom::redis
