#include "lab/route/map_labels.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

struct side {
    double x; // -1 left of the dot, 0 centred, 1 right
    double y; // -1 above, 1 below
};
// In the order of preference.
constexpr std::array<side, 8> sides{{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -0.8}, {-1, -0.8}, {1, 0.8}, {-1, 0.8}}};

constexpr double label_overlap_cost = 1000; // for a completely covered label
constexpr double obstacle_cost = 6;
constexpr double off_sheet_cost = 5000;
constexpr double covering_too_much = 80;

} // namespace

double text_width(std::string_view words, double points) {
    const auto letters = std::count_if(words.begin(), words.end(), [](char c) { return (c & 0xc0) != 0x80; });
    return 0.58 * points * static_cast<double>(letters);
}

double label_placer::cost(const box& where) const {
    const double area = (where.most.x - where.least.x) * (where.most.y - where.least.y);
    double sum = 0;
    for (const box& other : taken_) {
        const double x = std::min(where.most.x, other.most.x) - std::max(where.least.x, other.least.x);
        const double y = std::min(where.most.y, other.most.y) - std::max(where.least.y, other.least.y);
        if (x > 0 && y > 0) sum += label_overlap_cost * x * y / area;
    }
    for (const point one : obstacles_) {
        if (one.x > where.least.x && one.x < where.most.x && one.y > where.least.y && one.y < where.most.y) {
            sum += obstacle_cost;
        }
    }
    const bool off =
        where.least.x < 4 || where.most.x > sheet_.width - 4 || where.least.y < 0 || where.most.y > sheet_.height;
    return sum + (off ? off_sheet_cost : 0);
}

std::optional<label_place> label_placer::place(point dot, std::string_view words, double points, importance need) {
    const double width = text_width(words, points) + 2;
    const double height = points + 2;
    double least = 1e300;
    box best{};
    side chosen = sides[0];
    double preference = 0;
    for (const double gap : {10.0, 18.0}) {
        for (const side one : sides) {
            const point middle{dot.x + one.x * (gap + width / 2), dot.y + one.y * (gap + height / 2 - 2)};
            const box where{{middle.x - width / 2, middle.y - height / 2},
                            {middle.x + width / 2, middle.y + height / 2}};
            const double here = cost(where) + (preference += 0.4);
            if (here < least) {
                least = here;
                best = where;
                chosen = one;
            }
        }
    }
    if (need == importance::if_there_is_room && least > covering_too_much) return std::nullopt;
    taken_.push_back(best);
    const double base = best.most.y - 0.28 * points;
    if (chosen.x > 0) return label_place{{best.least.x, base}, "start"};
    if (chosen.x < 0) return label_place{{best.most.x, base}, "end"};
    return label_place{{(best.least.x + best.most.x) / 2, base}, "middle"};
}

} // namespace everbloom::cli
