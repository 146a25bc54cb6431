// THE list. Every filter of everbloom stands here once, with the number that files know it by and the model beside it.
//
// The command line, files, contract tests, golden files and benchmarks are all made from this list: a new filter is
// filter/foo.hpp, model/foo.hpp and one line below (CONTRIBUTING.md).
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/blocked.hpp>
#include <everbloom/filter/bloom.hpp>
#include <everbloom/filter/collision.hpp>
#include <everbloom/filter/counting.hpp>
#include <everbloom/filter/deletable.hpp>
#include <everbloom/filter/dfp.hpp>
#include <everbloom/filter/dleft.hpp>
#include <everbloom/filter/dynamic.hpp>
#include <everbloom/filter/elastic.hpp>
#include <everbloom/filter/elastic_blocked.hpp>
#include <everbloom/filter/fingerprint_counting.hpp>
#include <everbloom/filter/partitioned.hpp>
#include <everbloom/filter/quaternary.hpp>
#include <everbloom/filter/scalable.hpp>
#include <everbloom/filter/ternary.hpp>
#include <everbloom/filter/tombstone.hpp>
#include <everbloom/filter/yes_no_build.hpp>
#include <everbloom/model/blocked.hpp>
#include <everbloom/model/bloom.hpp>
#include <everbloom/model/collision.hpp>
#include <everbloom/model/counting.hpp>
#include <everbloom/model/deletable.hpp>
#include <everbloom/model/dfp.hpp>
#include <everbloom/model/dleft.hpp>
#include <everbloom/model/dynamic.hpp>
#include <everbloom/model/elastic.hpp>
#include <everbloom/model/elastic_blocked.hpp>
#include <everbloom/model/fingerprint_counting.hpp>
#include <everbloom/model/partitioned.hpp>
#include <everbloom/model/quaternary.hpp>
#include <everbloom/model/scalable.hpp>
#include <everbloom/model/ternary.hpp>
#include <everbloom/model/tombstone.hpp>
#include <everbloom/model/yes_no.hpp>

#include <cstdint>
#include <string_view>
#include <tuple>

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

template <class... Kinds>
struct kind_list {
    /// The kind at a place of the list.
    template <std::size_t Place>
    using at = std::tuple_element_t<Place, std::tuple<Kinds...>>;

    /// Calls `visit.template operator()<Kind>()` for every kind, in order.
    template <class Visitor>
    static void for_each(Visitor&& visit) {
        (visit.template operator()<Kinds>(), ...);
    }

    /// Wrap<Kind...>, e.g. ::testing::Types.
    template <template <class...> class Wrap>
    using wrapped = Wrap<Kinds...>;
};

using all_kinds = kind_list<kind<1, basic_bloom_filter, bloom_model>,                                //
                            kind<2, basic_blocked_filter, blocked_model>,                            //
                            kind<3, basic_counting_filter, counting_model>,                          //
                            kind<4, basic_collision_filter, collision_model>,                        //
                            kind<5, basic_tombstone_filter, tombstone_model>,                        //
                            kind<6, basic_deletable_filter, deletable_model>,                        //
                            kind<7, basic_ternary_filter, ternary_model>,                            //
                            kind<8, basic_quaternary_filter, quaternary_model>,                      //
                            kind<9, basic_dfp_filter, dfp_model>,                                    //
                            kind<10, basic_fingerprint_counting_filter, fingerprint_counting_model>, //
                            kind<11, basic_dleft_filter, dleft_model>,                               //
                            kind<12, basic_elastic_filter, elastic_model>,                           //
                            kind<13, basic_elastic_blocked_filter, elastic_blocked_model>,           //
                            kind<14, basic_dynamic_filter, dynamic_model>,                           //
                            kind<15, basic_scalable_filter, scalable_model>,                         //
                            kind<16, basic_partitioned_filter, partitioned_model>,                   //
                            kind<17, basic_yes_no_filter, yes_no_model>>;

} // namespace everbloom
