// A directory that is there as long as a test needs it, with the two verbs tests need most: write a file, read a file.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace everbloom::support {

class temporary_directory {
public:
    temporary_directory() {
        std::string made = ::testing::TempDir() + "everbloom_test_XXXXXX";
        if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
        path_ = made;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory() {
        std::error_code ignored; // a test that took away our rights has its own problems
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    /// The path of a file in it.
    [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }

    /// Writes a file and gives back its path.
    std::string write(std::string_view name, std::string_view bytes) const {
        const std::string to = *this / name;
        std::ofstream file(to, std::ios::binary);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        file.close();
        if (!file) throw std::runtime_error("cannot write " + to);
        return to;
    }

    [[nodiscard]] std::string read(std::string_view name) const {
        std::ifstream file(*this / name, std::ios::binary);
        if (!file) throw std::runtime_error("cannot read " + (*this / name));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    /// The names of what is in it, hidden files included, sorted.
    [[nodiscard]] std::string listing() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) names.insert(entry.path().filename());
        std::string listed;
        for (const std::string& name : names) listed += (listed.empty() ? "" : " ") + name;
        return listed;
    }

private:
    std::filesystem::path path_;
};

} // namespace everbloom::support
