#include "gate/event_log.hpp"

#include "filters/output_file.hpp"
#include "output/change_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <iterator>

namespace everbloom::cli {
namespace {

constexpr std::size_t event_buffer_bytes = 1 << 16;

unexpected<failure> cannot_write_events(const std::string& path) {
    return fail(failure_reason::input_output, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

/// "2026-11-17T16:26:58Z"
std::string time_text() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// Refuses to append to a file that does not begin as a log of events does.
result<void> refuse_other_contents(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {}; // not there yet, or a log that may only be written
    char first = '{';
    const ssize_t got = ::read(descriptor, &first, 1);
    ::close(descriptor);
    if (got != 1 || first == '{') return {};
    return fail(failure_reason::bad_parameter,
                path + ": is not a log of events and is not changed; name another file for --events");
}

} // namespace

result<event_log> event_log::begin(const std::string& path, std::span<const std::string> inputs) {
    if (path == "-") return event_log("standard output", ::dup(STDOUT_FILENO), target::standard_output);
    if (auto other = refuse_input_as_output(path, inputs); !other) return fail(std::move(other.error()));
    struct stat there {};
    if (::stat(path.c_str(), &there) != 0) {
        // Made with the first flush. A directory that does not allow it is an error before any work.
        const std::size_t slash = path.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        if (path.empty() || ::access(directory.c_str(), W_OK) != 0) return cannot_write_events(path);
        return event_log(path, -1, target::file);
    }
    if (S_ISREG(there.st_mode)) {
        if (auto ours = refuse_other_contents(path); !ours) return fail(std::move(ours.error()));
    }
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) return cannot_write_events(path);
    return event_log(path, descriptor, target::file);
}

event_log::event_log(event_log&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), is_noted_(other.is_noted_),
      buffer_(std::move(other.buffer_)) {}

event_log::~event_log() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

result<void> event_log::write(std::span<const strike> strikes, std::uint64_t first_packet,
                              const gate_patterns& patterns) {
    if (strikes.empty()) return {};
    const std::string time = time_text();
    const auto add = [&](std::string_view event, const strike& one) {
        fmt::format_to(std::back_inserter(buffer_), R"({{"time":"{}","event":"{}","ip":"{}","strikes":{},"packet":{})",
                       time, event, one.sender.text(), one.count, first_packet + one.packet);
    };
    for (const strike& one : strikes) {
        add("strike", one);
        if (one.pattern) buffer_ += R"(,"pattern":")" + patterns.bytes[*one.pattern].text() + '"';
        buffer_ += "}\n";
        if (one.count != strikes_to_be_out) continue;
        add("ban", one);
        buffer_ += "}\n";
    }
    return buffer_.size() < event_buffer_bytes ? result<void>{} : flush();
}

result<void> event_log::flush() {
    if (descriptor_ < 0) {
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0) return cannot_write_events(path_);
        note_changed_file(path_);
        is_noted_ = true;
    }
    for (std::size_t from = 0; from < buffer_.size();) {
        const ssize_t written = ::write(descriptor_, buffer_.data() + from, buffer_.size() - from);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannot_write_events(path_);
        if (!std::exchange(is_noted_, true)) note_changed_file(path_);
        from += static_cast<std::size_t>(written);
    }
    buffer_.clear();
    return {};
}

} // namespace everbloom::cli
