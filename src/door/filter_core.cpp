#include "kind_choice.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/door/filter_core.hpp>
#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/query_copy.hpp>
#include <everbloom/jobs/resizing.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::door {
namespace {

result<void> check_options(const filter_options& wanted) {
    if (wanted.capacity == 0) {
        return fail(failure_reason::bad_parameter, "capacity is 0; say how many keys the filter will hold, at least 1");
    }
    return check(workload{wanted.capacity, wanted.fpr});
}

std::string_view name_of_kind(std::uint32_t id) {
    for (const kind_info& one : known_kinds()) {
        if (one.id == id) return one.name;
    }
    return "unknown";
}

result<filter_core> as_expected(result<filter_file> loaded, const std::string& where, expected_file expected) {
    if (!loaded) return fail(std::move(loaded.error()));
    const any_filter& filter = loaded->filter();
    if (expected.kind != 0 && filter.kind_id() != expected.kind) {
        return fail(failure_reason::mismatch, where + ": is " + with_article(filter.kind()) + " filter, not " +
                                                  with_article(name_of_kind(expected.kind)) + " filter");
    }
    // Keys that are bytes may stand for addresses, domains and networks as well: those are bytes too, in one spelling.
    const bool is_spelled = loaded->keys == key_type::text || loaded->keys == key_type::u64;
    const bool same = loaded->keys == expected.keys || (!is_spelled && expected.keys == key_type::hex);
    if (!same) {
        return fail(failure_reason::mismatch, where + ": its keys are of type " + std::string(name_of(loaded->keys)) +
                                                  ", but this program's are of type " +
                                                  std::string(name_of(expected.keys)));
    }
    return filter_core(std::move(*loaded));
}

} // namespace

filter_core::filter_core(filter_file file, bool overfill) noexcept : file_(std::move(file)), overfill_(overfill) {}

result<filter_core> filter_core::make(const filter_options& wanted, expected_file expected) {
    return or_out_of_memory([&]() -> result<filter_core> {
        if (auto checked = check_options(wanted); !checked) return fail(std::move(checked.error()));
        build_request request{wanted.kind, wanted.capacity, wanted.fpr, wanted.geometry};
        if (expected.kind != 0) request.kind = name_of_kind(expected.kind);
        const auto keys = complete(request, wanted);
        if (!keys) return fail(keys.error());
        auto built = everbloom::build(request);
        if (!built) return fail(std::move(built.error()));
        const auto source = wanted.geometry.empty() ? geometry_source::planned : geometry_source::given;
        const auto capacity = capacity_for(*built, source, *keys, wanted.fpr);
        if (!capacity) return fail(capacity.error());
        hash_key key;
        if (wanted.key) {
            key = *wanted.key;
        } else {
            const auto random = hash_key::random();
            if (!random) return fail(random.error());
            key = *random;
        }
        filter_file file;
        file.handle = keyed(std::move(*built), any_hasher(wanted.hash, key));
        file.keys = expected.keys;
        file.target = *capacity;
        filter_core made(std::move(file), wanted.overfill);
        made.room_ = wanted.overfill || made.filter().growth() ? unlimited : capacity->items; // it is empty
        return made;
    });
}

result<filter_core> filter_core::open(const std::string& path, expected_file expected) {
    return as_expected(open_filter(path), path, expected);
}

result<filter_core> filter_core::map(const std::string& path, expected_file expected, verify how) {
    return as_expected(how == verify::everything ? map_filter(path) : map_unverified_filter(path), path, expected);
}

result<filter_core> filter_core::read(std::span<const std::byte> bytes, expected_file expected) {
    return as_expected(read_filter(bytes), "the bytes", expected);
}

result<filter_core> filter_core::from_file(result<filter_file> loaded, expected_file expected) {
    return as_expected(std::move(loaded), "the bytes", expected);
}

result<filter_core> filter_core::clone() const {
    return or_out_of_memory([&]() -> result<filter_core> {
        auto copy = filter().clone();
        if (!copy) return fail(std::move(copy.error()));
        filter_core made;
        made.file_.handle = keyed(std::move(*copy), hasher());
        made.file_.keys = file_.keys;
        made.file_.target = file_.target;
        made.file_.attached = file_.attached;
        made.overfill_ = overfill_;
        made.full_ = full_;
        made.room_ = room_;
        made.removed_ = removed_;
        return made;
    });
}

result<filter_core> filter_core::query_copy(double fpr, std::string_view kind) const {
    auto made = query_copy_of(file_, fpr, kind);
    if (!made) return fail(std::move(made.error()));
    return filter_core(std::move(*made));
}

