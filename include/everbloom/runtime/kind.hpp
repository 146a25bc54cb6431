// kind: a filter and its model as a pair of types, with its number in files.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/concepts.hpp>

#include <cstdint>
#include <string_view>

namespace everbloom {

template <std::uint32_t Id, template <class> class FilterTemplate, class Model>
struct kind {
    static constexpr std::uint32_t id = Id; // written to files: never given a second meaning
    using model = Model;
    using filter = FilterTemplate<heap_words>;
    using view = FilterTemplate<const_words>; // read-only, over a mapped file
    static constexpr std::string_view name = filter::kind_name;

    static_assert(Filter<filter> && Filter<view>);
};

} // namespace everbloom
