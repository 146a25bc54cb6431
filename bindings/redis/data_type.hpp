// The data type of the server that filters are: saving, loading, rewriting, copying and freeing them.
#pragma once

#include "module_api.hpp"
#include "stored_filter.hpp"

namespace everbloom::redis {

/// As DUMP, RDB files and TYPE know it: nine letters.
inline constexpr const char* type_name = "everbloom";

inline module_type* filter_type = nullptr;

/// Null if the server refuses it.
[[nodiscard]] module_type* create_type(module_context* context);

/// The largest filter that may be made or loaded here. A replica, and a server that reads its own files, follow what there is.
[[nodiscard]] std::uint64_t most_bytes_for(module_context* context);
/// Is the filter below that limit?
[[nodiscard]] bool may_grow(module_context* context, const stored_filter& value);

/// For INFO.
struct filter_totals {
    std::uint64_t filters = 0;
};
[[nodiscard]] filter_totals totals() noexcept;

/// Hands a value to the server.
void give(module_key* key, std::unique_ptr<stored_filter> value);

} // namespace everbloom::redis
