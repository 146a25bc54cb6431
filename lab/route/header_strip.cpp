#include "lab/route/header_strip.hpp"

#include "output/wording.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::cli {
namespace {

struct field_colours {
    std::string_view dark;
    std::string_view light;
};
constexpr field_colours yes_colours{"#1f6fb4", "#dce9f4"};
constexpr std::array<field_colours, 2> no_colours{{{"#8c3f97", "#efe0f1"}, {"#c2587a", "#f8e3ea"}}}; // alternating
constexpr unsigned most_large_bits = 2048;

struct grid {
    point at;
    double width;
    unsigned per_row;

    [[nodiscard]] double cell() const noexcept { return width / per_row; }
    [[nodiscard]] std::string square(unsigned bit) const {
        const double gap = cell() > 4 ? 1.2 : 0;
        const unsigned row = bit / per_row;
        return fmt::format("M{:.2f} {:.2f}h{:.2f}v{:.2f}h-{:.2f}z", at.x + (bit % per_row) * cell(),
                           at.y + row * cell(), cell() - gap, cell() - gap, cell() - gap);
    }
};

unsigned draw_field(map_canvas& canvas, const grid& cells, const packet_bits& packet, unsigned first, unsigned count,
                    const field_colours& colours) {
    std::string set;
    std::string clear;
    unsigned ones = 0;
    for (unsigned bit = first; bit < first + count; ++bit) {
        const bool is_set = (packet.words[bit / 64] >> bit % 64 & 1) != 0;
        ones += is_set ? 1 : 0;
        (is_set ? set : clear) += cells.square(bit);
    }
    canvas.shape(clear, colours.light);
    canvas.shape(set, colours.dark);
    return ones;
}

} // namespace

double draw_header_strip(map_canvas& canvas, const strip_place& place, std::string_view name, const header_code& code,
                         const packet_bits& packet) {
    const route::header_shape& shape = code.shape();
    const point at = place.at;
    const grid cells{{at.x, at.y + 26}, place.width, shape.bits() <= most_large_bits ? 128u : 512u};
    const unsigned yes_ones = draw_field(canvas, cells, packet, 0, shape.yes_bits, yes_colours);
    unsigned no_ones = 0;
    for (unsigned i = 0; i < shape.no_filters; ++i) {
        no_ones += draw_field(canvas, cells, packet, shape.no_filter_at(i), shape.no_bits, no_colours[i % 2]);
    }
    canvas.text({at.x, at.y + 16}, name, {.points = 13, .weight = "bold"});
    const point key{at.x + 130, at.y + 7};
    const auto entry = [&](double x, std::string_view colour, const std::string& words) {
        canvas.shape(fmt::format("M{:g} {:g}h10v10h-10z", key.x + x, key.y), colour);
        canvas.text({key.x + x + 15, at.y + 16}, words, {.points = 12});
    };
    if (shape.no_filters == 0) {
        entry(0, yes_colours.dark, fmt::format("{} of {} bits set", yes_ones, shape.bits()));
    } else {
        entry(0, yes_colours.dark, fmt::format("yes-filter: {} of {} bits set", yes_ones, shape.yes_bits));
        entry(240, no_colours[0].dark, "");
        entry(254, no_colours[1].dark,
              fmt::format("{} of {} bits: {} of {} bits set", counted(shape.no_filters, "no-filter"), shape.no_bits,
                          no_ones, shape.no_filters * shape.no_bits));
    }
    if (code.has_seed_byte()) {
        canvas.text({at.x + place.width, at.y + 16}, fmt::format("seed {}", packet.seed),
                    {.points = 12, .anchor = "end"});
    }
    const unsigned rows = (shape.bits() + cells.per_row - 1) / cells.per_row;
    return 26 + rows * cells.cell();
}

} // namespace everbloom::cli
