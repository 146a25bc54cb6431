// Keys: how a value of your program becomes the bytes that are hashed. Written down once, and the same in every language and in files:
//
//   text and bytes     std::string, string_view, const char*, span and vector of bytes     the bytes as they are
//   whole numbers      integers of any width, enums, bool      eight bytes, little-endian: int 5 and uint64_t 5 are the same key,
//                                                              and so are -1 and 2^64 - 1
//   several values     pair, tuple, array of keys              each element's bytes after their number (eight bytes,
//                                                              little-endian), so that ("a", "bc") and ("ab", "c") differ
//   plain structs      trivially copyable and without padding  the bytes of the object
//   your own types     key_encoding<T>::encode(value)          those of whatever it returns, which is a key as above
//
// Refused when compiled: floating-point numbers (0.1 + 0.2 is not 0.3, and -0.0 equals 0.0 with other bytes), pointers (their address
// says nothing about what they point to), structs with padding.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/format/key_type.hpp>
#include <everbloom/hash/any_hasher.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace everbloom {

/// Specialise it for your own type:
///
///     template <> struct everbloom::key_encoding<point> {
///         static auto encode(const point& at) { return std::tuple(at.x, at.y); }
///     };
template <class T>
struct key_encoding;

namespace detail {

template <class T>
concept custom_key = requires(const T& key) { key_encoding<T>::encode(key); };

template <class T>
concept byte_like = std::same_as<T, char> || std::same_as<T, unsigned char> || std::same_as<T, signed char> ||
                    std::same_as<T, std::byte> || std::same_as<T, char8_t>;

template <class T>
concept text_key = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;

// Not the concepts of <ranges>, which every user would have to read for these two.
template <class T>
concept any_range = requires(const T& range) {
    *std::begin(range);
    std::end(range);
};

template <class T>
concept bytes_key = !text_key<T> && any_range<T> && requires(const T& bytes) {
    requires byte_like<std::remove_cvref_t<decltype(*std::data(bytes))>>;
    { std::size(bytes) } -> std::convertible_to<std::size_t>;
};

template <class T>
concept number_key = (std::integral<T> || std::is_enum_v<T>)&&sizeof(T) <= sizeof(std::uint64_t);

template <class T>
concept tuple_key = !bytes_key<T> && requires { std::tuple_size<T>::value; };

// Ranges and whatever can be dereferenced only refer to their values.
template <class T>
concept plain_key =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T> &&
    !any_range<T> && !requires(const T& key) { *key; } && !tuple_key<T>;

enum class key_family { custom, text, bytes, number, tuple, plain, none };

template <class T>
consteval key_family family_of() {
    if constexpr (custom_key<T>)
        return key_family::custom;
    else if constexpr (text_key<T>)
        return key_family::text;
    else if constexpr (bytes_key<T>)
        return key_family::bytes;
    else if constexpr (number_key<T>)
        return key_family::number;
    else if constexpr (tuple_key<T>)
        return key_family::tuple;
    else if constexpr (plain_key<T>)
        return key_family::plain;
    else
        return key_family::none;
}

/// Why a type is no key, in one sentence, at compile time; nothing for a key.
template <class T>
consteval void explain_refusal() {
    if constexpr (family_of<T>() == key_family::none) {
        constexpr bool pointer = std::is_pointer_v<T> || std::is_null_pointer_v<T> || std::is_member_pointer_v<T>;
        constexpr bool padded = std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                                !std::has_unique_object_representations_v<T> && !any_range<T>;
        static_assert(
            !std::floating_point<T>,
            "everbloom: a floating-point number is no key, for equal numbers may have different bytes; round it "
            "to a whole number, or specialise everbloom::key_encoding");
        static_assert(!pointer, "everbloom: a pointer is no key, for its address says nothing about what it points to; "
                                "pass the value");
        static_assert(!padded,
                      "everbloom: a struct with padding or floating-point members is no key, for equal values may "
                      "have different bytes; specialise everbloom::key_encoding, for example with a std::tuple of "
                      "its members");
        static_assert(
            std::floating_point<T> || pointer || padded,
            "everbloom: this type is no key; use text, bytes, a whole number, an enum, a pair or tuple of those, "
            "or specialise everbloom::key_encoding");
    }
}

template <class T>
inline constexpr bool is_key = family_of<T>() != key_family::none;

template <class Key, class Given>
consteval bool same_encoding();

template <class Key, class Given, std::size_t... I>
consteval bool same_elements(std::index_sequence<I...>) {
    return (same_encoding<std::remove_cvref_t<std::tuple_element_t<I, Key>>,
                          std::remove_cvref_t<std::tuple_element_t<I, Given>>>() &&
            ...);
}

/// Is a `Given` hashed as the `Key` that equals it? A string_view is, for a string; an int for an enum; not an int for a string.
template <class Key, class Given>
consteval bool same_encoding() {
    constexpr key_family key = family_of<Key>();
    constexpr key_family given = family_of<Given>();
    if constexpr (std::same_as<Key, Given>) {
        return key != key_family::none;
    } else if constexpr (key == key_family::custom || given == key_family::custom) {
        return false;
    } else if constexpr (key == key_family::tuple && given == key_family::tuple) {
        if constexpr (std::tuple_size_v<Key> != std::tuple_size_v<Given>)
            return false;
        else
            return same_elements<Key, Given>(std::make_index_sequence<std::tuple_size_v<Key>>());
    } else {
        constexpr bool bytes = key == key_family::text || key == key_family::bytes;
        constexpr bool given_bytes = given == key_family::text || given == key_family::bytes;
        return (bytes && given_bytes) || (key == key_family::number && given == key_family::number);
    }
}

template <number_key T>
[[nodiscard]] constexpr std::uint64_t number_of(T key) noexcept {
    if constexpr (std::is_enum_v<T>) {
        return number_of(static_cast<std::underlying_type_t<T>>(key));
    } else if constexpr (std::signed_integral<T>) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(key));
    } else {
        return key;
    }
}

