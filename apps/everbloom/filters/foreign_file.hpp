// foreign_file: opens filters of other programs from disk, plain or compressed. The library knows their contents (foreign/).
//
// They are recognised by their content, a header and the length that follows from it; --from names the format where that is not
// possible. Memory is allocated after both were checked. A compressed file may expand to four times its size and 64 MiB: bits hardly
// compress, and a few bytes of gzip can claim to be gigabytes.
#pragma once

#include "frame/cancellation.hpp"
#include "frame/command_flags.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_filter.hpp>

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

/// The words of --from.
[[nodiscard]] std::vector<std::string> names_of_foreign_formats();

/// --from FORMAT, for commands that read filters of other programs.
class foreign_flags {
public:
    void declare(command_flags& command);
    [[nodiscard]] std::optional<foreign_format> format() const noexcept { return foreign_format_named(from_); }

private:
    std::string from_;
};

/// The format of a regular file that is a filter of another program. A damaged one counts as long as its header leaves no doubt.
[[nodiscard]] std::optional<foreign_format> foreign_format_of(const std::string& path);

[[nodiscard]] result<foreign_filter> read_foreign(const std::string& path, foreign_format format,
                                                  const cancellation& cancel);

} // namespace everbloom::cli
