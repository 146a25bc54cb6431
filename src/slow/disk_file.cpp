// The slow part in a file on disk: pread, pwrite, fdatasync, and a flock against a second writer.
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/slow/random_access_file.hpp>

#include <fcntl.h>
#include <libgen.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace everbloom {
namespace {

failure disk_failure(const std::string& action) {
    const int reason = errno;
    std::string sentence = "cannot " + action + ": " + std::strerror(reason);
    if (reason == ENOSPC || reason == EDQUOT) sentence += "; free some space, then repeat the operation";
    return {failure_reason::input_output, std::move(sentence)};
}

/// The contents on the disk, and so much of the rest that they can be read again.
int sync_data(int descriptor) {
#if defined(F_FULLFSYNC) // macOS: fsync reaches the cache of the disk only; some file systems know nothing better
    if (::fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    return ::fsync(descriptor);
#elif defined(_POSIX_SYNCHRONIZED_IO) && _POSIX_SYNCHRONIZED_IO > 0 && !defined(EVERBLOOM_PORTABLE)
    return ::fdatasync(descriptor);
#else
    return ::fsync(descriptor);
#endif
}

template <class Call>
auto repeat_if_interrupted(Call call) {
    auto done = call();
    while (done < 0 && errno == EINTR) done = call();
    return done;
}

std::string directory_of(std::string path) { return ::dirname(path.data()); }

} // namespace

/// Under which name others find the file: the temporary one, then the final one.
class new_slow_file::disk_name {
public:
    std::string target;
    std::string now;
    bool is_published = false;

    ~disk_name() {
        if (!is_published) ::unlink(now.c_str());
    }
};

namespace {

class disk_file final : public random_access_file {
public:
    disk_file(int descriptor, std::shared_ptr<const std::string> path) noexcept
        : descriptor_(descriptor), path_(std::move(path)) {}
    ~disk_file() override { ::close(descriptor_); }

    [[nodiscard]] result<std::uint64_t> bytes() override {
        struct stat found {};
        if (::fstat(descriptor_, &found) != 0) return fail(disk_failure("look at it"));
        return static_cast<std::uint64_t>(found.st_size);
    }
    [[nodiscard]] result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
        std::size_t done = 0;
        while (done < into.size()) {
            const ssize_t got = repeat_if_interrupted([&] {
                return ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
            });
            if (got < 0) return fail(disk_failure("read it"));
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
    [[nodiscard]] result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        std::size_t done = 0;
        while (done < from.size()) {
            const ssize_t put = repeat_if_interrupted([&] {
                return ::pwrite(descriptor_, from.data() + done, from.size() - done, static_cast<off_t>(offset + done));
            });
            if (put < 0) return fail(disk_failure("write it"));
            if (put == 0) {
                errno = ENOSPC;
                return fail(disk_failure("write it"));
            }
            done += static_cast<std::size_t>(put);
        }
        return {};
    }
    [[nodiscard]] result<void> sync() override {
        if (repeat_if_interrupted([&] { return sync_data(descriptor_); }) != 0) {
            return fail(disk_failure("make it durable"));
        }
        return {};
    }
    [[nodiscard]] result<void> shorten(std::uint64_t bytes) override {
        if (repeat_if_interrupted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); }) != 0) {
            return fail(disk_failure("shorten it"));
        }
        return {};
    }
    void discard(std::uint64_t offset, std::uint64_t bytes) noexcept override {
#if defined(FALLOC_FL_PUNCH_HOLE) &&                                                                                   \
    !defined(EVERBLOOM_PORTABLE) // not every file system can do it, and nothing depends on it
        (void)repeat_if_interrupted([&] {
            return ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                               static_cast<off_t>(bytes));
        });
#else
        (void)offset;
        (void)bytes;
#endif
    }
    [[nodiscard]] result<void> check_name() override {
        struct stat opened {};
        struct stat named {};
        if (::fstat(descriptor_, &opened) == 0 && ::stat(path_->c_str(), &named) == 0 &&
            opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
            return {};
        }
        return fail(failure_reason::input_output,
                    "was deleted or replaced while it was open; what is written now would be lost. Open it again");
    }

private:
    int descriptor_;
    std::shared_ptr<const std::string> path_;
};

} // namespace

result<std::unique_ptr<random_access_file>> open_slow_file(const std::string& path, slow_access how) {
    return or_out_of_memory([&]() -> result<std::unique_ptr<random_access_file>> {
        const bool writes = how == slow_access::write;
        struct stat found {};
        // Before it is opened: opening a pipe would wait for another program.
        if (::stat(path.c_str(), &found) != 0) return fail(disk_failure("open it"));
        if (S_ISDIR(found.st_mode)) return fail(failure_reason::input_output, "is a directory; name a file in it");
        if (!S_ISREG(found.st_mode)) return fail(failure_reason::input_output, "is not a regular file");
        if (writes && (found.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) {
            return fail(failure_reason::input_output, "is read-only (no write permission), so it is not changed");
        }
        const int descriptor = ::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
        if (descriptor < 0) return fail(disk_failure("open it"));
        std::unique_ptr<random_access_file> made =
            std::make_unique<disk_file>(descriptor, std::make_shared<const std::string>(path));
        if (!writes) return made;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return fail(disk_failure("lock it"));
            return fail(failure_reason::busy, "is busy, another program is writing it; try again later");
        }
        return made;
    });
}

new_slow_file::new_slow_file(std::shared_ptr<disk_name> name) noexcept : name_(std::move(name)) {}
new_slow_file::new_slow_file(new_slow_file&& other) noexcept = default;
new_slow_file::~new_slow_file() = default;

result<new_slow_file> new_slow_file::begin(const std::string& path) {
    return or_out_of_memory([&]() -> result<new_slow_file> {
        if (path.empty()) return fail(failure_reason::bad_parameter, "the file name is empty");
        auto name = std::make_shared<disk_name>();
        name->is_published = true; // there is nothing to unlink yet
        name->target = path;
        name->now = path + ".eb-XXXXXX";
        const int descriptor = ::mkostemp(name->now.data(), O_CLOEXEC); // mode 0600: the file holds the secret hash key
        if (descriptor < 0) return fail(disk_failure("create a file beside it"));
        name->is_published = false;
        new_slow_file made(name);
        made.file_ = std::make_unique<disk_file>(descriptor, std::shared_ptr<const std::string>(name, &name->now));
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return fail(disk_failure("lock it"));
        return made;
    });
}

std::unique_ptr<random_access_file> new_slow_file::take_file() noexcept { return std::move(file_); }

result<void> new_slow_file::publish(existing what) {
    return or_out_of_memory([&]() -> result<void> {
        std::string directory = directory_of(name_->target);
        std::string target = name_->target;
        // A link, unlike a rename, does not replace anything.
        const int placed = what == existing::replace ? ::rename(name_->now.c_str(), target.c_str())
                                                     : ::link(name_->now.c_str(), target.c_str());
        if (placed != 0) return fail(disk_failure("give the new file its name"));
        if (what == existing::keep) ::unlink(name_->now.c_str());
        name_->is_published = true;
        name_->now = std::move(target);
        const int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const bool durable = opened >= 0 && (::fsync(opened) == 0 || errno == EINVAL);
        if (opened >= 0) ::close(opened);
        if (!durable) {
            return fail(failure_reason::not_durable, "created, but its directory could not be flushed to the disk: "
                                                     "after a power cut the file may be gone. Check the disk");
        }
        return {};
    });
}

} // namespace everbloom
