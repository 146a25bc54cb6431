// reader: what a filter can answer without being changed, for filters in memory and for mapped ones.
//
// Where the kind is fixed, the concrete filter inside the core is found once, and every operation on it inlines; where it is chosen when the
// program runs, operations go through any_filter. Known negatives are asked by any_filter only: a filter that has some is never asked directly.
#pragma once

#include <everbloom/door/filter_core.hpp>
#include <everbloom/door/key_batches.hpp>
#include <everbloom/key.hpp>

#include <concepts>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace everbloom {

/// The kind is chosen when the program runs: by the planner, by name, or by the file that is opened.
struct any_kind {};

template <class KeyType, class Kind = any_kind>
class filter;
template <class KeyType, class Kind = any_kind>
class mapped_filter;

namespace door {

template <class Kind>
concept KindOrAny = std::same_as<Kind, any_kind> || requires {
    typename Kind::filter;
    typename Kind::view;
    Kind::id;
};

template <class Kind, bool Writable>
struct concrete {
    using type = void;
    static constexpr std::uint32_t id = 0;
};
template <class Kind, bool Writable>
    requires(KindOrAny<Kind> && !std::same_as<Kind, any_kind>)
struct concrete<Kind, Writable> {
    using type = std::conditional_t<Writable, typename Kind::filter, const typename Kind::view>;
    static constexpr std::uint32_t id = Kind::id;
};

/// The concrete filter inside a core. It stays where it is when the core is moved; a core that was moved away has none.
template <class Filter>
class concrete_pointer {
public:
    concrete_pointer() noexcept = default;
    explicit concrete_pointer(Filter* filter) noexcept : filter_(filter) {}
    concrete_pointer(concrete_pointer&& other) noexcept : filter_(std::exchange(other.filter_, nullptr)) {}
    concrete_pointer& operator=(concrete_pointer&& other) noexcept {
        filter_ = std::exchange(other.filter_, nullptr);
        return *this;
    }
    [[nodiscard]] Filter* get() const noexcept { return filter_; }

private:
    Filter* filter_ = nullptr;
};

/// Has operations on one key that are in line, on some processors.
template <class Filter>
concept InLine = requires(const Filter* filter) { filter->in_line(); };
/// They are so short that a loop has room for them twice: with the hash `integer`, and with `xxh3`.
template <class Filter>
concept InLineTwice = InLine<Filter> && requires { requires Filter::in_line_twice; };

/// Has operations on one key that are one call.
template <class Filter>
concept InCall = requires(const Filter* filter) { filter->in_call(); };

/// A key that is hashed as one whole number.
template <class Given, class KeyType>
concept WholeNumber =
    detail::same_encoding<KeyType, Given>() && detail::number_key<Given> && !detail::custom_key<Given>;

/// Whatever does not change the filter, for those in memory and for mapped ones.
template <class KeyType, class Kind, bool Writable>
class reader {
    static_assert((detail::explain_refusal<KeyType>(), true));
    static_assert(KindOrAny<Kind>,
                  "everbloom: the second argument is a kind, such as everbloom::blocked; leave it out to "
                  "have one chosen");

public:
    /// The type of the keys.
    using key_type = KeyType;
    /// `any_kind`, or the kind that is fixed.
    using kind_type = Kind;

