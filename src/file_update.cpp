#include "file_access.hpp"

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

constexpr mode_t owner_only_mode = 0600;

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

/// fsync, or syncfs where only the whole file system can be synced; 0 if done.
int sync_patiently(int (*sync)(int), int descriptor) {
    int done = sync(descriptor);
    while (done != 0 && errno == EINTR) done = sync(descriptor);
    return done;
}

} // namespace

file_update::file_update(std::string target, std::string temporary, readers of_new_file) noexcept
    : target_(std::move(target)), temporary_(std::move(temporary)), of_new_file_(of_new_file) {}

file_update::file_update(file_update&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::move(other.temporary_)), of_new_file_(other.of_new_file_),
      descriptor_(std::exchange(other.descriptor_, -1)), directory_(std::exchange(other.directory_, -1)) {}

file_update::~file_update() {
    if (directory_ >= 0) ::close(directory_);
    if (descriptor_ < 0) return;
    if (same_file(descriptor_, temporary_))
        ::unlink(temporary_.c_str()); // while the lock is held, so it is our own file
    ::close(descriptor_);
}

result<file_update> file_update::begin(const std::string& path, readers of_new_file) {
    return or_out_of_memory([&]() -> result<file_update> {
        auto target = resolve(path);
        if (!target) return fail(std::move(target.error()));
        if (auto usable = refuse_what_is_no_file(*target); !usable) return fail(std::move(usable.error()));
        if (auto allowed = refuse_read_only(path); !allowed) return fail(std::move(allowed.error()));
        const std::size_t slash = target->rfind('/');
        std::string temporary = target->substr(0, slash + 1) + "." + target->substr(slash + 1) + ".eb-new";
        // Made before the lock is taken, so that nothing can go wrong between having the lock and being responsible for it.
        file_update made(std::move(*target), std::move(temporary), of_new_file);
        if (auto opened = made.open_directory(); !opened) return fail(std::move(opened.error()));
        if (auto locked = made.lock(path); !locked) return fail(std::move(locked.error()));
        return made;
    });
}

/// A rename is on the disk only when its directory is. Opened now: after the rename it would be too late to fail.
result<void> file_update::open_directory() {
    std::string copy = target_;
    directory_ = ::open(::dirname(copy.data()), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // One that may be written but not read (mode 0300) cannot be opened for that; publish has another way.
    if (directory_ < 0 && errno != EACCES) return fail(system_failure(target_, "open its directory"));
    return {};
}

result<void> file_update::lock(const std::string& path) {
    // Between our open and our lock another writer may have renamed the file away: then the lock is worth nothing, try again.
    for (int attempt = 0; attempt < 100; ++attempt) {
        const mode_t mode = of_new_file_ == readers::owner_only ? owner_only_mode : 0666;
        const int descriptor = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
        if (descriptor < 0) return fail(system_failure(path, "create a temporary file beside it"));
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int reason = errno;
            ::close(descriptor);
            if (reason == EWOULDBLOCK) break;
            errno = reason;
            return fail(system_failure(path, "lock it"));
        }
        if (!same_file(descriptor, temporary_)) {
            ::close(descriptor);
            continue;
        }
        struct stat found {};
        if (::fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink != 1) {
            // Through a link we would overwrite another file.
            ::close(descriptor);
            return fail(failure_reason::input_output,
                        temporary_ + ": has the name of our temporary file, but is not one; remove it");
        }
        if (found.st_uid != ::geteuid()) {
            // Left by another user's writer, which may still have it open and would read the secret key: not reused.
            const int removed = ::unlink(temporary_.c_str());
            const int reason = errno;
            ::close(descriptor);
            if (removed == 0) continue;
            errno = reason;
            return fail(system_failure(temporary_, "remove this temporary file of another user"));
        }
        descriptor_ = descriptor;
        if (::ftruncate(descriptor_, 0) != 0) return fail(system_failure(path, "write a temporary file beside it"));
        return {};
    }
    return fail(failure_reason::busy, path + ": is busy, another program is writing it; try again later");
}

result<void> file_update::commit(std::span<const std::span<const std::byte>> pieces) {
    if (auto prepared = prepare(pieces); !prepared) return prepared;
    return publish();
}

result<void> file_update::prepare(std::span<const std::span<const std::byte>> pieces) {
    // What an earlier attempt has written does not count.
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
        return or_out_of_memory([&]() -> result<void> { return fail(system_failure(target_, "write it")); });
    }
    for (const auto& piece : pieces) {
        if (auto written = write(piece); !written) return written;
    }
    return prepare();
}

result<void> file_update::write(std::span<const std::byte> bytes) {
    return or_out_of_memory([&]() -> result<void> {
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return fail(system_failure(target_, "write it"));
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
        return {};
    });
}

result<void> file_update::prepare() {
    return or_out_of_memory([&]() -> result<void> {
        const auto kept = copy_access(target_, descriptor_);
        if (!kept) return fail(kept.error());
        // A leftover that was taken over may have another mode than the one it would have been made with.
        if (!*kept && of_new_file_ == readers::owner_only && ::fchmod(descriptor_, owner_only_mode) != 0) {
            return fail(system_failure(target_, "set its permissions"));
        }
        if (sync_patiently(&::fsync, descriptor_) != 0) return fail(system_failure(target_, "make it durable"));
        return {};
    });
}

result<void> file_update::publish() {
    return or_out_of_memory([&]() -> result<void> {
        // Our file may have been deleted meanwhile, and another writer may have created its own under the same name.
        if (!same_file(descriptor_, temporary_)) {
            return fail(failure_reason::input_output,
                        temporary_ + ": this temporary file was deleted or replaced while it was written; the target "
                                     "is unchanged, try again");
        }
        // Made while nothing has happened yet: a failure for lack of memory must not come after the rename.
        failure not_durable{failure_reason::not_durable,
                            target_ +
                                ": changed, but its directory could not be flushed to the disk: after a power cut "
                                "the old file may be back. Do not repeat the change; check the disk"};
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
            return fail(system_failure(target_, "put the new file in its place"));
        }
        // Some file systems cannot sync a directory and say so with EINVAL; there the rename is all there is.
        const bool durable = directory_ >= 0 ? sync_patiently(&::fsync, directory_) == 0 || errno == EINVAL
                                             : sync_patiently(&::syncfs, descriptor_) == 0;
        ::close(std::exchange(descriptor_, -1));
        if (directory_ >= 0) ::close(std::exchange(directory_, -1));
        if (!durable) return fail(std::move(not_durable));
        return {};
    });
}

} // namespace everbloom
