// keys_to_foreign: a list of keys becomes a filter of another program, sized as that program sizes it.
#pragma once

#include "frame/cancellation.hpp"
#include "keys/hash_keys.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_filter.hpp>

#include <cstdint>
#include <optional>

namespace everbloom::cli {

struct foreign_plan {
    foreign_format format = foreign_format::guava;
    guava_file::strategy strategy = guava_file::strategy::mitz_64;
    std::optional<std::uint64_t> capacity = {}; // none: the number of keys
    double fpr = 0;
};

struct filled_foreign {
    foreign_filter filter;
    std::uint64_t keys = 0; // read
    std::uint64_t capacity = 0;
};

/// Without a capacity the digests, 16 bytes per key, are kept until all keys are read.
[[nodiscard]] result<filled_foreign> fill_foreign(const foreign_plan& plan, const key_stream& keys,
                                                  cancellation& cancel);

} // namespace everbloom::cli