    /// False: surely not in it. True: in it, or a false positive. The key may be of another type with the same bytes (a string_view, an
    /// int of another width); a type that is no key of this filter does not compile, with a sentence that says why.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] bool may_contain(const Given& key) const {
        if constexpr (InLine<concrete_filter> && WholeNumber<Given, KeyType>) {
            if (in_line_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                return in_line_.get()->may_contain_in_line(core_.hasher().of_integer(detail::number_of(key)));
        }
        if constexpr (InLineTwice<concrete_filter> && WholeNumber<Given, KeyType>) {
            if (xxh3_in_line_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                return xxh3_in_line_.get()->may_contain_in_line(core_.hasher().of_xxh3(detail::number_of(key)));
        }
        if constexpr (InCall<concrete_filter> && WholeNumber<Given, KeyType>) {
            if (in_call_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                return in_call_.get()->may_contain_in_call(core_.hasher().of_integer(detail::number_of(key)));
            return ask_apart(key);
        }
        return ask(item_of<KeyType>(core_.hasher(), key));
    }

    /// answers[i] is 1 for "maybe" and 0 for "surely not". Many keys at once are hashed and fetched together: several times as fast.
    template <KeysOf<KeyType> Keys>
    void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
        if constexpr (hashes_itself) {
            if (filter_.get() != nullptr && !core_.filter().exclusions()) {
                const auto ask_all = [&](const auto& items) {
                    check_count(items.size(), answers.size());
                    filter_.get()->may_contain(items, answers);
                };
                if (hash_on_demand(core_.hasher(), keys, ask_all)) return;
            }
        } else if constexpr (!fixed && NumbersInARow<Keys>) {
            const std::span<const std::uint64_t> numbers(std::data(keys), std::size(keys));
            check_count(numbers.size(), answers.size());
            if (core_.filter().may_contain(core_.hasher(), numbers, answers)) return;
        }
        hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t first) {
            check_count(first + items.size(), answers.size());
            const auto some = answers.subspan(first, items.size());
            if constexpr (fixed) {
                if (filter_.get() != nullptr && !core_.filter().exclusions())
                    return filter_.get()->may_contain(items, some);
            }
            core_.filter().may_contain(items, some);
        });
    }
    /// The same with answers as bool.
    template <KeysOf<KeyType> Keys>
    void may_contain(const Keys& keys, std::span<bool> answers) const {
        static_assert(sizeof(bool) == 1);
        may_contain(keys, std::span(reinterpret_cast<std::uint8_t*>(answers.data()), answers.size()));
    }
    /// The same with a vector of answers, as long as the range.
    template <KeysOf<KeyType> Keys>
    [[nodiscard]] std::vector<std::uint8_t> may_contain(const Keys& keys) const {
        std::vector<std::uint8_t> answers(static_cast<std::size_t>(std::distance(std::begin(keys), std::end(keys))));
        may_contain(keys, std::span(answers));
        return answers;
    }

    /// What `erase` would say; changes nothing.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] erase_outcome can_erase(const Given& key) const {
        return core_.filter().can_erase(item_of<KeyType>(core_.hasher(), key)).value_or(erase_outcome::unsupported);
    }
    /// How often the key was inserted, never too low; for kinds that count.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] result<std::uint64_t> try_estimate_count(const Given& key) const {
        return core_.filter().estimate_count(item_of<KeyType>(core_.hasher(), key));
    }
    /// The same; throws for kinds that do not count.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] std::uint64_t estimate_count(const Given& key) const {
        return try_estimate_count(key).value();
    }

    /// The name of the kind, "blocked" or another.
    [[nodiscard]] std::string_view kind() const noexcept { return core_.filter().kind(); }
    /// Whether this filter can do that: `can(capability::erase)`.
    [[nodiscard]] bool can(capability wanted) const noexcept { return core_.filter().can(wanted); }
    /// Keys, fill level, current FPR: reads every cell.
    [[nodiscard]] filter_stats stats() const { return core_.stats(); }
    /// The number of different keys, for kinds that count them.
    [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept { return core_.filter().keys(); }
    /// All memory of the filter.
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return core_.filter().memory_bytes(); }

    /// `save` with a result.
    [[nodiscard]] result<void> try_save(const std::string& path) const { return core_.save(path); }
    /// Writes a file, durably; the old one is intact until the new one is complete.
    void save(const std::string& path) const { try_save(path).value(); }
    /// `bytes` with a result.
    [[nodiscard]] result<std::vector<std::byte>> try_bytes() const { return core_.bytes(); }
    /// The same as bytes, for databases and messages.
    [[nodiscard]] std::vector<std::byte> bytes() const { return try_bytes().value(); }

    /// A smaller copy with this FPR for programs that only ask, made without the keys (kinds quotient and elastic_blocked). It answers for
    /// the same keys, and is of the kind that takes the fewest bytes, mostly fuse, unless another is named.
    [[nodiscard]] result<filter<KeyType>> try_query_copy(double fpr, std::string_view kind = {}) const {
        return filter<KeyType>::from(core_.query_copy(fpr, kind));
    }
    /// The same; throws if it fails.
    [[nodiscard]] filter<KeyType> query_copy(double fpr, std::string_view kind = {}) const {
        return try_query_copy(fpr, kind).value();
    }

    /// Piece by piece, so that there is never a second copy in memory; `saved_bytes` is the total.
    [[nodiscard]] result<void> try_write(byte_sink& into) const { return write_filter(core_.file(), into); }
    /// The same; throws if it fails.
    void write(byte_sink& into) const { try_write(into).value(); }
    /// The length of what `write`, `bytes` and `save` make.
    [[nodiscard]] std::uint64_t saved_bytes() const { return everbloom::saved_bytes(core_.file()); }

    /// For code below the front door: planner, files, models.
    [[nodiscard]] const any_filter& untyped() const noexcept { return core_.filter(); }
    /// The hash function with its secret key: `hasher().key()` makes other filters that can be merged.
    [[nodiscard]] const any_hasher& hasher() const noexcept { return core_.hasher(); }