template <class T>
    requires(text_key<T> || bytes_key<T>)
[[nodiscard]] constexpr std::string_view view_of(const T& key) noexcept {
    if constexpr (text_key<T>) {
        return key;
    } else {
        return {reinterpret_cast<const char*>(std::data(key)), std::size(key)};
    }
}

/// The bytes of a key that is made of several values. Short ones do not leave the stack.
class key_writer {
public:
    void add(std::string_view bytes) {
        if (long_.empty() && used_ + bytes.size() <= short_.size()) {
            if (!bytes.empty()) std::memcpy(short_.data() + used_, bytes.data(), bytes.size());
            used_ += bytes.size();
            return;
        }
        if (long_.empty()) long_.assign(short_.data(), used_);
        long_.append(bytes);
    }
    [[nodiscard]] std::string_view written() const noexcept {
        return long_.empty() ? std::string_view(short_.data(), used_) : std::string_view(long_);
    }

private:
    std::array<char, 256> short_; // not zeroed: only what was written is read
    std::size_t used_ = 0;
    std::string long_;
};

template <class T>
void write_key(const T& key, key_writer& into);

template <class T>
void write_element(const T& element, key_writer& into) {
    const auto write = [&](std::string_view bytes) {
        const std::uint64_t count = bytes.size();
        into.add({reinterpret_cast<const char*>(&count), sizeof count});
        into.add(bytes);
    };
    if constexpr (text_key<T> || bytes_key<T>) {
        write(view_of(element));
    } else {
        key_writer inner;
        write_key(element, inner);
        write(inner.written());
    }
}

template <class T>
void write_key(const T& key, key_writer& into) {
    constexpr key_family family = family_of<T>();
    if constexpr (family == key_family::custom) {
        const auto& encoded = key_encoding<T>::encode(key);
        write_key(encoded, into);
    } else if constexpr (family == key_family::text || family == key_family::bytes) {
        into.add(view_of(key));
    } else if constexpr (family == key_family::number) {
        const std::uint64_t number = number_of(key);
        into.add({reinterpret_cast<const char*>(&number), sizeof number});
    } else if constexpr (family == key_family::tuple) {
        std::apply([&](const auto&... elements) { (write_element(elements, into), ...); }, key);
    } else if constexpr (family == key_family::plain) {
        into.add({reinterpret_cast<const char*>(&key), sizeof key});
    } else {
        explain_refusal<T>();
    }
}

} // namespace detail

/// A type that can be a key.
template <class T>
concept Key = detail::is_key<T>;

/// The bytes of a key, as every language and every file has them.
template <class T>
[[nodiscard]] std::string key_bytes_of(const T& key) {
    detail::key_writer writer;
    detail::write_key(key, writer);
    return std::string(writer.written());
}

/// The digest of a key: what filters work with.
template <class T>
[[nodiscard]] digest digest_of(const any_hasher& hash, const T& key) {
    constexpr detail::key_family family = detail::family_of<T>();
    if constexpr (family == detail::key_family::custom) {
        const auto& encoded = key_encoding<T>::encode(key);
        return digest_of(hash, encoded);
    } else if constexpr (family == detail::key_family::number) {
        return hash(detail::number_of(key));
    } else if constexpr (family == detail::key_family::text || family == detail::key_family::bytes) {
        return hash(key_bytes(detail::view_of(key)));
    } else {
        detail::key_writer writer;
        detail::write_key(key, writer);
        return hash(key_bytes(writer.written()));
    }
}

/// How the command line reads and prints such keys, and what files say about them: text, numbers, or bytes as hexadecimal digits.
template <class T>
[[nodiscard]] consteval key_type key_type_of() {
    constexpr detail::key_family family = detail::family_of<T>();
    if constexpr (family == detail::key_family::custom) {
        return key_type_of<std::remove_cvref_t<decltype(key_encoding<T>::encode(std::declval<const T&>()))>>();
    } else {
        if (family == detail::key_family::text) return key_type::text;
        return family == detail::key_family::number ? key_type::u64 : key_type::hex;
    }
}

} // namespace everbloom
