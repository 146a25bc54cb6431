// output_file: a file that a command writes; commands write files in no other way.
//
// A file that the command also reads, under any name, is refused before any work is done. Every file that is replaced is recorded
// (change_record.hpp), so that a later failure is reported as one after a change.
#pragma once

#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace everbloom::cli {

class output_file {
public:
    /// Locks `path`. `inputs` are the files that the command reads; "-" is standard input.
    [[nodiscard]] static result<output_file> begin(const std::string& path, std::span<const std::string> inputs = {},
                                                   readers of_new_file = readers::owner_only);

    /// For files that are not filters: a list, a report, a picture. Refuses to replace a filter.
    [[nodiscard]] static result<output_file> begin_other(const std::string& path,
                                                         std::span<const std::string> inputs = {},
                                                         readers of_new_file = readers::owner_only);

    /// A filter that is changed in place: the only case in which a command reads the file that it writes.
    [[nodiscard]] static result<output_file> begin_in_place(const std::string& path);

    [[nodiscard]] result<void> commit(std::span<const std::span<const std::byte>> pieces);
    [[nodiscard]] result<void> save(const filter_file& file);

    /// In steps, for contents in pieces and for files that belong together: see file_update.
    [[nodiscard]] result<void> write(std::span<const std::byte> bytes) { return update_.write(bytes); }
    [[nodiscard]] result<void> prepare() { return update_.prepare(); }
    [[nodiscard]] result<void> prepare(std::span<const std::span<const std::byte>> pieces) {
        return update_.prepare(pieces);
    }
    [[nodiscard]] result<void> prepare_text(std::string_view text);
    [[nodiscard]] result<void> prepare(const filter_file& file) { return prepare_filter(file, update_); }
    [[nodiscard]] result<void> publish();

    /// The file itself, after symbolic links.
    [[nodiscard]] const std::string& target() const noexcept { return update_.target(); }
    /// The file with the new contents, between prepare and publish.
    [[nodiscard]] const std::string& prepared() const noexcept { return update_.prepared(); }

private:
    output_file(std::string path, file_update update) : path_(std::move(path)), update_(std::move(update)) {}
    result<void> noted(result<void> published) const;

    std::string path_; // as the user wrote it
    file_update update_;
};

/// Are these names of one existing file? "-" is standard input.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

/// Refuses to write a file that the same command reads.
[[nodiscard]] result<void> refuse_input_as_output(const std::string& output, std::span<const std::string> inputs);

} // namespace everbloom::cli
