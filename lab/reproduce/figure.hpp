// Figures of artefacts: the gnuplot script, and the picture drawn from it.
#pragma once

#include "lab/papers/artefact.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

/// The script; it writes an SVG picture to standard output and needs no other file. Empty if there is nothing to draw.
[[nodiscard]] std::string figure_script(const lab::artefact& one);

/// Runs gnuplot on a script file and returns the SVG. nullopt if there is no gnuplot on this machine.
[[nodiscard]] result<std::optional<std::string>> draw_figure(const std::string& script_path);

/// The picture for embedding in an HTML page: no prolog, unique names, black becomes the text colour.
[[nodiscard]] std::string inline_figure(std::string svg, const std::string& id, const std::string& title);

} // namespace everbloom::cli
