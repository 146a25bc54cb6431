// Creating and opening slow filters for the front doors; failures name the file.
#pragma once

#include <everbloom/door/slow_core.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>

namespace everbloom::door {

[[nodiscard]] result<slow_elastic> create_slow(const std::string& path, const filter_options& wanted, key_type keys,
                                               existing_file what, std::uint64_t buffer_bytes);
[[nodiscard]] result<slow_elastic> open_slow(const std::string& path, std::optional<key_type> keys, slow_use how,
                                             std::uint64_t buffer_bytes);

/// The plan for what a filter was made for, with what is wanted instead.
[[nodiscard]] result<slow_plan> plan_resize(const workload& now, const slow_resize_options& wanted);

[[nodiscard]] slow_stats stats_of(const slow_statistics& seen, const measurement& measured, const workload& target);

} // namespace everbloom::door
