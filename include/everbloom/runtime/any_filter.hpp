// any_filter: a filter whose kind is known only at run time.
//
// Batch-first: one indirect call takes 64 to 256 digests into concrete code, which prefetches across them. What a kind cannot do
// is a failure with a message; `can` tells in advance.
//
// A handle that was made without a filter, or whose filter was moved away, is safe to use: it can do nothing, whatever has a result
// fails, and queries answer "maybe".
#pragma once

#include <everbloom/bits/word_pieces.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/outcomes.hpp>
#include <everbloom/filter/protection.hpp>
#include <everbloom/model/buckets.hpp>
#include <everbloom/model/growth.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/exclusion_list.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

class any_hasher;

/// Digests per call: enough to overlap cache misses, few enough for the first-level cache.
inline constexpr std::size_t batch_items = 256;

/// One number of a filter's geometry, with its name.
struct geometry_value {
    std::string_view name;
    std::uint64_t value = 0;
    std::string_view word = {}; // the name of a choice, where the value is one
    field_form form = field_form::whole;
    field_role role = field_role::choice;
};

/// What the cells look like, for pictures and reports.
struct cell_census {
    std::uint64_t cells = 0;
    std::vector<std::uint64_t> values;   // values[v]: cells with value v; the last one also counts everything larger
    std::vector<double> occupied_shares; // of equal slices of the array, in order
};

class any_filter {
public:
    /// The interface between the runtime handle and a concrete filter; implemented once, for all kinds, in src/.
    class interface;

    /// What is done key by key, as functions of the concrete filter: one indirect call, and nothing else, lies between. The halves of
    /// the digest are passed as two numbers: g++ carries an object of two words from call to call through memory.
    struct key_calls {
        bool (*may_contain)(const void* filter, std::uint64_t low, std::uint64_t high) noexcept;
        insert_outcome (*insert)(void* filter, std::uint64_t low, std::uint64_t high) noexcept;
        erase_outcome (*erase)(void* filter, std::uint64_t low, std::uint64_t high) noexcept;
    };

    any_filter() noexcept;
    explicit any_filter(std::unique_ptr<interface> filter) noexcept;
    any_filter(any_filter&&) noexcept;
    any_filter& operator=(any_filter&&) noexcept;
    any_filter(const any_filter&) = delete;
    any_filter& operator=(const any_filter&) = delete;
    ~any_filter();

