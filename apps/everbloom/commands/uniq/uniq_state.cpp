#include "commands/uniq/uniq_state.hpp"

#include <cstring>

namespace everbloom::cli {
namespace {

constexpr std::string_view state_magic = "EBUNIQ1\n";
constexpr std::size_t header_bytes = 24;
constexpr std::size_t entry_bytes = 24;

void append(std::vector<std::byte>& into, const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    into.insert(into.end(), from, from + bytes);
}

void append(std::vector<std::byte>& into, std::uint64_t number) { append(into, &number, sizeof number); }

std::uint64_t number_at(const std::vector<std::byte>& from, std::size_t at) {
    std::uint64_t number = 0;
    std::memcpy(&number, from.data() + at, sizeof number);
    return number;
}

auto no_state(const std::string& path) {
    return fail(failure_reason::mismatch,
                path + ": is a filter, but not a state of 'everbloom uniq'; name another file with --state");
}

} // namespace

result<void> restore(const std::string& path, filter_file& file, seen_keys& seen, key_window& window) {
    const auto& attached = file.attached;
    if (attached.size() < header_bytes || std::memcmp(attached.data(), state_magic.data(), state_magic.size()) != 0) {
        return no_state(path);
    }
    const std::uint64_t entries = number_at(attached, 8);
    const std::uint64_t hashes = number_at(attached, 16);
    const std::uint64_t left = attached.size() - header_bytes;
    if (entries > left / entry_bytes || hashes > left / short_hash::bytes ||
        left != entries * entry_bytes + hashes * short_hash::bytes || !file.filter().can(capability::confirm) ||
        !file.filter().can(capability::erase)) {
        return no_state(path);
    }
    const bool is_exact = hashes != 0;
    if (is_exact != (seen.how() == seen_keys::precision::exact) &&
        (is_exact || entries != 0 || file.filter().measure().items > 0.5)) {
        return fail(failure_reason::mismatch, path + (is_exact ? ": was written with --exact-hash; use that flag again"
                                                               : ": was written without --exact-hash; leave it out"));
    }
    std::size_t at = header_bytes;
    for (std::uint64_t i = 0; i < entries; ++i, at += entry_bytes) {
        window.add(number_at(attached, at), {number_at(attached, at + 8), number_at(attached, at + 16)});
    }
    for (std::uint64_t i = 0; i < hashes; ++i, at += short_hash::bytes) {
        short_hash one{digest{}};
        std::memcpy(one.value.data(), attached.data() + at, short_hash::bytes);
        seen.exact().insert(one);
    }
    if (!is_exact) seen.filter() = first_occurrences(std::move(file.filter()), 0);
    return {};
}

filter_file state_of(seen_keys&& seen, const key_window& window, const any_hasher& hasher, key_type type) {
    filter_file made;
    std::vector<std::byte> note;
    append(note, state_magic.data(), state_magic.size());
    append(note, window.entries().size());
    append(note, seen.exact().size());
    for (const key_window::entry& one : window.entries()) {
        append(note, one.time);
        append(note, one.key.low);
        append(note, one.key.high);
    }
    for (const short_hash& one : seen.exact()) append(note, one.value.data(), short_hash::bytes);
    made.handle = keyed(std::move(seen.filter()).take_filter(), hasher);
    made.keys = type;
    made.attached = std::move(note);
    return made;
}

} // namespace everbloom::cli
