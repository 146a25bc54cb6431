// demand: a condition that must hold for every input; libFuzzer keeps the input for which it does not.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
}
