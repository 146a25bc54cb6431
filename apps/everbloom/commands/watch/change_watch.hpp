// change_watch: waits until files or directories change.
//
// By inotify where there is such a thing (change_watch.cpp), otherwise by looking once a second (polled_watch.cpp).
#pragma once

#include "frame/cancellation.hpp"

#include <everbloom/core/result.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<sys/inotify.h>) && !defined(EVERBLOOM_PORTABLE)
#define EVERBLOOM_HAVE_INOTIFY
#endif

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
    class state; // what the system needs for it
    explicit change_watch(std::unique_ptr<state> made) noexcept;

    std::unique_ptr<state> state_;
};

} // namespace everbloom::cli
