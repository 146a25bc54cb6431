// hasher_flags: --hash and --seed.
#pragma once

#include "frame/command_flags.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/hash/any_hasher.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

class hasher_flags {
public:
    hasher_flags();
    hasher_flags(const hasher_flags&) = delete; // the flags of the command point into it
    hasher_flags& operator=(const hasher_flags&) = delete;

    void declare(command_flags& command);
    /// For a filter that exists: its hash function is the default.
    void declare_change(command_flags& command);
    /// With a key derived from the seed, or a random one.
    [[nodiscard]] result<any_hasher> make() const;
    /// Do the flags ask for anything but the default?
    [[nodiscard]] bool is_given() const;
    /// Does --hash ask for a hash function other than the default, or after declare_change for any?
    [[nodiscard]] bool names_hash() const;
    /// Is the hash of an existing filter compatible with the flags? Not if they ask for another algorithm or another seed.
    [[nodiscard]] bool accepts(const any_hasher& there) const;

private:
    std::string hash_;
    bool keeps_by_default_ = false;
    std::optional<std::string> seed_;
};

} // namespace everbloom::cli
