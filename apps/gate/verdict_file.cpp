#include "gate/verdict_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace everbloom::cli {
namespace {

constexpr std::size_t verdict_buffer_bytes = 1 << 16;

unexpected<failure> cannot_write_verdicts(const std::string& path) {
    return fail(failure_reason::input_output, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

} // namespace

result<verdict_file> verdict_file::begin(const std::string& path, std::span<const std::string> inputs) {
    if (path == "-") return verdict_file("standard output", std::nullopt, ::dup(STDOUT_FILENO));
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor < 0) return cannot_write_verdicts(path);
        return verdict_file(path, std::nullopt, descriptor);
    }
    auto file = output_file::begin_other(path, inputs, readers::by_umask);
    if (!file) return fail(std::move(file.error()));
    return verdict_file(path, std::move(*file), -1);
}

verdict_file::verdict_file(verdict_file&& other) noexcept
    : path_(std::move(other.path_)), file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

verdict_file::~verdict_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

result<void> verdict_file::write(std::uint64_t index, const packet& one, verdict said, std::optional<verdict> truth) {
    const std::string sender = one.decodable() ? one.sender.text() : "-";
    fmt::format_to(std::back_inserter(buffer_), "{} {} {}", index, sender, word_of(said));
    if (truth) buffer_.append(" ").append(word_of(*truth));
    buffer_ += '\n';
    return buffer_.size() < verdict_buffer_bytes ? result<void>{} : flush();
}

result<void> verdict_file::flush() {
    if (file_) {
        auto written = file_->write(std::as_bytes(std::span(buffer_)));
        buffer_.clear();
        return written;
    }
    for (std::size_t from = 0; from < buffer_.size();) {
        const ssize_t written = ::write(descriptor_, buffer_.data() + from, buffer_.size() - from);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannot_write_verdicts(path_);
        from += static_cast<std::size_t>(written);
    }
    buffer_.clear();
    return {};
}

result<void> verdict_file::finish() {
    if (auto flushed = flush(); !flushed) return flushed;
    if (!file_) return {};
    if (auto prepared = file_->prepare(); !prepared) return prepared;
    return file_->publish();
}

} // namespace everbloom::cli
