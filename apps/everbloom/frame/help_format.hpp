// help_format: how --help looks. CLI11's own layout, with lines that fit a terminal and without what flags say to each other; on a
// terminal in colours.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

class help_format final : public CLI::Formatter {
public:
    help_format();

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

} // namespace everbloom::cli
