// Figures: an artefact as a gnuplot script, and the picture that gnuplot makes of it.
#pragma once

#include "lab/papers/artefact.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

/// The script; it writes an SVG picture to standard output and needs no other file. Empty if there is nothing to draw.
[[nodiscard]] std::string figure_script(const lab::artefact& one);

/// What gnuplot draws from the script in this file, into that one. Nothing if there is no gnuplot on this machine.
[[nodiscard]] result<std::optional<std::string>> draw_figure(const std::string& script_path);

/// The picture made ready to stand inside an HTML page with others: no prolog, names of its own, black becomes the text's colour.
[[nodiscard]] std::string inline_figure(std::string svg, const std::string& id, const std::string& title);

} // namespace everbloom::cli
