// Model of the partitioned filter: that of any chain of equal counting filters.
#pragma once

#include <everbloom/filter/chain/partitioned.hpp>
#include <everbloom/model/chain/counting_chain.hpp>

namespace everbloom {

using partitioned_model = counting_chain_model<partitioned_spec>;

} // namespace everbloom
