// file_update: replaces a file atomically, with a lock against concurrent writers.
//
// The temporary file is also the lock. It has a fixed name beside the target (".name.eb-new"); the holder of a flock on it is the only
// writer. What a crash leaves behind is taken over by the next writer; readers never see it.
//
//     begin (lock) -> read the target -> change -> write -> prepare (permissions, fsync) -> publish (rename, fsync of the directory)
//
// Everything that can fail comes before the rename, with one exception: whether the directory reached the disk is known only
// afterwards. That failure has a reason of its own, `not_durable`, and says "changed, but ...". After every other failure the old file is
// as it was.
//
// The new file keeps owner, group, mode bits and access control list (ACL) of the file it replaces. Where the system does not allow the
// owner, the caller becomes the owner; where it does not allow the group or the ACL, the group bits are dropped: a save never widens
// access. Not kept: other extended attributes, set-id bits, and further hard links, which stay with the old contents. A file that is
// not writable for the caller, or has no write bit at all (even for root), is refused.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace everbloom {

/// Permissions of a newly created file.
enum class readers {
    owner_only, // mode 0600: it holds a secret, such as the key of a hash
    by_umask,   // mode 0666 without the bits of the umask, as other programs do
};

class file_update {
public:
    /// Becomes the only writer of `path`, which need not exist. Fails with `busy` if there is another one.
    [[nodiscard]] static result<file_update> begin(const std::string& path, readers of_new_file = readers::owner_only);

    /// Replaces the file by these pieces, one after the other: prepare and publish.
    [[nodiscard]] result<void> commit(std::span<const std::span<const std::byte>> pieces);

    /// Appends to the new contents.
    [[nodiscard]] result<void> write(std::span<const std::byte> bytes);
    /// The new contents are complete: gives them the permissions of the old file and makes them durable beside it. Several files that
    /// belong together are prepared all before the first one is published.
    [[nodiscard]] result<void> prepare();
    /// The same for contents in pieces; forgets what was written before.
    [[nodiscard]] result<void> prepare(std::span<const std::span<const std::byte>> pieces);
    /// Puts the new file in the place of the old one. `not_durable`: done, but a power cut may still bring the old one back.
    [[nodiscard]] result<void> publish();

    file_update(file_update&& other) noexcept;
    file_update& operator=(file_update&&) = delete;
    file_update(const file_update&) = delete;
    file_update& operator=(const file_update&) = delete;
    /// Without a commit the file is unchanged.
    ~file_update();

    /// The file itself, behind any symbolic links.
    [[nodiscard]] const std::string& target() const noexcept { return target_; }
    /// The path of the new contents until they are published, for a final check before.
    [[nodiscard]] const std::string& prepared() const noexcept { return temporary_; }

private:
    file_update(std::string target, std::string temporary, readers of_new_file) noexcept;

    [[nodiscard]] result<void> open_directory();
    [[nodiscard]] result<void> lock(const std::string& path);

    std::string target_;
    std::string temporary_;
    readers of_new_file_;
    int descriptor_ = -1; // of the temporary file, with the lock
    int directory_ = -1;  // negative: it may not be read, and cannot be synced by itself
};

} // namespace everbloom
