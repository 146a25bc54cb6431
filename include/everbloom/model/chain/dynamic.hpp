// Model of the dynamic filter: that of any chain of equal counting filters.
#pragma once

#include <everbloom/filter/chain/dynamic.hpp>
#include <everbloom/model/chain/counting_chain.hpp>

namespace everbloom {

using dynamic_model = counting_chain_model<dynamic_spec>;

} // namespace everbloom
