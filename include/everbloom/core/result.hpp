// result<T>: a T, or the failure that says why there is none.
//
// Used like std::expected (C++23), which it can become once every compiler we support has it: `if (!made) return made.error()`,
// `*made`, `made->member`, `value_or`, `and_then`, `transform`, `or_else`, `transform_error`. Asking a failure for its value with `*` is
// a mistake of the caller; `value()` throws what is in error.hpp.
#pragma once

#include <everbloom/core/failure.hpp>

#include <cassert>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace everbloom {

/// What a function returns instead of a value: `return unexpected(why);`
template <class E>
class unexpected {
public:
    template <class Given = E>
        requires(!std::same_as<std::remove_cvref_t<Given>, unexpected> && std::constructible_from<E, Given>)
    constexpr explicit unexpected(Given&& error) // NOLINT(bugprone-forwarding-reference-overload): excluded above
        : error_(std::forward<Given>(error)) {}

    [[nodiscard]] constexpr const E& error() const& noexcept { return error_; }
    [[nodiscard]] constexpr E& error() & noexcept { return error_; }
    [[nodiscard]] constexpr E&& error() && noexcept { return std::move(error_); }

private:
    E error_;
};

/// The type of the error follows from the error.
template <class E>
unexpected(E) -> unexpected<E>;

/// In the place of a value: says that an error is constructed from the arguments that follow.
struct unexpect_t {
    explicit unexpect_t() = default;
};
/// The only value of its type.
inline constexpr unexpect_t unexpect{};

namespace detail {

[[noreturn]] void throw_bad_access(const failure& what);
[[noreturn]] void throw_bad_access();

template <class E>
[[noreturn]] void throw_error_of(const E& error) {
    if constexpr (std::same_as<E, failure>) {
        throw_bad_access(error);
    } else {
        throw_bad_access();
    }
}

} // namespace detail

template <class T, class E>
class [[nodiscard]] expected;

namespace detail {

template <class T>
inline constexpr bool is_expected = false;
template <class T, class E>
inline constexpr bool is_expected<expected<T, E>> = true;
template <class T>
inline constexpr bool is_unexpected = false;
template <class E>
inline constexpr bool is_unexpected<unexpected<E>> = true;

} // namespace detail

template <class T, class E>
class [[nodiscard]] expected {
    static_assert(!std::is_reference_v<T> && !detail::is_expected<T> && !detail::is_unexpected<T>);

public:
    using value_type = T;
    using error_type = E;
    using unexpected_type = unexpected<E>;
    template <class U>
    using rebind = expected<U, E>;

    constexpr expected() noexcept(std::is_nothrow_default_constructible_v<T>)
        requires std::default_initializable<T>
        : value_() {}

    template <class Given = T>
        requires(!std::same_as<std::remove_cvref_t<Given>, expected> &&
                 !std::same_as<std::remove_cvref_t<Given>, std::in_place_t> &&
                 !detail::is_unexpected<std::remove_cvref_t<Given>> && std::constructible_from<T, Given>)
    constexpr explicit(!std::convertible_to<Given, T>)
        expected(Given&& value) // NOLINT(*-explicit-*,*-forwarding-reference-overload)
        : value_(std::forward<Given>(value)) {}

    template <class Given>
        requires std::constructible_from<E, const Given&>
    constexpr explicit(!std::convertible_to<const Given&, E>) expected(const unexpected<Given>& error) // NOLINT
        : error_(error.error()), has_value_(false) {}
    template <class Given>
        requires std::constructible_from<E, Given>
    constexpr explicit(!std::convertible_to<Given, E>) expected(unexpected<Given>&& error) // NOLINT(*-explicit-*)
        : error_(std::move(error).error()), has_value_(false) {}

    template <class... Arguments>
        requires std::constructible_from<T, Arguments...>
    constexpr explicit expected(std::in_place_t, Arguments&&... arguments)
        : value_(std::forward<Arguments>(arguments)...) {}
    template <class... Arguments>
        requires std::constructible_from<E, Arguments...>
    constexpr explicit expected(unexpect_t, Arguments&&... arguments)
        : error_(std::forward<Arguments>(arguments)...), has_value_(false) {}

