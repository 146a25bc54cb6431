#include "filters/output_file.hpp"

#include "keys/key_files.hpp"
#include "output/change_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace everbloom::cli {
namespace {

bool find(const std::string& name, struct stat& found) {
    return (name == "-" ? ::fstat(STDIN_FILENO, &found) : ::stat(name.c_str(), &found)) == 0;
}

} // namespace

bool is_same_file(const std::string& one, const std::string& other) {
    struct stat a {};
    struct stat b {};
    return find(one, a) && find(other, b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

result<void> refuse_input_as_output(const std::string& output, std::span<const std::string> inputs) {
    const auto read = std::find_if(inputs.begin(), inputs.end(),
                                   [&](const std::string& input) { return is_same_file(output, input); });
    if (read == inputs.end()) return {};
    const std::string same = *read == output ? "" : " (it is the same file as " + display_name(*read) + ")";
    return fail(failure_reason::bad_parameter, output + ": is an input of this command and would be overwritten" +
                                                   same + "; name another output file");
}

result<output_file> output_file::begin(const std::string& path, std::span<const std::string> inputs,
                                       readers of_new_file) {
    if (auto other = refuse_input_as_output(path, inputs); !other) return fail(std::move(other.error()));
    auto update = file_update::begin(path, of_new_file);
    if (!update) return fail(std::move(update.error()));
    return output_file(path, std::move(*update));
}

result<output_file> output_file::begin_other(const std::string& path, std::span<const std::string> inputs,
                                             readers of_new_file) {
    if (auto other = refuse_input_as_output(path, inputs); !other) return fail(std::move(other.error()));
    if (looks_like_filter(path)) {
        return fail(failure_reason::bad_parameter,
                    path + ": is a filter and is not overwritten; name another output file");
    }
    return begin(path, inputs, of_new_file);
}

result<output_file> output_file::begin_in_place(const std::string& path) { return begin(path); }

result<void> output_file::commit(std::span<const std::span<const std::byte>> pieces) {
    return noted(update_.commit(pieces));
}

result<void> output_file::prepare_text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return prepare(std::span(&bytes, 1));
}

result<void> output_file::save(const filter_file& file) { return noted(save_filter(file, update_)); }

result<void> output_file::publish() { return noted(update_.publish()); }

result<void> output_file::noted(result<void> published) const {
    if (published || published.error().reason == failure_reason::not_durable) note_changed_file(path_);
    return published;
}

} // namespace everbloom::cli
