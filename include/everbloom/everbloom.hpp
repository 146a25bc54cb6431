// everbloom: membership filters for sets that change. This header is all that a program needs.
//
//     #include <everbloom/everbloom.hpp>
//
//     everbloom::filter<std::string> seen({.capacity = 1'000'000, .fpr = 0.01});
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//
// The headers in this folder are the interface. Those in the folders below (core, bits, hash, probe, filter, model, format, runtime,
// simulation, jobs, door) are how it is built; they may change between versions.
#pragma once

#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/concurrent_filter.hpp>
#include <everbloom/concurrent_slow_filter.hpp>
#include <everbloom/core/error.hpp>
#include <everbloom/filter.hpp>
#include <everbloom/key.hpp>
#include <everbloom/kinds.hpp>
#include <everbloom/options.hpp>
#include <everbloom/slow_filter.hpp>
#include <everbloom/stats.hpp>
#include <everbloom/version.hpp>
