// change_watch: waits until files or directories change (inotify).
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace everbloom::cli {

class change_watch {
public:
    /// Files are watched by name, so that they may be replaced; directories with all that is in them, but not below.
    [[nodiscard]] static result<change_watch> of(const std::vector<std::string>& names);

    /// Returns when something has changed and then nothing for this number of seconds, or after a cancellation.
    [[nodiscard]] result<void> wait(double settled_seconds, const cancellation& cancel);

    change_watch(change_watch&& other) noexcept;
    change_watch(const change_watch&) = delete;
    change_watch& operator=(const change_watch&) = delete;
    change_watch& operator=(change_watch&&) = delete;
    ~change_watch();

private:
    explicit change_watch(int descriptor) noexcept : descriptor_(descriptor) {}

    [[nodiscard]] result<void> add(const std::string& name);
    /// Reads what is there; true if something that is watched has changed.
    [[nodiscard]] bool read_changes();

    int descriptor_;
    std::map<int, std::set<std::string>> names_; // by directory; no names: all of them
};

} // namespace everbloom::cli
