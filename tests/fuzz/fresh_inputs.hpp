// A custom mutator of libFuzzer for files under checksums: one input in a hundred is a file that the program itself has just written, all
// others are mutations of what is there. The target defines `fresh_input`.
#pragma once

#include <everbloom/probe/mix.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// `fresh_input(seed)` makes the bytes of a valid input.
template <class FreshInput>
std::size_t mutated_or_fresh(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                             FreshInput fresh_input) {
    if (everbloom::mix(seed) % 100 == 0) {
        const auto fresh = fresh_input(everbloom::mix(~std::uint64_t{seed}));
        if (fresh.size() <= most) {
            std::memcpy(data, fresh.data(), fresh.size());
            size = fresh.size();
        }
    }
    return LLVMFuzzerMutate(data, size, most);
}
