#include "key_reader.hpp"

#include "reporting.hpp"

#include <cstring>
#include <limits>
#include <string>

namespace everbloom::capi {
namespace {

// Nothing in memory is larger, and differences of pointers stay in range.
constexpr auto most_bytes = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());

auto refuse(std::string_view name, const std::string& what) {
    return fail(failure_reason::bad_parameter, std::string(name) + ": " + what);
}

/// Reads a value that need not be aligned.
template <class Value>
[[nodiscard]] Value load(const void* from) noexcept {
    Value value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

[[nodiscard]] std::uint64_t magnitude(std::int64_t value) noexcept {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? 0 - bits : bits;
}

/// Do `count` elements of `bytes` bytes each, `stride` bytes apart, fit into memory?
[[nodiscard]] bool fits(std::uint64_t count, std::uint64_t stride, std::uint64_t bytes) noexcept {
    return bytes <= most_bytes && stride <= most_bytes && count <= most_bytes &&
           (stride == 0 || count - 1 <= (most_bytes - bytes) / stride);
}

/// Hash functions are not asked what they do with a null pointer.
[[nodiscard]] std::string_view key_at(const char* data, std::size_t bytes) noexcept {
    return bytes == 0 ? std::string_view("") : std::string_view(data, bytes);
}

[[nodiscard]] std::size_t without_padding(const char* data, std::size_t bytes) noexcept {
    while (bytes > 0 && data[bytes - 1] == '\0') --bytes;
    return bytes;
}

[[nodiscard]] std::uint64_t element_bytes(const eb_keys& keys) noexcept {
    switch (keys.shape) {
    case EB_U64: return sizeof(std::uint64_t);
    case EB_POINTERS: return sizeof(void*);
    case EB_FIXED:
    case EB_FIXED_PADDED: return keys.width;
    case EB_DIGESTS: return sizeof(eb_digest);
    default: return 1;
    }
}

result<void> check_type(const eb_filter& filter, const eb_keys& keys, std::string_view name) {
    if (keys.shape == EB_DIGESTS || (keys.shape == EB_U64) == filter.holds_numbers) return {};
    if (filter.holds_numbers) {
        return refuse(name, "these are bytes, but the keys of this filter are whole numbers (key type u64)");
    }
    return refuse(name, "these are whole numbers, but the keys of this filter are bytes (key type " +
                            std::string(name_of(filter.core.file().keys)) + ")");
}

} // namespace

result<key_reader> key_reader::over(const eb_filter& filter, const eb_keys* keys, std::string_view name) {
    if (keys == nullptr) return null_pointer(name);
    if (keys->shape < EB_U64 || keys->shape > EB_DIGESTS) {
        return refuse(name, "there is no shape with the number " + std::to_string(keys->shape));
    }
    if (keys->reserved != 0) return refuse(name, "`reserved` is not 0");
    if (auto checked = check_type(filter, *keys, name); !checked) return fail(std::move(checked.error()));
    key_reader made(filter.core.hasher(), *keys);
    if (made.keys_.stride == 0) {
        // A width that does not fit is refused below.
        made.keys_.stride = static_cast<std::int64_t>(std::min(element_bytes(*keys), most_bytes));
    }
    if (keys->count == 0) return made;
    result<void> checked;
    switch (keys->shape) {
    case EB_OFFSETS32: checked = made.check_offsets<std::int32_t>(name); break;
    case EB_OFFSETS64: checked = made.check_offsets<std::int64_t>(name); break;
    case EB_POINTERS: checked = made.check_pointers(name); break;
    default: checked = made.check_elements(name); break;
    }
    if (!checked) return fail(std::move(checked.error()));
    return made;
}

result<void> key_reader::check_elements(std::string_view name) const {
    const std::uint64_t bytes = element_bytes(keys_);
    if (!fits(keys_.count, magnitude(keys_.stride), bytes)) {
        return refuse(name, std::to_string(keys_.count) + " keys of that size do not fit into memory");
    }
    if (keys_.data == nullptr && bytes != 0) return refuse(name, "data is NULL");
    return {};
}

result<void> key_reader::check_pointers(std::string_view name) const {
    if (auto checked = check_elements(name); !checked) return checked;
    for (std::uint64_t i = 0; i < count(); ++i) {
        const auto* key = load<const char*>(element(keys_.data, i));
        if (key == nullptr && keys_.extents == nullptr) {
            return refuse(name, "the pointer to key " + std::to_string(i) + " is NULL");
        }
        if (keys_.extents == nullptr) continue;
        const auto bytes = load<std::size_t>(element(keys_.extents, i));
        if (key == nullptr && bytes != 0) {
            return refuse(name, "the pointer to key " + std::to_string(i) + " is NULL, but its length is not 0");
        }
        if (bytes > most_bytes) return refuse(name, "the length of key " + std::to_string(i) + " is out of range");
    }
    return {};
}

template <class Offset>
result<void> key_reader::check_offsets(std::string_view name) const {
    if (!fits(keys_.count, sizeof(Offset), 2 * sizeof(Offset))) {
        return refuse(name, std::to_string(keys_.count) + " offsets do not fit into memory");
    }
    if (keys_.extents == nullptr) return refuse(name, "extents is NULL");
    const auto* offsets = static_cast<const char*>(keys_.extents);
    const auto first = load<Offset>(offsets);
    Offset before = first;
    if (before < 0) return refuse(name, "the first offset is negative");
    for (std::uint64_t i = 1; i <= count(); ++i) {
        const auto after = load<Offset>(offsets + i * sizeof(Offset));
        if (after < before) {
            return refuse(name, "the offsets must not fall, but those of key " + std::to_string(i - 1) + " are " +
                                    std::to_string(before) + " and " + std::to_string(after));
        }
        before = after;
    }
    const auto end = static_cast<std::uint64_t>(before);
    if (end > most_bytes || (keys_.width != 0 && end > keys_.width)) {
        return refuse(name, "the last offset is " + std::to_string(end) + ", but there are only " +
                                std::to_string(keys_.width) + " bytes");
    }
    if (keys_.data == nullptr && before != first) return refuse(name, "data is NULL");
    return {};
}

std::span<const std::uint64_t> key_reader::numbers_at(std::uint64_t first,
                                                      std::span<std::uint64_t> room) const noexcept {
    const char* const at = element(keys_.data, first);
    const bool aligned = reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint64_t) == 0;
    if (keys_.stride == sizeof(std::uint64_t) && aligned) {
        return {reinterpret_cast<const std::uint64_t*>(at), room.size()};
    }
    for (std::size_t i = 0; i < room.size(); ++i) {
        room[i] = load<std::uint64_t>(element(keys_.data, first + i));
    }
    return room;
}

