// THE list: every kind of filter, with its number in files, its family and its name.
//
// The command line, files, contract tests, golden files and benchmarks are all made from this list. KIND(7, cells, ternary) stands for
// filter/cells/ternary.hpp with basic_ternary_filter, and model/cells/ternary.hpp with ternary_model. A new filter is these two headers
// and one line below (CONTRIBUTING.md). Nothing is included here: the build reads the lines too (cmake/kinds.cmake) and compiles
// each kind by itself, so that a change of one filter does not recompile the others.
#pragma once

#define EVERBLOOM_KINDS(KIND)                                                                                          \
    KIND(1, bloom, bloom)                                                                                              \
    KIND(2, bloom, blocked)                                                                                            \
    KIND(3, cells, counting)                                                                                           \
    KIND(4, cells, collision)                                                                                          \
    KIND(5, cells, tombstone)                                                                                          \
    KIND(6, cells, deletable)                                                                                          \
    KIND(7, cells, ternary)                                                                                            \
    KIND(8, cells, quaternary)                                                                                         \
    KIND(9, cells, dfp)                                                                                                \
    KIND(10, cells, fingerprint_counting)                                                                              \
    KIND(11, dleft, dleft)                                                                                             \
    KIND(12, elastic, elastic)                                                                                         \
    KIND(13, elastic, elastic_blocked)                                                                                 \
    KIND(14, chain, dynamic)                                                                                           \
    KIND(15, chain, scalable)                                                                                          \
    KIND(16, chain, partitioned)                                                                                       \
    KIND(17, yes_no, yes_no)                                                                                           \
    KIND(18, quotient, quotient)                                                                                       \
    KIND(19, fuse, fuse)
