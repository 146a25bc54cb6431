// fixed_kind: a kind that is fixed when a program is compiled, as in filter<std::string, everbloom::blocked>. The build makes a header with
// its name for each line of runtime/kinds.hpp: <everbloom/kinds/blocked.hpp>.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>

#include <cstdint>

namespace everbloom {

/// A kind with its filters, to name as the second argument of everbloom::filter.
template <std::uint32_t Id, template <class> class FilterTemplate>
struct fixed_kind {
    static constexpr std::uint32_t id = Id;    ///< its number in files
    using filter = FilterTemplate<heap_words>; ///< in memory
    using view = FilterTemplate<const_words>;  ///< over a mapped file
};

} // namespace everbloom
