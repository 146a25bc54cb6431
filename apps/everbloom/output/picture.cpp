#include "output/picture.hpp"

#include "output/picture_canvas.hpp"
#include "output/picture_heat_map.hpp"
#include "output/picture_histogram.hpp"
#include "output/picture_parts.hpp"
#include "output/wording.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

/// The end of a long name: more informative than its beginning.
std::string shortened(std::string name) {
    constexpr std::size_t most = 64;
    if (name.size() <= most) return name;
    std::size_t from = name.size() - most;
    while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xc0) == 0x80)
        ++from; // not inside a character
    return "…" + name.substr(from);
}

/// Squares of whole buckets, for kinds that have buckets: parts of them would show stripes, because the first cells of a bucket are
/// filled first.
std::size_t slices_of(const any_filter& filter) {
    const std::uint64_t bucket_cells = filter.geometry("bucket_cells").value_or(0);
    if (bucket_cells == 0) return heat_map_slices;
    const std::uint64_t all = filter.cells() / bucket_cells;
    const std::uint64_t fewest = std::max<std::uint64_t>(1, (all + heat_map_slices - 1) / heat_map_slices);
    std::uint64_t together = fewest;
    while (together < 4 * fewest && all % together != 0) ++together; // equal squares, if that costs few of them
    return static_cast<std::size_t>(std::max<std::uint64_t>(1, all / together));
}

} // namespace

std::string draw_picture(const any_filter& filter, const picture_caption& caption) {
    constexpr double margin = 36;
    constexpr extent map{640, 320};
    constexpr double gap = 40;
    const cell_census census = filter.census(slices_of(filter), histogram_values);
    const auto growth = filter.growth();
    const bool is_chain = growth && growth->filters > 1;
    const auto parts = parts_beside_the_cells(filter);
    constexpr double parts_top = 548;
    const extent whole{1020, parts.empty() ? 536 : parts_top + height_of_parts(parts.size())};
    picture_canvas canvas(whole, caption.kind + " filter " + caption.file, "#fdfbf6");
    canvas.text({margin, 48}, caption.kind, {24, "#1b2452", "start", "bold"});
    canvas.text({whole.width - margin, 48}, shortened(caption.file), {15, "#5a6773", "end", "normal"});
    canvas.text({margin, 76}, caption.facts, {14, "#22303c", "start", "normal"});
    canvas.rectangle({margin, 92}, {whole.width - 2 * margin, 1}, "#d9d3c3");
    draw_heat_map(canvas, {margin, 120}, map, census,
                  is_chain ? "; " + counted(growth->filters, "filter") + ", in a chain" : "");
    const double histogram_x = margin + map.width + gap;
    draw_histogram(canvas, {histogram_x, 120}, {whole.width - margin - histogram_x, map.height}, census,
                   is_chain ? cell_origin::chain : cell_origin::one_array);
    draw_parts(canvas, {margin, parts_top}, {map.width, 0}, parts);
    return std::move(canvas).finish();
}

} // namespace everbloom::cli
