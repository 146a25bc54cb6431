// mapped_words: words that live in a scratch file, for the part of a structure that should not cost memory.
//
// The file has no name once it is open: it vanishes with the object, also after a crash. It is not a filter file; a filter
// file is written by save and is never changed in place, because its checksums would lie meanwhile.
#pragma once

#include <everbloom/bits/file_mapping.hpp>
#include <everbloom/bits/word_store.hpp>
#include <everbloom/core/checked.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace everbloom {

class mapped_words {
public:
    mapped_words() noexcept = default;

    /// Zeroed words for so many lines in an unnamed file in `directory`.
    [[nodiscard]] static result<mapped_words> make(const std::string& directory, std::uint64_t lines) {
        const auto bytes = checked_multiply(lines, line_bytes);
        if (!bytes || *bytes > max_structure_bits / 8) {
            return fail(failure_reason::out_of_memory,
                        "a scratch file of " + std::to_string(lines) + " lines is too large");
        }
        std::string name = directory + "/.everbloom-scratch-XXXXXX";
        const int descriptor = mkstemp(name.data());
        if (descriptor < 0) {
            return fail(failure_reason::input_output,
                        directory + ": cannot make a scratch file: " + std::strerror(errno));
        }
        unlink(name.c_str());
        // posix_fallocate, not ftruncate: a full disk must be a failure here, not a SIGBUS at the first write.
        const int refused = *bytes == 0 ? 0 : posix_fallocate(descriptor, 0, static_cast<off_t>(*bytes));
        if (refused != 0) {
            close(descriptor);
            return fail(failure_reason::input_output, directory + ": no room for a scratch file of " +
                                                          std::to_string(*bytes) + " bytes: " + std::strerror(refused));
        }
        auto mapping = file_mapping::map(descriptor, *bytes, mapping_access::read_write);
        close(descriptor);
        if (!mapping) return fail(std::move(mapping.error()));
        mapped_words made;
        made.mapping_ = std::move(*mapping);
        return made;
    }

    mapped_words(mapped_words&&) noexcept = default;
    mapped_words& operator=(mapped_words&&) noexcept = default;
    mapped_words(const mapped_words&) = delete;
    mapped_words& operator=(const mapped_words&) = delete;
    ~mapped_words() = default;

    [[nodiscard]] std::uint64_t* data() noexcept { return static_cast<std::uint64_t*>(mapping_.address()); }
    [[nodiscard]] const std::uint64_t* data() const noexcept {
        return static_cast<const std::uint64_t*>(mapping_.address());
    }
    [[nodiscard]] std::uint64_t words() const noexcept { return mapping_.bytes() / sizeof(std::uint64_t); }

private:
    file_mapping mapping_;
};

static_assert(WritableWordStore<mapped_words>);

} // namespace everbloom
