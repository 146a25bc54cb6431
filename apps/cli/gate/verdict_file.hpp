// verdict_file: one line per packet, "index address VERDICT", as --verdicts asks for.
//
// A file gets its name when it is complete; until then it is NAME.part. What is not a regular file (a pipe, standard output as "-") is written
// to as the packets come.
#pragma once

#include "gate/packet.hpp"
#include "gate/verdict.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

class verdict_file {
public:
    [[nodiscard]] static result<verdict_file> begin(const std::string& path);

    verdict_file(verdict_file&& other) noexcept;
    verdict_file& operator=(verdict_file&&) = delete;
    /// Without `finish` there is no file.
    ~verdict_file();

    /// `truth` stands behind the verdict where exact sets judged as well. A packet without a sender has "-" for one.
    [[nodiscard]] result<void> write(std::uint64_t index, const packet& one, verdict said,
                                     std::optional<verdict> truth);
    /// For pipes: what was written is there to be read now.
    [[nodiscard]] result<void> flush();
    [[nodiscard]] result<void> finish();

private:
    verdict_file(std::string path, std::string temporary, int descriptor)
        : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

    std::string path_;
    std::string temporary_; // empty: written in place
    int descriptor_;
    std::string buffer_;
};

} // namespace everbloom::cli
