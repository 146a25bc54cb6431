// verdict_file: the output of --verdicts, one line per packet: "index address VERDICT".
//
// A regular file is renamed into place when it is complete, like a filter (output_file.hpp). A pipe or standard output ("-") is written
// as the packets come.
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
    /// `inputs` are the files that the command reads; none of them is overwritten. There is no file before `finish`.
    [[nodiscard]] static result<verdict_file> begin(const std::string& path, std::span<const std::string> inputs);

    verdict_file(verdict_file&& other) noexcept;
    verdict_file& operator=(verdict_file&&) = delete;
    ~verdict_file();

    /// `truth`, the verdict of the exact sets, is written after the verdict. The sender of an undecodable packet is "-".
    [[nodiscard]] result<void> write(std::uint64_t index, const packet& one, verdict said,
                                     std::optional<verdict> truth);
    /// Writes the buffer out, for readers of a pipe.
    [[nodiscard]] result<void> flush();
    [[nodiscard]] result<void> finish();

private:
    verdict_file(std::string path, std::optional<output_file> file, int descriptor)
        : path_(std::move(path)), file_(std::move(file)), descriptor_(descriptor) {}

    std::string path_;
    std::optional<output_file> file_; // nullopt: a pipe, a device or standard output
    int descriptor_;
    std::string buffer_;
};

} // namespace everbloom::cli
