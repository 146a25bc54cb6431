// output_file: a file that a command writes. The one way by which commands put files in place.
//
// It is refused before any work is done if the command reads the same file, by whatever name. Every file that is put in place is noted
// (change_record.hpp), so that what fails afterwards is told as what it is.
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
    /// Becomes the only writer of `path`. `inputs` are the files that the command reads; "-" is standard input.
    [[nodiscard]] static result<output_file> begin(const std::string& path, std::span<const std::string> inputs = {},
                                                   readers of_new_file = readers::owner_only);

    /// For everything that is not a filter: a list, a report, a picture. Refuses to replace a filter by it.
    [[nodiscard]] static result<output_file> begin_other(const std::string& path,
                                                         std::span<const std::string> inputs = {},
                                                         readers of_new_file = readers::owner_only);

    /// A filter that is changed in place: the one case in which a command reads the file that it writes.
    [[nodiscard]] static result<output_file> begin_in_place(const std::string& path);

    [[nodiscard]] result<void> commit(std::span<const std::span<const std::byte>> pieces);
    [[nodiscard]] result<void> save(const filter_file& file);

    /// In steps, for contents that come one after the other and for files that belong together: see file_update.
    [[nodiscard]] result<void> write(std::span<const std::byte> bytes) { return update_.write(bytes); }
    [[nodiscard]] result<void> prepare() { return update_.prepare(); }
    [[nodiscard]] result<void> prepare(std::span<const std::span<const std::byte>> pieces) {
        return update_.prepare(pieces);
    }
    [[nodiscard]] result<void> prepare_text(std::string_view text);
    [[nodiscard]] result<void> prepare(const filter_file& file) { return prepare_filter(file, update_); }
    [[nodiscard]] result<void> publish();

    /// The file itself, behind any symbolic links.
    [[nodiscard]] const std::string& target() const noexcept { return update_.target(); }
    /// Where the new contents lie between prepare and publish.
    [[nodiscard]] const std::string& prepared() const noexcept { return update_.prepared(); }

private:
    output_file(std::string path, file_update update) : path_(std::move(path)), update_(std::move(update)) {}
    result<void> noted(result<void> published) const;

    std::string path_; // as the user has named it
    file_update update_;
};

/// Are these names of one existing file? "-" is standard input.
[[nodiscard]] bool is_same_file(const std::string& one, const std::string& other);

/// Refuses to write a file that the same command reads.
[[nodiscard]] result<void> refuse_input_as_output(const std::string& output, std::span<const std::string> inputs);

} // namespace everbloom::cli
