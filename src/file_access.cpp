#include "file_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#if defined(__linux__) && !defined(EVERBLOOM_PORTABLE)
#define EVERBLOOM_HAVE_POSIX_ACL
#include <sys/xattr.h>
#elif defined(__APPLE__)
#include <sys/acl.h>
#endif

namespace everbloom {
namespace {

constexpr mode_t access_bits = S_IRWXU | S_IRWXG | S_IRWXO;

#if defined(EVERBLOOM_HAVE_POSIX_ACL)

constexpr const char* acl_name = "system.posix_acl_access";

/// Is there no such attribute, or no such thing on this file system?
bool means_no_acl(int reason) { return reason == ENODATA || reason == ENOTSUP; }

/// The access control list of the old file for the new one; or none, if the old one has none: a new file may have inherited one from its
/// directory, and mode bits mean something else beside it. False: it could not be kept.
bool copy_acl(const std::string& old, int descriptor) {
    std::vector<char> list;
    for (;;) {
        const ssize_t needed = ::getxattr(old.c_str(), acl_name, nullptr, 0);
        if (needed <= 0) {
            if (needed < 0 && !means_no_acl(errno)) return false;
            return ::fremovexattr(descriptor, acl_name) == 0 || means_no_acl(errno);
        }
        list.resize(static_cast<std::size_t>(needed));
        const ssize_t got = ::getxattr(old.c_str(), acl_name, list.data(), list.size());
        if (got < 0 && errno == ERANGE) continue; // it has grown meanwhile
        return got > 0 && ::fsetxattr(descriptor, acl_name, list.data(), static_cast<std::size_t>(got), 0) == 0;
    }
}

#elif defined(__APPLE__)

bool copy_acl(const std::string& old, int descriptor) {
    const acl_t list = ::acl_get_file(old.c_str(), ACL_TYPE_EXTENDED);
    if (list == nullptr) return errno == ENOENT || errno == ENOTSUP; // it has none
    const bool kept = ::acl_set_fd(descriptor, list) == 0;
    ::acl_free(list);
    return kept;
}

#else

/// No access control lists are known here: mode bits are all there is.
bool copy_acl(const std::string&, int) { return true; }

#endif

/// Owner and group, or at least the group. False: the group is another one.
bool copy_owner(const struct stat& old, int descriptor) {
    struct stat mine {};
    if (::fstat(descriptor, &mine) == 0 && mine.st_uid == old.st_uid && mine.st_gid == old.st_gid) return true;
    if (::fchown(descriptor, old.st_uid, old.st_gid) == 0) return true;
    return mine.st_gid == old.st_gid || ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
}

} // namespace

result<void> refuse_read_only(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {}; // not there yet
    const bool allowed = ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
    const int reason = errno;
    constexpr mode_t write_bits = S_IWUSR | S_IWGRP | S_IWOTH;
    if (allowed && (found.st_mode & write_bits) != 0) return {};
    if (allowed || (reason == EACCES && found.st_uid == ::geteuid())) {
        return fail(failure_reason::input_output, path + ": is read-only; 'chmod u+w " + path + "' allows changes");
    }
    return fail(failure_reason::input_output, path + ": is not writable: " + std::strerror(reason));
}

result<bool> copy_access(const std::string& old, int descriptor) {
    struct stat found {};
    if (::stat(old.c_str(), &found) != 0) return false;
    // Owner first: the rights of the old group must not reach the members of another one for a moment.
    const bool group_kept = copy_owner(found, descriptor);
    const bool acl_kept = copy_acl(old, descriptor);
    const mode_t kept = found.st_mode & access_bits;
    // Beside an access control list the group bits are its mask: without them its entries give nothing.
    const mode_t mode = group_kept && acl_kept ? kept : kept & ~static_cast<mode_t>(S_IRWXG);
    if (::fchmod(descriptor, mode) != 0) {
        return fail(failure_reason::input_output, old + ": cannot set its permissions: " + std::strerror(errno));
    }
    return true;
}

} // namespace everbloom
