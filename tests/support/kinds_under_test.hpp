// The kinds a typed test runs over, taken from THE list and chosen by what they can do.
//
//     TYPED_TEST_SUITE(short_disk, kinds_that<can_insert>, kind_names);
//
// A test over a chosen list has something to check for every kind in it; it need not ask again. Tests that are large are better
// written against subject.hpp, which is compiled once for all kinds.
#pragma once

#include <everbloom/runtime/kinds.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace everbloom::support {

template <class Kind>
struct can_insert : std::bool_constant<Insertable<typename Kind::filter>> {};

template <template <class> class Wanted>
struct choose {
    template <class Chosen, class... Kinds>
    struct pick {
        using type = Chosen;
    };
    template <class... Chosen, class Kind, class... Rest>
    struct pick<::testing::Types<Chosen...>, Kind, Rest...> {
        using with =
            std::conditional_t<Wanted<Kind>::value, ::testing::Types<Chosen..., Kind>, ::testing::Types<Chosen...>>;
        using type = typename pick<with, Rest...>::type;
    };
    template <class... Kinds>
    struct from {
        using type = typename pick<::testing::Types<>, Kinds...>::type;
    };
};

template <template <class> class Wanted>
using kinds_that = typename all_kinds::wrapped<choose<Wanted>::template from>::type;

using every_kind = all_kinds::wrapped<::testing::Types>;

/// Tests are called damaged_bytes/counting.a_test, not damaged_bytes/2.a_test.
struct kind_names {
    template <class Kind>
    static std::string GetName(int) {
        return std::string(Kind::name);
    }
};

} // namespace everbloom::support
