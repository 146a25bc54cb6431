// reloaded: a filter put together again from a copy of its words, with every check that a file gets.
#pragma once

#include "support/must.hpp"

#include <everbloom/bits/heap_words.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace everbloom::support {

template <class Filter, class Original>
[[nodiscard]] Filter reloaded_as(const Original& filter) {
    std::array<heap_words, Filter::section_names.size()> stores;
    const auto sections = filter.sections();
    const auto lines = Original::section_lines(filter.spec());
    for (std::size_t i = 0; i < stores.size(); ++i) {
        EXPECT_EQ(sections[i].size(), lines[i] * line_words) << i;
        stores[i] = must(heap_words::make(sections[i].size() / line_words));
        std::copy(sections[i].begin(), sections[i].end(), stores[i].data());
    }
    must(filter.spec().check());
    return must(Filter::assemble(filter.spec(), std::move(stores)));
}

template <class Filter>
[[nodiscard]] Filter reloaded(const Filter& filter) {
    return reloaded_as<Filter>(filter);
}

} // namespace everbloom::support
