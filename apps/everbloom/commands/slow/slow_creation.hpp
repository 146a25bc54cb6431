// slow_creation: a new slow filter, for `create --slow`. It has no name until it is complete.
#pragma once

#include <everbloom/runtime/slow/slow_file.hpp>

#include <string>

namespace everbloom::cli {

class slow_creation {
public:
    /// Makes an empty filter beside `path`.
    [[nodiscard]] static result<slow_creation> begin(const std::string& path, const workload& wanted,
                                                     const any_hasher& hasher, key_type keys);

    [[nodiscard]] filter_file& file() noexcept { return made_.file; }
    [[nodiscard]] slow_elastic& slow() noexcept { return *made_.slow; }

    enum class existing { keep, replace };
    /// Makes everything durable, then gives the file its name.
    [[nodiscard]] result<void> publish(existing what);

private:
    slow_creation(std::string path, new_slow_file name, slow_filter_file made)
        : path_(std::move(path)), name_(std::move(name)), made_(std::move(made)) {}

    std::string path_;
    new_slow_file name_;
    slow_filter_file made_;
};

} // namespace everbloom::cli