protected:
    template <class, class>
    friend class everbloom::filter; // merges from readers of both sorts

    using concrete_filter = typename concrete<Kind, Writable>::type;
    static constexpr bool fixed = !std::is_void_v<concrete_filter>;
    static constexpr bool hashes_itself = HashesItself<concrete_filter>;
    static constexpr expected_file expected{key_type_of<KeyType>(), concrete<Kind, Writable>::id};

    reader() noexcept = default;
    explicit reader(filter_core core) noexcept : core_(std::move(core)) { find_concrete(); }

    void find_concrete() noexcept {
        if constexpr (fixed && Writable) filter_ = concrete_pointer(core_.filter().template as<Kind>());
        if constexpr (fixed && !Writable) filter_ = concrete_pointer(core_.filter().template as_view<Kind>());
        if constexpr (InLine<concrete_filter>) {
            const bool usable = filter_.get() != nullptr && filter_.get()->in_line();
            const hash_id hash = core_.hasher().id();
            in_line_ = concrete_pointer(usable && hash == hash_id::integer ? filter_.get() : nullptr);
            xxh3_in_line_ = concrete_pointer(usable && hash == hash_id::xxh3 ? filter_.get() : nullptr);
        }
        if constexpr (InCall<concrete_filter>) {
            const bool usable =
                filter_.get() != nullptr && filter_.get()->in_call() && core_.hasher().id() == hash_id::integer;
            in_call_ = concrete_pointer(usable ? filter_.get() : nullptr);
        }
    }

    /// With all other code beside the one in line the caller's loop would be slower.
    template <class Given>
    [[nodiscard, gnu::noinline]] bool ask_apart(const Given& key) const {
        return ask(item_of<KeyType>(core_.hasher(), key));
    }
    [[nodiscard]] bool ask(digest item) const noexcept {
        if constexpr (fixed) {
            if (filter_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                return filter_.get()->may_contain(item);
        }
        return core_.filter().may_contain(item);
    }

    filter_core core_;
    concrete_pointer<concrete_filter> filter_;
    // The same, if its operations on one number are in line: one test instead of three.
    concrete_pointer<concrete_filter> in_line_;      // with the hash `integer`
    concrete_pointer<concrete_filter> xxh3_in_line_; // InLineTwice
    concrete_pointer<concrete_filter> in_call_;      // InCall, with the hash `integer`
};

} // namespace door

} // namespace everbloom
