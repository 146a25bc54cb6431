// verdict_file: one line per packet, "index address VERDICT", as --verdicts asks for.
//
// A file gets its name when it is complete, as a filter does (output_file.hpp). What is not a regular file (a pipe, standard output as "-") is written
// to as the packets come.
#pragma once

#include "filters/output_file.hpp"
#include "gate/packet.hpp"
#include "gate/verdict.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <span>
#include <string>

namespace everbloom::cli {

class verdict_file {
public:
    /// `inputs` are the files that the command reads: none of them is overwritten. Without `finish` there is no file.
    [[nodiscard]] static result<verdict_file> begin(const std::string& path, std::span<const std::string> inputs);

    verdict_file(verdict_file&& other) noexcept;
    verdict_file& operator=(verdict_file&&) = delete;
    ~verdict_file();

    /// `truth` stands behind the verdict where exact sets judged as well. A packet without a sender has "-" for one.
    [[nodiscard]] result<void> write(std::uint64_t index, const packet& one, verdict said,
                                     std::optional<verdict> truth);
    /// For pipes: what was written is there to be read now.
    [[nodiscard]] result<void> flush();
    [[nodiscard]] result<void> finish();

private:
    verdict_file(std::string path, std::optional<output_file> file, int descriptor)
        : path_(std::move(path)), file_(std::move(file)), descriptor_(descriptor) {}

    std::string path_;
    std::optional<output_file> file_; // nothing: a pipe, a device or standard output, written as it comes
    int descriptor_;
    std::string buffer_;
};

} // namespace everbloom::cli
