#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/jobs/query_copy.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom {

result<filter_file> query_copy_of(const filter_file& source, double fpr, std::string_view kind) {
    return or_out_of_memory([&]() -> result<filter_file> {
        auto made = source.filter().query_copy(fpr, kind);
        if (!made) return fail(std::move(made.error()));
        filter_file copy;
        copy.handle = keyed(std::move(*made), source.hasher());
        copy.keys = source.keys;
        const auto counted = source.filter().keys();
        const double items = counted ? static_cast<double>(*counted) : source.filter().measure().items;
        copy.target = {static_cast<std::uint64_t>(std::fmax(1.0, std::round(items))), fpr};
        return copy;
    });
}

} // namespace everbloom
