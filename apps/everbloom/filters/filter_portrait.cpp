#include "filters/filter_portrait.hpp"

#include "filters/filter_argument.hpp"
#include "output/picture.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/deletability_forecast.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace everbloom::cli {

std::uint64_t filter_portrait::items() const noexcept { return static_cast<std::uint64_t>(std::llround(now.items)); }

std::optional<double> filter_portrait::deletable_at_twice_the_items() const {
    return forecast_deletability(filter(), now, items());
}

result<filter_portrait> portray_filter(const std::string& path) {
    auto file = map_filter_argument(path);
    if (!file) return fail(std::move(file.error()));
    filter_portrait seen;
    seen.file = std::move(*file);
    seen.kind = find_kind(seen.filter().kind());
    std::error_code gone; // deleted after it was mapped; then its size does not matter
    seen.file_bytes = std::filesystem::file_size(path, gone);
    seen.now = seen.filter().measure();
    seen.occupied_share = seen.filter().census(1, 2).occupied_shares.front();
    return seen;
}

std::string picture_of(const filter_portrait& seen, const std::string& path) {
    const any_filter& filter = seen.filter();
    return draw_picture(
        filter, {std::string(filter.kind()), std::filesystem::path(path).filename().string(),
                 fmt::format("{} · current FPR {} · {} · {} of {} cells occupied", estimated_keys(seen.now.items),
                             rate_text(seen.now.fpr), size_text(seen.file_bytes, seen.now.items),
                             rate_text(seen.occupied_share), grouped(filter.cells()))});
}

} // namespace everbloom::cli
