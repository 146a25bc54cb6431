// query_copy_of: a smaller copy of a filter for programs that only ask, made without the keys.
//
// A filter that changes carries more than an answer needs: stored hashes to verify removals, or bits of fingerprints that a later growth
// will use. A copy leaves them out, at whatever FPR its readers need:
//
//   either            becomes a fuse filter of the stored hashes, which takes the fewest bits and can do nothing but answer
//   elastic_blocked   becomes a Bloom filter of the stored hashes (probe `stored`)
//   quotient          becomes a quotient filter with shorter fingerprints, in no more lines than its keys need
//
// The copy has the hash function, the secret hash key and the key type of its source, so it answers for the same keys. Its capacity is
// the number of keys that it has. Attached bytes (the list of `sync`, for one) stay behind.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <string_view>

namespace everbloom {

/// The source stays as it is. The kind is the smallest one, unless it is named.
[[nodiscard]] result<filter_file> query_copy_of(const filter_file& source, double fpr, std::string_view kind = {});

} // namespace everbloom
