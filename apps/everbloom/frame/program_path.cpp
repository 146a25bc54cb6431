#include "frame/program_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#if defined(__APPLE__)
#include <mach-o/dyld.h>

#include <array>
#endif

namespace everbloom::cli {
namespace {

const char* call_name = "";

} // namespace

void remember_call_name(const char* name) noexcept { call_name = name; }

std::string path_of_program(std::error_code& error) {
#if defined(__linux__) && !defined(EVERBLOOM_PORTABLE)
    return std::filesystem::read_symlink("/proc/self/exe", error).string();
#else
#if defined(__APPLE__)
    std::array<char, 4096> named{};
    auto bytes = static_cast<std::uint32_t>(named.size());
    if (::_NSGetExecutablePath(named.data(), &bytes) == 0)
        return std::filesystem::canonical(named.data(), error).string();
#endif
    // As a shell finds it: a name with a slash is a path, and any other is looked for in PATH.
    const std::string name = call_name;
    if (name.find('/') != std::string::npos) return std::filesystem::canonical(name, error).string();
    const char* const folders = std::getenv("PATH");
    std::istringstream list(folders == nullptr ? "" : folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate, error))
            return std::filesystem::canonical(candidate, error).string();
    }
    error = std::make_error_code(std::errc::no_such_file_or_directory);
    return {};
#endif
}

} // namespace everbloom::cli
