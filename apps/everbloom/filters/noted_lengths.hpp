// noted_lengths: keeps the note about the lengths of networks in a filter of key type cidr up to date while a command changes the filter.
#pragma once

#include "keys/hash_keys.hpp"

#include <everbloom/jobs/prefix_lengths.hpp>

namespace everbloom::cli {

class noted_lengths {
public:
    /// For a new filter.
    noted_lengths() = default;
    /// For one that exists: made before the first change.
    explicit noted_lengths(const filter_file& before) {
        if (before.keys == key_type::cidr) lengths_ = lengths_in(before);
    }

    /// Keys that are added.
    void take(key_type type, const hashed_keys& keys) {
        if (type != key_type::cidr) return;
        for (const std::string_view text : keys.texts) add(text);
    }
    void add(std::string_view text) {
        if (const auto one = parse_network(text)) lengths_.add(*one);
    }
    void add(const filter_file& other) {
        if (other.keys == key_type::cidr) lengths_.add(lengths_in(other));
    }

    [[nodiscard]] const prefix_lengths& lengths() const noexcept { return lengths_; }

    /// After the last change, before the filter is saved.
    void attach_to(filter_file& file) const { note_lengths(file, lengths_); }
    /// The attachment of this filter, with the note.
    [[nodiscard]] std::vector<std::byte> note_for(const filter_file& file) const { return length_note(file, lengths_); }

private:
    prefix_lengths lengths_;
};

} // namespace everbloom::cli
