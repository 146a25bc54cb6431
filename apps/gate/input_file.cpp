#include "gate/input_file.hpp"

#include "keys/key_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace everbloom::cli {

result<input_file> input_file::open(const std::string& name, const reading_rules& rules, const cancellation& cancel) {
    auto stream = open_bytes(name, rules, cancel);
    if (!stream) return fail(std::move(stream.error()));
    struct stat found {};
    const bool is_there = (name == "-" ? ::fstat(STDIN_FILENO, &found) : ::stat(name.c_str(), &found)) == 0;
    const bool is_on_disk = is_there && S_ISREG(found.st_mode);
    return input_file(display_name(name), std::move(*stream),
                      is_on_disk ? static_cast<std::uint64_t>(found.st_size) : 0, cancel);
}

result<std::string_view> input_file::beginning() {
    constexpr std::size_t enough = 8;
    std::array<char, 4096> some;
    while (looked_at_.size() < enough) {
        const auto got = stream_->read(some);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        looked_at_.append(some.data(), *got);
    }
    return looked_at_;
}

result<std::size_t> input_file::read(std::span<char> into) {
    if (looked_at_.empty()) return stream_->read(into);
    const std::size_t count = std::min(into.size(), looked_at_.size());
    std::copy_n(looked_at_.begin(), count, into.begin());
    looked_at_.erase(0, count);
    return count;
}

} // namespace everbloom::cli