template <class Offset>
void key_reader::view_offsets(std::uint64_t first, std::span<std::string_view> into) const noexcept {
    const auto* offsets = static_cast<const char*>(keys_.extents) + first * sizeof(Offset);
    const auto* data = static_cast<const char*>(keys_.data);
    auto begin = load<Offset>(offsets);
    for (std::size_t i = 0; i < into.size(); ++i) {
        const auto end = load<Offset>(offsets + (i + 1) * sizeof(Offset));
        into[i] = begin == end ? key_at(nullptr, 0) : key_at(data + begin, static_cast<std::size_t>(end - begin));
        begin = end;
    }
}

void key_reader::view(std::uint64_t first, std::span<std::string_view> into) const noexcept {
    if (keys_.shape == EB_OFFSETS32) return view_offsets<std::int32_t>(first, into);
    if (keys_.shape == EB_OFFSETS64) return view_offsets<std::int64_t>(first, into);
    for (std::size_t i = 0; i < into.size(); ++i) {
        if (keys_.shape == EB_POINTERS) {
            const auto* key = load<const char*>(element(keys_.data, first + i));
            into[i] = keys_.extents == nullptr ? std::string_view(key)
                                               : key_at(key, load<std::size_t>(element(keys_.extents, first + i)));
            continue;
        }
        const char* const key = element(keys_.data, first + i);
        const auto width = static_cast<std::size_t>(keys_.width);
        into[i] = key_at(key, keys_.shape == EB_FIXED ? width : without_padding(key, width));
    }
}

void key_reader::hash(std::uint64_t first, std::span<digest> into) const noexcept {
    if (keys_.shape == EB_DIGESTS) {
        for (std::size_t i = 0; i < into.size(); ++i) {
            const auto given = load<eb_digest>(element(keys_.data, first + i));
            into[i] = {given.low, given.high};
        }
        return;
    }
    if (keys_.shape == EB_U64) {
        std::array<std::uint64_t, batch_items> room;
        return (*hasher_)(numbers_at(first, std::span(room).first(into.size())), into);
    }
    std::array<std::string_view, batch_items> views;
    const auto some = std::span(views).first(into.size());
    view(first, some);
    (*hasher_)(some, into);
}

std::vector<digest> key_reader::digests() const {
    std::vector<digest> made(static_cast<std::size_t>(count()));
    for (std::uint64_t first = 0; first < count(); first += batch_items) {
        hash(first, std::span(made).subspan(static_cast<std::size_t>(first), batch_at(first)));
    }
    return made;
}

} // namespace everbloom::capi
