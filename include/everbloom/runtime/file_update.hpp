// file_update: changing a file without a moment in which it is half written, and without two writers at once.
//
// The temporary file is also the lock. It has a fixed name beside the target (".name.eb-new"); whoever holds a flock on it is the one
// writer. Commit writes it, syncs it, renames it over the target and syncs the directory. What a crash leaves behind is
// taken over by the next writer; readers never see it.
//
//     begin (lock) -> read the target -> change -> commit (write, fsync, rename, fsync of the directory)
#pragma once

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace everbloom {

class file_update {
public:
    /// Becomes the only writer of `path`, which need not exist. Fails with `busy` if somebody else is.
    [[nodiscard]] static result<file_update> begin(const std::string& path);

    /// Replaces the file by these pieces, one after the other. Whatever happens, the old or the new file is there, whole.
    [[nodiscard]] result<void> commit(std::span<const std::span<const std::byte>> pieces);

    file_update(file_update&& other) noexcept;
    file_update& operator=(file_update&&) = delete;
    file_update(const file_update&) = delete;
    file_update& operator=(const file_update&) = delete;
    /// Without a commit nothing has happened.
    ~file_update();

    /// The file itself, behind any symbolic links.
    [[nodiscard]] const std::string& target() const noexcept { return target_; }

private:
    file_update(std::string target, std::string temporary, int descriptor) noexcept;

    std::string target_;
    std::string temporary_;
    int descriptor_ = -1;
};

} // namespace everbloom