    constexpr expected(const expected& other)
        requires(std::copy_constructible<T> && std::copy_constructible<E>)
        : has_value_(other.has_value_) {
        copy_from(other);
    }
    constexpr expected(expected&& other) noexcept(
        std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_constructible_v<E>)
        : has_value_(other.has_value_) {
        move_from(std::move(other));
    }

    constexpr expected& operator=(const expected& other)
        requires(std::copy_constructible<T> && std::copy_constructible<E>)
    {
        if (this == &other) return *this;
        expected copy(other); // if this throws, nothing has changed
        return *this = std::move(copy);
    }
    // A move that throws half-way would leave neither value nor error; ours do not throw.
    constexpr expected& operator=(expected&& other) noexcept {
        static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_constructible_v<E>);
        if (this == &other) return *this;
        destroy();
        has_value_ = other.has_value_;
        move_from(std::move(other));
        return *this;
    }

    constexpr ~expected() { destroy(); }

    [[nodiscard]] constexpr bool has_value() const noexcept { return has_value_; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value_; }

    [[nodiscard]] constexpr const T& operator*() const& noexcept { return checked(*this); }
    [[nodiscard]] constexpr T& operator*() & noexcept { return checked(*this); }
    [[nodiscard]] constexpr T&& operator*() && noexcept { return std::move(checked(*this)); }
    [[nodiscard]] constexpr const T* operator->() const noexcept { return std::addressof(checked(*this)); }
    [[nodiscard]] constexpr T* operator->() noexcept { return std::addressof(checked(*this)); }

    [[nodiscard]] constexpr const T& value() const& { return require(*this); }
    [[nodiscard]] constexpr T& value() & { return require(*this); }
    [[nodiscard]] constexpr T&& value() && { return std::move(require(*this)); }

    [[nodiscard]] constexpr const E& error() const& noexcept { return failed(*this); }
    [[nodiscard]] constexpr E& error() & noexcept { return failed(*this); }
    [[nodiscard]] constexpr E&& error() && noexcept { return std::move(failed(*this)); }

    template <class U>
    [[nodiscard]] constexpr T value_or(U&& otherwise) const& {
        return has_value_ ? value_ : static_cast<T>(std::forward<U>(otherwise));
    }
    template <class U>
    [[nodiscard]] constexpr T value_or(U&& otherwise) && {
        return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(otherwise));
    }

    template <class... Arguments>
    constexpr T& emplace(Arguments&&... arguments) {
        *this = expected(std::in_place, std::forward<Arguments>(arguments)...);
        return value_;
    }

    /// `next(value)`, which returns another result, unless this is an error.
    template <class F>
    constexpr auto and_then(F&& next) && {
        using next_type = std::remove_cvref_t<std::invoke_result_t<F, T&&>>;
        return has_value_ ? std::forward<F>(next)(std::move(value_)) : next_type(unexpect, std::move(error_));
    }
    template <class F>
    constexpr auto and_then(F&& next) const& {
        using next_type = std::remove_cvref_t<std::invoke_result_t<F, const T&>>;
        return has_value_ ? std::forward<F>(next)(value_) : next_type(unexpect, error_);
    }
    /// The same for a function that cannot fail.
    template <class F>
    constexpr auto transform(F&& next) && {
        using next_type = expected<std::remove_cv_t<std::invoke_result_t<F, T&&>>, E>;
        if (!has_value_) return next_type(unexpect, std::move(error_));
        if constexpr (std::is_void_v<typename next_type::value_type>) {
            std::forward<F>(next)(std::move(value_));
            return next_type();
        } else {
            return next_type(std::in_place, std::forward<F>(next)(std::move(value_)));
        }
    }
    template <class F>
    constexpr auto transform(F&& next) const& {
        return expected(*this).transform(std::forward<F>(next));
    }
    /// `otherwise(error)`, which returns the same type, unless there is a value.
    template <class F>
    constexpr expected or_else(F&& otherwise) && {
        return has_value_ ? std::move(*this) : expected(std::forward<F>(otherwise)(std::move(error_)));
    }
    template <class F>
    constexpr expected or_else(F&& otherwise) const& {
        return has_value_ ? *this : expected(std::forward<F>(otherwise)(error_));
    }
    template <class F>
    constexpr auto transform_error(F&& change) && {
        using next_type = expected<T, std::remove_cv_t<std::invoke_result_t<F, E&&>>>;
        return has_value_ ? next_type(std::in_place, std::move(value_))
                          : next_type(unexpect, std::forward<F>(change)(std::move(error_)));
    }
    template <class F>
    constexpr auto transform_error(F&& change) const& {
        return expected(*this).transform_error(std::forward<F>(change));
    }

    [[nodiscard]] friend constexpr bool operator==(const expected& a, const expected& b)
        requires(std::equality_comparable<T> && std::equality_comparable<E>)
    {
        if (a.has_value_ != b.has_value_) return false;
        return a.has_value_ ? a.value_ == b.value_ : a.error_ == b.error_;
    }
    template <class U>
        requires((std::same_as<U, T> && std::equality_comparable<T>) ||
                 (std::is_arithmetic_v<U> && std::is_arithmetic_v<T>))
    [[nodiscard]] friend constexpr bool operator==(const expected& a, const U& value) {
        return a.has_value_ && a.value_ == value;
    }