result<void> filter_core::build(std::span<const digest> keys) {
    if (auto done = filter().build(keys); !done) return done;
    file_.target.items = std::max<std::uint64_t>(filter().keys().value_or(keys.size()), 1);
    look_again();
    return {};
}

result<void> filter_core::save(const std::string& path) const { return save_filter(file_, path); }

result<std::vector<std::byte>> filter_core::bytes() const {
    return or_out_of_memory([&]() -> result<std::vector<std::byte>> {
        if (!filter().has_filter()) {
            return fail(failure_reason::unsupported, "there is no filter: it was moved away");
        }
        return write_filter(file_);
    });
}

result<void> filter_core::check_combination(const filter_core& other) const {
    if (!(hasher() == other.hasher())) {
        return fail(
            failure_reason::mismatch,
            "the filters have different hash functions or hash keys, so that nothing can be said about common keys; "
            "make both with the same .hash and .key");
    }
    return {};
}

/// On a copy where the result may be refused: a failure changes nothing.
template <class Operation>
result<void> filter_core::combine(const filter_core& other, Operation operation) {
    return or_out_of_memory([&]() -> result<void> {
        if (auto checked = check_combination(other); !checked) return checked;
        if (this == &other) return {};
        if (overfill_ || file_.target.items == 0 || filter().growth()) {
            auto done = operation(filter(), other.filter());
            look_again();
            return done;
        }
        auto copy = filter().clone();
        if (!copy) return fail(std::move(copy.error()));
        if (auto done = operation(*copy, other.filter()); !done) return done;
        if (const measurement now = copy->measure(); exceeds(now, file_.target)) {
            return fail(failure_reason::no_room, "together they would hold more keys than the capacity of " +
                                                     capacity_text(file_.target) +
                                                     "; resize it first, or make it with .overfill = true");
        }
        filter() = std::move(*copy);
        look_again();
        return {};
    });
}

result<void> filter_core::merge(const filter_core& other) {
    return combine(other, [](any_filter& into, const any_filter& from) { return into.merge(from); });
}

result<void> filter_core::intersect(const filter_core& other) {
    return combine(other, [](any_filter& into, const any_filter& from) { return into.intersect(from); });
}

result<void> filter_core::resize(const resize_options& wanted) {
    auto done = resize_filter(file_, {wanted.capacity, wanted.fpr, wanted.bytes});
    if (done) look_again();
    return done;
}

result<void> filter_core::clear() {
    auto done = filter().clear();
    if (done) look_again();
    return done;
}

filter_stats filter_core::stats() const {
    filter_stats made;
    const measurement now = filter().measure();
    made.kind = filter().kind();
    made.fpr = now.fpr;
    made.target_fpr = file_.target.fpr;
    made.capacity = file_.target.items;
    made.deletable_share = now.deletable_share;
    const auto counted = filter().keys();
    made.keys_are_exact = counted.has_value();
    made.keys = counted ? static_cast<double>(*counted) : now.items;
    if (made.capacity != 0) made.fill = made.keys / static_cast<double>(made.capacity);
    made.memory_bytes = filter().memory_bytes();
    if (made.keys >= 0.5) made.bits_per_key = 8 * static_cast<double>(filter().payload_bytes()) / made.keys;
    return made;
}

bool filter_core::equals(const filter_core& other) const {
    if (filter().kind_id() != other.filter().kind_id() || !(hasher() == other.hasher())) return false;
    const auto mine = filter().geometry();
    const auto theirs = other.filter().geometry();
    if (!std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                    [](const geometry_value& a, const geometry_value& b) { return a.value == b.value; })) {
        return false;
    }
    return filter().sections() == other.filter().sections();
}

void filter_core::look_again() noexcept {
    full_ = false;
    room_ = 0;
    removed_ = 0;
}

bool filter_core::find_room() noexcept {
    const std::uint64_t items = file_.target.items;
    constexpr std::uint64_t looks_per_capacity = 128; // so that a look costs an insertion a few words on average
    const std::uint64_t least = std::max<std::uint64_t>(items / looks_per_capacity, 1);
    if (full_ && removed_ < least) return false;
    if (!filter().has_filter()) return true; // the filter itself will refuse
    try {
        if (overfill_ || items == 0 || filter().growth()) {
            room_ = unlimited;
            return true;
        }
        const measurement now = filter().measure();
        removed_ = 0;
        full_ = exceeds(now, file_.target);
        if (full_) return false;
        const auto left = static_cast<double>(items) - now.items;
        room_ = left > static_cast<double>(least) ? static_cast<std::uint64_t>(left) : least;
        return true;
    } catch (const std::bad_alloc&) {
        return false; // refused, as one that does not fit
    }
}

} // namespace everbloom::door
