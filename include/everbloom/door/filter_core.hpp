// filter_core: what filter<Key, Kind> does that depends neither on Key nor on Kind. Compiled once; the templates on top are thin.
//
// It keeps the promise of the capacity. Up to the capacity a key costs one decrement; then the cells are looked at, which tells how many
// different keys there really are (copies of a key do not count), and how many insertions may follow until the next look. A kind that
// grows by itself keeps its FPR and is never full.
#pragma once

#include <everbloom/core/error.hpp>
#include <everbloom/format/key_type.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/stats.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

/// What to resize for; what is not given stays as it is.
struct resize_options {
    std::optional<std::uint64_t> capacity = {};
    std::optional<double> fpr = {};
    std::optional<std::uint64_t> bytes = {}; // the most it may take
};

/// How much of a mapped file is looked at before the first query. Whatever memory safety depends on is always checked.
enum class verify {
    everything, // every byte against its checksum
    header,     // the checksum of the header only: for files of gigabytes from a source that you trust
};

namespace door {

/// What the template asks of a file.
struct expected_file {
    key_type keys = key_type::text;
    std::uint32_t kind = 0; // 0: any
};

class filter_core {
public:
    filter_core() noexcept = default;
    explicit filter_core(filter_file file, bool overfill = false) noexcept;
    // A moved-from filter is empty-handed: "maybe" to every query, and whatever can fail fails.
    filter_core(filter_core&&) noexcept = default;
    filter_core& operator=(filter_core&&) noexcept = default;

    [[nodiscard]] static result<filter_core> make(const filter_options& wanted, expected_file keys);
    [[nodiscard]] static result<filter_core> open(const std::string& path, expected_file expected);
    [[nodiscard]] static result<filter_core> map(const std::string& path, expected_file expected, verify how);
    [[nodiscard]] static result<filter_core> read(std::span<const std::byte> bytes, expected_file expected);
    [[nodiscard]] static result<filter_core> from_file(result<filter_file> loaded, expected_file expected);
    [[nodiscard]] result<filter_core> clone() const;
    [[nodiscard]] result<filter_core> query_copy(double fpr, std::string_view kind = {}) const;
    /// Exactly these keys, for kinds that are built at once; the capacity becomes their number.
    [[nodiscard]] result<void> build(std::span<const digest> keys);

    [[nodiscard]] result<void> save(const std::string& path) const;
    [[nodiscard]] result<std::vector<std::byte>> bytes() const;

    [[nodiscard]] result<void> merge(const filter_core& other);
    [[nodiscard]] result<void> intersect(const filter_core& other);
    [[nodiscard]] result<void> resize(const resize_options& wanted);
    [[nodiscard]] result<void> clear();
    [[nodiscard]] filter_stats stats() const;
    [[nodiscard]] bool equals(const filter_core& other) const;

    [[nodiscard]] any_filter& filter() noexcept { return file_.filter(); }
    [[nodiscard]] const any_filter& filter() const noexcept { return file_.filter(); }
    [[nodiscard]] const any_hasher& hasher() const noexcept { return file_.hasher(); }
    [[nodiscard]] const filter_file& file() const noexcept { return file_; }

    /// For jobs that change filter, capacity and attachment together, such as follow_list: a result is what `job` returns.
    template <class Job>
    [[nodiscard]] auto change_file(Job job) {
        auto done = job(file_);
        if (done) look_again();
        return done;
    }

    /// May one more key be inserted? Takes the room for it.
    [[nodiscard]] bool take_room() noexcept {
        if (__builtin_sub_overflow(room_, 1, &room_)) [[unlikely]] { // one instruction that changes memory and tells
            room_ = 0;
            if (!find_room()) return false;
            --room_;
        }
        return true;
    }
    /// The same for many; looks at the cells only if there is no room left for one. False means "one by one".
    [[nodiscard]] bool has_room(std::uint64_t count) noexcept {
        if (room_ == 0 && count != 0) (void)find_room();
        if (room_ < count) return false;
        room_ -= count;
        return true;
    }
    /// This number of keys is gone: the next look at the cells may find room.
    void give_room(std::uint64_t count = 1) noexcept { removed_ += count; }

private:
    [[nodiscard]] bool find_room() noexcept;
    [[nodiscard]] result<void> check_combination(const filter_core& other) const;
    template <class Operation>
    [[nodiscard]] result<void> combine(const filter_core& other, Operation operation);
    void look_again() noexcept;

    static constexpr std::uint64_t unlimited = UINT64_MAX;

    filter_file file_;
    bool overfill_ = false;
    bool full_ = false;
    std::uint64_t room_ = 0;    // insertions before the cells are looked at again
    std::uint64_t removed_ = 0; // since it was full
};

} // namespace door
} // namespace everbloom