private:
    template <class Self>
    static constexpr auto& checked(Self& self) noexcept {
        assert(self.has_value_ && "the value of a result that is a failure");
        return self.value_;
    }
    template <class Self>
    static constexpr auto& failed(Self& self) noexcept {
        assert(!self.has_value_ && "the failure of a result that has a value");
        return self.error_;
    }
    template <class Self>
    static constexpr auto& require(Self& self) {
        if (!self.has_value_) detail::throw_error_of(self.error_);
        return self.value_;
    }

// g++ 12 takes the member of the union that is not there for one that was forgotten.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
    constexpr void copy_from(const expected& other) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), other.value_);
        } else {
            std::construct_at(std::addressof(error_), other.error_);
        }
    }
    constexpr void move_from(expected&& other) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), std::move(other.value_));
        } else {
            std::construct_at(std::addressof(error_), std::move(other.error_));
        }
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    constexpr void destroy() noexcept {
        if (has_value_) {
            std::destroy_at(std::addressof(value_));
        } else {
            std::destroy_at(std::addressof(error_));
        }
    }

    union {
        T value_; // NOLINT(readability-identifier-naming): private, although its union has no name
        E error_; // NOLINT(readability-identifier-naming)
    };
    bool has_value_ = true;
};

/// Only success, or an error.
template <class E>
class [[nodiscard]] expected<void, E> {
public:
    using value_type = void;
    using error_type = E;
    using unexpected_type = unexpected<E>;
    template <class U>
    using rebind = expected<U, E>;

    constexpr expected() noexcept : nothing_() {}
    constexpr explicit expected(std::in_place_t) noexcept : expected() {}

    template <class Given>
        requires std::constructible_from<E, const Given&>
    constexpr explicit(!std::convertible_to<const Given&, E>) expected(const unexpected<Given>& error) // NOLINT
        : has_value_(false), error_(error.error()) {}
    template <class Given>
        requires std::constructible_from<E, Given>
    constexpr explicit(!std::convertible_to<Given, E>) expected(unexpected<Given>&& error) // NOLINT(*-explicit-*)
        : has_value_(false), error_(std::move(error).error()) {}
    template <class... Arguments>
        requires std::constructible_from<E, Arguments...>
    constexpr explicit expected(unexpect_t, Arguments&&... arguments)
        : has_value_(false), error_(std::forward<Arguments>(arguments)...) {}

