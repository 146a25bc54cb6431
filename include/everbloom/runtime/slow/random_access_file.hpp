// random_access_file: what a slow filter asks of the place where it keeps its stored hashes: read, write, make durable.
//
// Behind it is a file on disk (open_slow_file), or whatever a program or a test puts in its place. Failures are values; after one of
// `write` the bytes in question may be old, new or a mixture, as after a power cut.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace everbloom {

class random_access_file {
public:
    random_access_file() = default;
    random_access_file(const random_access_file&) = delete;
    random_access_file& operator=(const random_access_file&) = delete;
    virtual ~random_access_file() = default;

    [[nodiscard]] virtual result<std::uint64_t> bytes() = 0;
    /// Reads from `offset` on; the number of bytes is smaller than asked for at the end of the file only.
    [[nodiscard]] virtual result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) = 0;
    [[nodiscard]] virtual result<void> write(std::uint64_t offset, std::span<const std::byte> from) = 0;
    /// When this returns without a failure, everything written before survives a power cut.
    [[nodiscard]] virtual result<void> sync() = 0;
    [[nodiscard]] virtual result<void> shorten(std::uint64_t bytes) = 0;
    /// These bytes are not needed: they may have any value afterwards, and take no space on the disk where the system can do that.
    virtual void discard(std::uint64_t offset, std::uint64_t bytes) noexcept = 0;
    /// A failure if others no longer find this file under its name: it was deleted or replaced.
    [[nodiscard]] virtual result<void> check_name() = 0;
};

enum class slow_access {
    write, // alone: a second writer is refused with `busy`
    read,  // beside a writer, if there is one
};

/// An existing file.
[[nodiscard]] result<std::unique_ptr<random_access_file>> open_slow_file(const std::string& path, slow_access how);

/// A new file beside `path`, which gets its name when it is complete. Without `publish` it disappears.
class new_slow_file {
public:
    [[nodiscard]] static result<new_slow_file> begin(const std::string& path);
    new_slow_file(new_slow_file&& other) noexcept;
    new_slow_file& operator=(new_slow_file&&) = delete;
    ~new_slow_file();

    /// The file, once.
    [[nodiscard]] std::unique_ptr<random_access_file> take_file() noexcept;

    enum class existing { keep, replace };
    /// Gives it its name, durably. `keep`: fails if a file of that name exists.
    [[nodiscard]] result<void> publish(existing what);

private:
    class disk_name;
    explicit new_slow_file(std::shared_ptr<disk_name> name) noexcept;

    std::shared_ptr<disk_name> name_; // shared with the file, which asks for its name as long as it is open
    std::unique_ptr<random_access_file> file_;
};

} // namespace everbloom
