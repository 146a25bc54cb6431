#include "commands/watch/change_watch.hpp"

#if defined(EVERBLOOM_HAVE_INOTIFY)

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

namespace everbloom::cli {

class change_watch::state {
public:
    state() noexcept : descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    [[nodiscard]] bool opened() const noexcept { return descriptor_ >= 0; }
    [[nodiscard]] result<void> add(const std::string& name);
    [[nodiscard]] result<void> wait(double settled_seconds, const cancellation& cancel);

private:
    /// Reads what is there; true if something that is watched has changed.
    [[nodiscard]] bool read_changes();

    int descriptor_;
    std::map<int, std::set<std::string>> names_; // by directory; no names: all of them
};

change_watch::change_watch(std::unique_ptr<state> made) noexcept : state_(std::move(made)) {}
change_watch::change_watch(change_watch&& other) noexcept = default;
change_watch::~change_watch() = default;

result<void> change_watch::wait(double settled_seconds, const cancellation& cancel) {
    return state_->wait(settled_seconds, cancel);
}

result<change_watch> change_watch::of(const std::vector<std::string>& names) {
    auto made = std::make_unique<state>();
    if (!made->opened()) {
        return fail(failure_reason::input_output, std::string("cannot watch files: ") + std::strerror(errno));
    }
    for (const std::string& name : names) {
        if (auto added = made->add(name); !added) return fail(std::move(added.error()));
    }
    return change_watch(std::move(made));
}

result<void> change_watch::state::add(const std::string& name) {
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(name, error);
    const std::filesystem::path path(name);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const int number = ::inotify_add_watch(descriptor_, is_directory ? name.c_str() : folder.c_str(),
                                           IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
    if (number < 0) {
        return fail(failure_reason::input_output, name + ": cannot watch it: " + std::strerror(errno));
    }
    const auto [found, is_new] = names_.try_emplace(number);
    if (is_directory) {
        found->second.clear();
    } else if (is_new || !found->second.empty()) { // the whole directory may be watched already
        found->second.insert(path.filename().string());
    }
    return {};
}

bool change_watch::state::read_changes() {
    alignas(inotify_event) std::array<char, 16 * 1024> buffer;
    bool changed = false;
    for (;;) {
        const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
        if (got <= 0) return changed;
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event;
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const std::string name = event.len == 0 ? "" : buffer.data() + at + sizeof event;
            at += sizeof event + event.len;
            const auto found = names_.find(event.wd);
            const bool is_lost = (event.mask & IN_Q_OVERFLOW) != 0U; // then anything may have changed
            // A new file of a writer (.name.eb-new, .name.swp) is none of the lists.
            const bool is_hidden = name.starts_with('.');
            const bool is_watched =
                found != names_.end() && (found->second.empty() ? !is_hidden : found->second.contains(name));
            changed = changed || is_lost || is_watched;
        }
    }
}

result<void> change_watch::state::wait(double settled_seconds, const cancellation& cancel) {
    bool changed = false;
    for (;;) {
        std::array<pollfd, 2> wait{{{descriptor_, POLLIN, 0}, {cancel.descriptor(), POLLIN, 0}}};
        const int patience = changed ? static_cast<int>(std::lround(1000 * settled_seconds)) : -1;
        const int ready = ::poll(wait.data(), wait.size(), patience);
        if (cancel.requested()) return {};
        if (ready < 0 && errno != EINTR) {
            return fail(failure_reason::input_output, std::string("cannot watch files: ") + std::strerror(errno));
        }
        if (ready == 0) return {};
        if (ready > 0) changed = read_changes() || changed;
    }
}

} // namespace everbloom::cli

#endif
