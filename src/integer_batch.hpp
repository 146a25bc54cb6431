// The hash `integer` (hash/integer.hpp) for many numbers at once.
#pragma once

#include <everbloom/hash/integer.hpp>

#include <cstdint>
#include <span>

namespace everbloom::kernel {

/// digests[i] becomes the digest of numbers[i], as integer_hasher::of makes it; both spans have the same length. False, and nothing done, on a
/// processor without AVX-512.
bool hash_integers(std::span<const std::uint64_t> numbers, std::uint64_t whitening, std::span<digest> digests) noexcept;

} // namespace everbloom::kernel
