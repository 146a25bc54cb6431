#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/file_update.hpp>

#include <fcntl.h>
#include <libgen.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace everbloom {
namespace {

failure system_failure(const std::string& path, const std::string& deed) {
    return {failure_reason::input_output, path + ": cannot " + deed + ": " + std::strerror(errno)};
}

/// The file behind any symbolic links. A file that does not exist yet lies in a directory that does.
result<std::string> resolve(const std::string& path) {
    const auto real = [](const std::string& existing) {
        const std::unique_ptr<char, decltype(&std::free)> found(::realpath(existing.c_str(), nullptr), &std::free);
        return found ? std::string(found.get()) : std::string();
    };
    if (path.empty()) return fail(failure_reason::bad_parameter, "the file name is empty");
    if (std::string found = real(path); !found.empty()) return found;
    struct stat link {};
    if (errno != ENOENT || ::lstat(path.c_str(), &link) == 0) return fail(system_failure(path, "follow it"));
    std::string for_directory = path;
    std::string for_name = path;
    const std::string directory = real(::dirname(for_directory.data()));
    if (directory.empty()) return fail(system_failure(path, "find its directory"));
    return (directory == "/" ? "" : directory) + "/" + ::basename(for_name.data());
}

result<void> refuse_what_is_no_file(const std::string& target) {
    struct stat found {};
    if (::stat(target.c_str(), &found) != 0) return {}; // not there yet
    if (S_ISDIR(found.st_mode))
        return fail(failure_reason::input_output, target + ": is a directory; name a file in it");
    if (!S_ISREG(found.st_mode)) {
        return fail(failure_reason::input_output, target + ": is not a regular file; a filter cannot be saved there");
    }
    return {};
}

bool same_file(int descriptor, const std::string& path) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/// A regular file with one name: not a link by which what we write would end up in somebody else's file.
bool is_plain(int descriptor) {
    struct stat found {};
    return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 1;
}

result<void> write_all(int descriptor, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail(system_failure(path, "write it"));
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

/// A rename is on the disk only when its directory is.
result<void> sync_directory_of(const std::string& target) {
    std::string copy = target;
    const int directory = ::open(::dirname(copy.data()), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return fail(system_failure(target, "open its directory"));
    const int synced = ::fsync(directory);
    const int reason = errno;
    ::close(directory);
    // Some file systems cannot sync a directory and say so with EINVAL; there the rename is all there is.
    if (synced != 0 && reason != EINVAL) {
        errno = reason;
        return fail(system_failure(target, "make the new name of it durable"));
    }
    return {};
}

} // namespace

file_update::file_update(std::string target, std::string temporary, int descriptor) noexcept
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

file_update::file_update(file_update&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

file_update::~file_update() {
    if (descriptor_ < 0) return;
    if (same_file(descriptor_, temporary_)) ::unlink(temporary_.c_str()); // while the lock is held: nobody else's file
    ::close(descriptor_);
}

result<file_update> file_update::begin(const std::string& path) {
    return or_out_of_memory([&]() -> result<file_update> {
        auto target = resolve(path);
        if (!target) return fail(std::move(target.error()));
        if (auto usable = refuse_what_is_no_file(*target); !usable) return fail(std::move(usable.error()));
        const std::size_t slash = target->rfind('/');
        std::string temporary = target->substr(0, slash + 1) + "." + target->substr(slash + 1) + ".eb-new";
        // Made before the lock is taken, so that nothing can go wrong between having the lock and being responsible for it.
        file_update made(std::move(*target), std::move(temporary), -1);
        // Between our open and our lock another writer may have renamed the file away: then the lock is worth nothing, try again.
        for (int attempt = 0; attempt < 100; ++attempt) {
            const int descriptor = ::open(made.temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
            if (descriptor < 0) return fail(system_failure(path, "write beside it"));
            if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
                const int reason = errno;
                ::close(descriptor);
                if (reason == EWOULDBLOCK) break;
                errno = reason;
                return fail(system_failure(path, "lock it"));
            }
            if (!same_file(descriptor, made.temporary_)) {
                ::close(descriptor);
                continue;
            }
            if (!is_plain(descriptor)) {
                ::close(descriptor);
                return fail(failure_reason::input_output,
                            made.temporary_ + ": is in the way and was not left by a writer; remove it");
            }
            made.descriptor_ = descriptor;
            return made;
        }
        return fail(failure_reason::busy,
                    path + ": is busy, another program is writing it; try again when that is done");
    });
}

result<void> file_update::commit(std::span<const std::span<const std::byte>> pieces) {
    return or_out_of_memory([&]() -> result<void> {
        if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
            return fail(system_failure(target_, "write it"));
        }
        // The hash key is in the file: for its owner only, unless the owner has decided otherwise for the file that was there.
        struct stat old {};
        const mode_t mode = ::stat(target_.c_str(), &old) == 0 ? old.st_mode & 07777 : 0600;
        if (::fchmod(descriptor_, mode) != 0) return fail(system_failure(target_, "set its permissions"));
        for (const auto& piece : pieces) {
            if (auto written = write_all(descriptor_, piece, target_); !written) return written;
        }
        if (::fsync(descriptor_) != 0) return fail(system_failure(target_, "make it durable"));
        // Somebody who tidied up may have deleted our file, and the next writer have made his own under the same name.
        if (!same_file(descriptor_, temporary_)) {
            return fail(failure_reason::input_output,
                        temporary_ + ": was taken away while it was written; nothing has changed, try again");
        }
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
            return fail(system_failure(target_, "put the new file in its place"));
        }
        ::close(std::exchange(descriptor_, -1));
        return sync_directory_of(target_);
    });
}

} // namespace everbloom
