// EB.*: every kind of filter of the library, by its own name and rules.
//
// Queries, EB.INFO and EB.EXPORT work on the filters of all families; changes only on those of EB.*, because BF.* and CF.* make promises about
// theirs.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

/// EB.ADD key item...: an array with 1 for each key that was added, or the error that says why it was refused.
int eb_add(const call& now);
/// EB.EXISTS key item...: an array of whether each may be there.
int eb_exists(const call& now);
/// EB.DEL key item...: an array with 1 for a key that was removed, 0 for one that was not there, or the error that says why not.
int eb_del(const call& now);
/// EB.PROTECT key item...: these keys, which are not members, are never false positives again. Replaces an earlier list.
int eb_protect(const call& now);
/// EB.INFO key
int eb_info(const call& now);
/// EB.PLAN CAPACITY n [ERROR rate] [GROWTH factor] [REMOVED share] [CHURN rounds] [NEGATIVES n] [BYTES n]: the kinds that suit, best first.
int eb_plan(const call& now);
/// EB.EXPORT key: the bytes of an .eb file.
int eb_export(const call& now);
/// EB.IMPORT key [REPLACE] bytes
int eb_import(const call& now);

} // namespace everbloom::redis
