#include "output/change_record.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

// Only the main thread replaces files.
std::size_t count = 0;
std::array<char, 4096> first_name{};

} // namespace

void note_changed_file(std::string_view path) noexcept {
    if (count++ != 0) return;
    const std::size_t length = std::min(path.size(), first_name.size() - 1);
    std::copy_n(path.data(), length, first_name.data());
    first_name[length] = '\0';
}

std::size_t changed_files() noexcept { return count; }

const char* first_changed_file() noexcept { return first_name.data(); }

} // namespace everbloom::cli
