#include "picture.hpp"

#include "picture_canvas.hpp"
#include "picture_heat_map.hpp"
#include "picture_histogram.hpp"

namespace everbloom::cli {
namespace {

/// The end of a long name, which tells more than its beginning.
std::string shortened(std::string name) {
    constexpr std::size_t most = 64;
    if (name.size() <= most) return name;
    std::size_t from = name.size() - most;
    while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xc0) == 0x80)
        ++from; // not inside a character
    return "…" + name.substr(from);
}

} // namespace

std::string draw_picture(const any_filter& filter, const picture_caption& caption) {
    constexpr extent whole{1020, 536};
    constexpr double margin = 36;
    constexpr extent map{640, 320};
    constexpr double gap = 40;
    const cell_census census = filter.census(heat_map_slices, histogram_values);
    picture_canvas canvas(whole, caption.kind + " filter " + caption.file, "#fdfbf6");
    canvas.text({margin, 48}, caption.kind, {24, "#1b2452", "start", "bold"});
    canvas.text({whole.width - margin, 48}, shortened(caption.file), {15, "#5a6773", "end", "normal"});
    canvas.text({margin, 76}, caption.facts, {14, "#22303c", "start", "normal"});
    canvas.rectangle({margin, 92}, {whole.width - 2 * margin, 1}, "#d9d3c3");
    draw_heat_map(canvas, {margin, 120}, map, census);
    const double histogram_x = margin + map.width + gap;
    draw_histogram(canvas, {histogram_x, 120}, {whole.width - margin - histogram_x, map.height}, census);
    return std::move(canvas).finish();
}

} // namespace everbloom::cli