    constexpr expected(const expected& other) : has_value_(other.has_value_), nothing_() {
        if (!has_value_) std::construct_at(std::addressof(error_), other.error_);
    }
    constexpr expected(expected&& other) noexcept : has_value_(other.has_value_), nothing_() {
        static_assert(std::is_nothrow_move_constructible_v<E>);
        if (!has_value_) std::construct_at(std::addressof(error_), std::move(other.error_));
    }
    constexpr expected& operator=(const expected& other) {
        if (this == &other) return *this;
        expected copy(other);
        return *this = std::move(copy);
    }
    constexpr expected& operator=(expected&& other) noexcept {
        if (this == &other) return *this;
        destroy();
        has_value_ = other.has_value_;
        if (!has_value_) std::construct_at(std::addressof(error_), std::move(other.error_));
        return *this;
    }
    constexpr ~expected() { destroy(); }

    [[nodiscard]] constexpr bool has_value() const noexcept { return has_value_; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value_; }
    constexpr void operator*() const noexcept { assert(has_value_); }
    constexpr void value() const {
        if (!has_value_) detail::throw_error_of(error_);
    }
    [[nodiscard]] constexpr const E& error() const& noexcept { return failed(*this); }
    [[nodiscard]] constexpr E& error() & noexcept { return failed(*this); }
    [[nodiscard]] constexpr E&& error() && noexcept { return std::move(failed(*this)); }

    template <class F>
    constexpr auto and_then(F&& next) && {
        using next_type = std::remove_cvref_t<std::invoke_result_t<F>>;
        return has_value_ ? std::forward<F>(next)() : next_type(unexpect, std::move(error_));
    }
    template <class F>
    constexpr auto and_then(F&& next) const& {
        using next_type = std::remove_cvref_t<std::invoke_result_t<F>>;
        return has_value_ ? std::forward<F>(next)() : next_type(unexpect, error_);
    }
    template <class F>
    constexpr auto transform(F&& next) const {
        using next_type = expected<std::remove_cv_t<std::invoke_result_t<F>>, E>;
        if (!has_value_) return next_type(unexpect, error_);
        if constexpr (std::is_void_v<typename next_type::value_type>) {
            std::forward<F>(next)();
            return next_type();
        } else {
            return next_type(std::in_place, std::forward<F>(next)());
        }
    }
    template <class F>
    constexpr expected or_else(F&& otherwise) const {
        return has_value_ ? *this : expected(std::forward<F>(otherwise)(error_));
    }
    template <class F>
    constexpr auto transform_error(F&& change) const {
        using next_type = expected<void, std::remove_cv_t<std::invoke_result_t<F, const E&>>>;
        return has_value_ ? next_type() : next_type(unexpect, std::forward<F>(change)(error_));
    }

    [[nodiscard]] friend constexpr bool operator==(const expected& a, const expected& b)
        requires std::equality_comparable<E>
    {
        return a.has_value_ == b.has_value_ && (a.has_value_ || a.error_ == b.error_);
    }

private:
    template <class Self>
    static constexpr auto& failed(Self& self) noexcept {
        assert(!self.has_value_ && "the failure of a result that has none");
        return self.error_;
    }
    constexpr void destroy() noexcept {
        if (!has_value_) std::destroy_at(std::addressof(error_));
    }

    bool has_value_ = true;
    union {
        char nothing_; // NOLINT(readability-identifier-naming): as above
        E error_;      // NOLINT(readability-identifier-naming)
    };
};

/// A T, or the failure that says why there is none. It has the members of std::expected (C++23): test it as a bool, then take `*made`,
/// `made->member` or `made.error()`; `value()` returns the value or throws everbloom::error; `value_or`, `and_then`, `transform`, `or_else`.
template <class T>
using result = expected<T, failure>;

/// For functions that return a result: `return fail(reason, sentence);`
[[nodiscard]] inline unexpected<failure> fail(failure_reason reason, std::string sentence) {
    return unexpected<failure>(failure{reason, std::move(sentence)});
}

/// The same with a failure that exists already.
[[nodiscard]] inline unexpected<failure> fail(failure what) { return unexpected<failure>(std::move(what)); }

} // namespace everbloom
