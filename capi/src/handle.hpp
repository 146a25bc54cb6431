// handle: what an eb_filter is. Opaque for callers.
#pragma once

#include <everbloom/door/filter_core.hpp>

#include <everbloom.h>

#include <utility>

struct eb_filter {
    explicit eb_filter(everbloom::door::filter_core made) noexcept
        : core(std::move(made)), holds_numbers(core.file().keys == everbloom::key_type::u64) {}

    everbloom::door::filter_core core;
    bool holds_numbers; // the key type never changes; kept here because every query for one key asks for it
};
