#include "lab/reproduce/report_files.hpp"

#include "filters/whole_file.hpp"
#include "lab/reproduce/figure.hpp"
#include "lab/reproduce/page.hpp"
#include "lab/reproduce/report_json.hpp"

#include <filesystem>
#include <system_error>

namespace everbloom::cli {
namespace {

/// Writes the files of one report.
class report_writer {
public:
    explicit report_writer(std::span<const std::string> inputs) : inputs_(inputs) {}
    [[nodiscard]] result<void> operator()(const std::string& path, const std::string& text) const {
        return write_whole_file(path, bytes_of(text), inputs_);
    }

private:
    std::span<const std::string> inputs_;
};

/// Draws the artefact if it has a figure and gnuplot is installed.
result<std::optional<std::string>> draw(const lab::artefact& one, const std::string& stem,
                                        const report_writer& write_file) {
    const std::string script = figure_script(one);
    if (script.empty()) return std::nullopt;
    if (auto done = write_file(stem + ".gp", script); !done) return fail(std::move(done.error()));
    auto svg = draw_figure(stem + ".gp");
    if (!svg) return fail(std::move(svg.error()));
    if (!*svg) return std::nullopt;
    if (auto done = write_file(stem + ".svg", **svg); !done) return fail(std::move(done.error()));
    return svg;
}

} // namespace

result<void> make_directory(const std::string& directory) {
    std::error_code refused;
    std::filesystem::create_directories(directory, refused);
    if (refused) {
        return fail(failure_reason::input_output, directory + ": cannot create directory: " + refused.message());
    }
    return {};
}

result<written_files> write_report(const paper_report& report, const std::string& directory,
                                   std::span<const std::string> inputs) {
    const report_writer write_file(inputs);
    const std::string folder = (std::filesystem::path(directory) / report.key).string();
    if (auto made = make_directory(folder); !made) return fail(std::move(made.error()));
    written_files written;
    page_figures figures;
    for (const lab::artefact& one : report.artefacts) {
        const std::string stem = (std::filesystem::path(folder) / one.id).string();
        if (auto done = write_file(stem + ".csv", artefact_csv(one)); !done) return fail(std::move(done.error()));
        ++written.tables;
        const auto svg = draw(one, stem, write_file);
        if (!svg) return fail(svg.error());
        if (!*svg) {
            written.gnuplot_is_missing = true;
            continue;
        }
        figures[one.id] = inline_figure(**svg, one.id, escaped(one.title));
        ++written.pictures;
    }
    const std::string document = report_document(report).dump(2) + "\n";
    if (auto done = write_file(folder + ".json", document); !done) return fail(std::move(done.error()));
    written.page = folder + ".html";
    if (auto done = write_file(written.page, report_page(report, figures)); !done) return fail(std::move(done.error()));
    return written;
}

} // namespace everbloom::cli
