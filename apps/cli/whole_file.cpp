#include "whole_file.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <fstream>
#include <iterator>

namespace everbloom::cli {

result<std::vector<std::byte>> read_whole_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) return fail(failure_reason::input_output, path + ": cannot be read");
    const auto bytes = bytes_of(text);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

result<void> write_whole_file(const std::string& path, std::span<const std::byte> bytes) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    return update->commit(std::span(&bytes, 1));
}

} // namespace everbloom::cli
