// change_watch for systems without inotify: the names, sizes, times and numbers of the files are compared once a second.
//
// A writer that has not finished is noticed as one that still changes the file; `wait` ends only when nothing has changed for a while.
#include "commands/watch/change_watch.hpp"

#if !defined(EVERBLOOM_HAVE_INOTIFY)

#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>

namespace everbloom::cli {
namespace {

// All that tells two states of a file apart; a new file under an old name has another number.
using file_state = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;

void note(const std::string& name, std::map<std::string, file_state>& found) {
    struct stat facts {};
    if (::stat(name.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
#if defined(__APPLE__)
    const timespec changed = facts.st_mtimespec;
#else
    const timespec changed = facts.st_mtim;
#endif
    found[name] = {static_cast<std::uint64_t>(facts.st_ino), static_cast<std::uint64_t>(facts.st_size),
                   static_cast<std::int64_t>(changed.tv_sec), static_cast<std::int64_t>(changed.tv_nsec)};
}

} // namespace

class change_watch::state {
public:
    explicit state(std::vector<std::string> names) : names_(std::move(names)), seen_(look()) {}

    [[nodiscard]] result<void> wait(double settled_seconds, const cancellation& cancel) {
        using clock = std::chrono::steady_clock;
        const auto settled = std::chrono::duration<double>(settled_seconds);
        bool changed = false;
        clock::time_point last_change{};
        for (;;) {
            if (auto now = look(); now != seen_) {
                seen_ = std::move(now);
                changed = true;
                last_change = clock::now();
            } else if (changed && clock::now() - last_change >= settled) {
                return {};
            }
            pollfd stopped{cancel.descriptor(), POLLIN, 0};
            const double patience = changed ? std::min(1.0, std::max(0.01, settled_seconds / 2)) : 1;
            const int ready = ::poll(&stopped, 1, static_cast<int>(std::lround(1000 * patience)));
            if (cancel.requested()) return {};
            if (ready < 0 && errno != EINTR) {
                return fail(failure_reason::input_output, std::string("cannot watch files: ") + std::strerror(errno));
            }
        }
    }

private:
    [[nodiscard]] std::map<std::string, file_state> look() const {
        std::map<std::string, file_state> found;
        for (const std::string& name : names_) {
            std::error_code error;
            if (!std::filesystem::is_directory(name, error)) {
                note(name, found);
                continue;
            }
            for (std::filesystem::directory_iterator one(name, error), end; !error && one != end;
                 one.increment(error)) {
                // A new file of a writer (.name.eb-new, .name.swp) is none of the lists.
                if (!one->path().filename().string().starts_with('.')) note(one->path().string(), found);
            }
        }
        return found;
    }

    std::vector<std::string> names_;
    std::map<std::string, file_state> seen_;
};

change_watch::change_watch(std::unique_ptr<state> made) noexcept : state_(std::move(made)) {}
change_watch::change_watch(change_watch&& other) noexcept = default;
change_watch::~change_watch() = default;

result<void> change_watch::wait(double settled_seconds, const cancellation& cancel) {
    return state_->wait(settled_seconds, cancel);
}

result<change_watch> change_watch::of(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const std::filesystem::path path(name);
        const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
        std::error_code error;
        if (!std::filesystem::is_directory(std::filesystem::is_directory(name, error) ? path : folder, error)) {
            return fail(failure_reason::input_output, name + ": cannot watch it: " + std::strerror(ENOENT));
        }
    }
    return change_watch(std::make_unique<state>(names));
}

} // namespace everbloom::cli

#endif
