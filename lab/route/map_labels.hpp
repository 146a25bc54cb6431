// Label placement: beside the dot, on the side with the least overlap. A label that would cover another one is omitted.
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

    /// Points that labels should avoid: lines and dots. Only the first ones count if there are very many.
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

/// Approximate text width in a common typeface.
[[nodiscard]] double text_width(std::string_view words, double points);

} // namespace everbloom::cli