    /// False for a handle that was made without a filter, and for one whose filter was moved away.
    [[nodiscard]] bool has_filter() const noexcept { return filter_ != nullptr; }
    [[nodiscard]] std::string_view kind() const noexcept;
    [[nodiscard]] std::uint32_t kind_id() const noexcept;
    [[nodiscard]] capability_set capabilities() const noexcept;
    [[nodiscard]] bool can(capability wanted) const noexcept { return capabilities().has(wanted); }
    [[nodiscard]] std::vector<geometry_value> geometry() const;
    /// A number of the geometry by name, if the kind has it.
    [[nodiscard]] std::optional<std::uint64_t> geometry(std::string_view name) const;
    /// Size of the whole structure: from its geometry, or from its memory where the geometry has no size.
    [[nodiscard]] std::uint64_t structure_bits() const noexcept;
    [[nodiscard]] std::uint64_t cells() const noexcept;
    /// The values of the cells from `first` on, one for each place in `values`; there must be as many. For pictures.
    void read_cells(std::uint64_t first, std::span<std::uint64_t> values) const noexcept;
    [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
    /// The memory it holds, also while it grows; that of a mapped filter is the file's.
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
    /// Number of keys, for kinds that keep count of them. Different keys: copies of one are one.
    [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept;
    /// Whether its words are those of a mapped file.
    [[nodiscard]] bool is_mapped() const noexcept;
    /// A deep copy in memory; that of a mapped filter can be changed.
    [[nodiscard]] result<any_filter> clone() const;

    /// answers[i] is 0 (surely not) or 1 (maybe). The spans have the same length, here and below.
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;
    [[nodiscard]] bool may_contain(digest item) const noexcept {
        const bool found = calls_.may_contain(object_, item.low, item.high);
        return exclusions_ ? found && !vetoed(item.low, item.high) : found;
    }
    /// The same for whole numbers, which the loop hashes itself; false if this kind, this hash function or an exclusion list does not
    /// allow it, and then nothing is answered.
    [[nodiscard]] bool may_contain(const any_hasher& hash, std::span<const std::uint64_t> numbers,
                                   std::span<std::uint8_t> answers) const noexcept;
    /// Whether `insert(hash, numbers)` can insert whole numbers, all of them; elsewhere it must not be called.
    [[nodiscard]] bool can_insert_numbers(const any_hasher& hash) const noexcept;
    void insert(const any_hasher& hash, std::span<const std::uint64_t> numbers) noexcept;
    [[nodiscard]] result<void> insert(std::span<const digest> items, std::span<insert_outcome> outcomes);
    [[nodiscard]] result<insert_outcome> insert(digest item);
    /// The same for code that asks the outcome only: `not_writable` where `insert` fails.
    insert_outcome insert_one(digest item) noexcept {
        const insert_outcome outcome = calls_.insert(object_, item.low, item.high);
        return exclusions_ ? let_pass(item.low, item.high, outcome) : outcome;
    }
    /// Inserts unless it is there already, in one pass. Only for kinds that cannot remove, and for kinds whose stored hashes make a
    /// mistaken "already there" rarer than 1e-9: elsewhere that mistake, followed by a removal, would lose a member.
    [[nodiscard]] result<insert_outcome> insert_new(digest item);
    [[nodiscard]] bool can_insert_new() const;
    [[nodiscard]] result<void> erase(std::span<const digest> items, std::span<erase_outcome> outcomes);
    [[nodiscard]] result<erase_outcome> erase(digest item);
    erase_outcome erase_one(digest item) noexcept {
        if (exclusions_ && vetoed(item.low, item.high)) return erase_outcome::not_present;
        return calls_.erase(object_, item.low, item.high);
    }
    /// A dry run of `erase`: its outcome for each item in the present filter. Works on mapped filters too.
    [[nodiscard]] result<void> can_erase(std::span<const digest> items, std::span<erase_outcome> outcomes) const;
    [[nodiscard]] result<erase_outcome> can_erase(digest item) const;
    [[nodiscard]] result<std::uint64_t> estimate_count(digest item) const;
    [[nodiscard]] result<void> merge(const any_filter& other);
    /// Resizes to the next larger or smaller size of its kind, without the keys; a failure changes nothing.
    [[nodiscard]] result<void> grow();
    [[nodiscard]] result<void> shrink();
    /// Resizes to the geometry of another filter of its kind, which may be empty: any size, without the keys.
    [[nodiscard]] result<void> resize(const any_filter& like);
    /// Keeps the keys that `other` also holds.
    [[nodiscard]] result<void> intersect(const any_filter& other);
    /// A smaller copy with this FPR, made without the keys, for programs that only ask. Its answers for members are the same. The kind may
    /// be another one: the smallest of those that are possible, or the one that is named. Known negatives are not part of it.
    [[nodiscard]] result<any_filter> query_copy(double fpr, std::string_view kind = {}) const;
    /// Exactly these keys instead of those that it had, for kinds that are built at once. A failure changes nothing.
    [[nodiscard]] result<void> build(std::span<const digest> keys);
    /// Verified query: like may_contain, slower, with a negligible FPR.
    [[nodiscard]] result<void> confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const;
    /// Makes a kind with this capability answer "surely not" for known negatives. Needs all members, so that none is lost; a failure
    /// changes nothing.
    [[nodiscard]] result<protection> protect(std::span<const digest> members, std::span<const digest> negatives,
                                             const protection_options& how = {});
    /// The same for any kind and without its members, by an exclusion list in front of it. Replaces an earlier one.
    [[nodiscard]] result<protection> exclude(std::span<const digest> negatives);
    void drop_exclusions() noexcept;
    [[nodiscard]] const std::optional<exclusion_list>& exclusions() const noexcept { return exclusions_; }
    [[nodiscard]] result<void> clear();

    /// Current FPR, items and deletable share, estimated from the actual cells. Reads every cell.
    [[nodiscard]] measurement measure() const;
    /// The model's prediction for a filter of this geometry after the given workload.
    [[nodiscard]] prediction predict(const lifetime& lived) const;
    /// Bucket loads, measured and predicted by the model, for kinds made of buckets.
    [[nodiscard]] std::optional<bucket_statistics> buckets() const;
    [[nodiscard]] std::vector<double> predict_buckets(const lifetime& lived) const;
    /// How far it has grown and what its parts cost, for kinds that grow by themselves.
    [[nodiscard]] std::optional<growth_statistics> growth() const;
    [[nodiscard]] cell_census census(std::size_t slices, std::size_t values) const;

    /// The words of the filter as files hold them; those of an exclusion list are the last.
    [[nodiscard]] std::vector<word_pieces> sections() const;
    /// For the file loader.
    void set_exclusions(exclusion_list found) noexcept;

    /// The filter itself, for code that knows its kind; null if it is of another kind, or mapped and so a `Kind::view`.
    template <class Kind>
    [[nodiscard]] typename Kind::filter* as() noexcept {
        return static_cast<typename Kind::filter*>(object_if(Kind::id, true));
    }
    template <class Kind>
    [[nodiscard]] const typename Kind::view* as_view() const noexcept {
        return static_cast<const typename Kind::view*>(object_if(Kind::id, false));
    }

private:
    /// The filter, or absent_filter if there is none.
    [[nodiscard]] interface& door() const noexcept;
    [[nodiscard]] unexpected<failure> cannot(std::string_view deed) const;

    // The halves of a digest, for the same reason as in key_calls.
    [[nodiscard]] bool vetoed(std::uint64_t low, std::uint64_t high) const noexcept;
    [[nodiscard]] result<void> refuse_exclusions(const any_filter& other) const;
    insert_outcome let_pass(std::uint64_t low, std::uint64_t high, insert_outcome outcome) noexcept;
    [[nodiscard]] void* object_if(std::uint32_t kind, bool writable) const noexcept;
    /// A mapped filter as a copy in memory, for operations that need one; itself if it is in memory.
    [[nodiscard]] result<void> with_writable(const any_filter& other,
                                             result<void> (interface::*operation)(const interface&));

    // A handle without a filter: "maybe" to every query, and nothing can be changed.
    static constexpr key_calls absent_calls{
        [](const void*, std::uint64_t, std::uint64_t) noexcept { return true; },
        [](void*, std::uint64_t, std::uint64_t) noexcept { return insert_outcome::not_writable; },
        [](void*, std::uint64_t, std::uint64_t) noexcept { return erase_outcome::unsupported; },
    };

    void* object_ = nullptr;
    key_calls calls_ = absent_calls;
    std::unique_ptr<interface> filter_;
    std::optional<exclusion_list> exclusions_;
};

} // namespace everbloom
