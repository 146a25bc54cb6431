// Labels beside the dots they belong to, on the side where they cover least. A label that would hide another one is left out.
#pragma once

#include "output/picture_canvas.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct label_place {
    point at; // of the text, on its base line
    std::string_view anchor;
};

class label_placer {
public:
    explicit label_placer(extent sheet) : sheet_(sheet) {}

    /// Points that labels should stay away from: lines and dots. Of very many only the first count.
    void avoid(point at) {
        if (obstacles_.size() < most_obstacles) obstacles_.push_back(at);
    }

    enum class importance { wanted, if_there_is_room };

    [[nodiscard]] std::optional<label_place> place(point dot, std::string_view words, double points, importance need);

private:
    static constexpr std::size_t most_obstacles = 20'000;

    struct box {
        point least;
        point most;
    };

    [[nodiscard]] double cost(const box& where) const;

    extent sheet_;
    std::vector<point> obstacles_;
    std::vector<box> taken_;
};

/// The width of a text in a usual typeface, roughly.
[[nodiscard]] double text_width(std::string_view words, double points);

} // namespace everbloom::cli
