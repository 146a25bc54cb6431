// Random sequences of everything that can be done to a filter, through the runtime handle, against an exact multiset.
//
// RapidCheck shrinks a sequence that fails to the shortest one that still does. The universe of keys is small, so that keys
// repeat, share cells, leave and come back.
#include "support/key_family.hpp"
#include "support/multiset_oracle.hpp"
#include "support/runtime_twin.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <ostream>

namespace everbloom {
namespace {

using namespace support;

constexpr std::uint64_t universe = 48;

enum class operation { insert, erase_member, erase_stranger, query, merge, clear, save_and_load };

struct step {
    operation what;
    std::uint64_t key;
};

std::ostream& operator<<(std::ostream& out, const step& one) {
    constexpr std::array<std::string_view, 7> names{"insert", "erase_member", "erase_stranger", "query",
                                                    "merge",  "clear",        "save_and_load"};
    return out << names[static_cast<std::size_t>(one.what)] << ' ' << one.key;
}

rc::Gen<std::vector<step>> random_steps() {
    const auto what = rc::gen::weightedElement<operation>({{40, operation::insert},
                                                           {25, operation::erase_member},
                                                           {10, operation::erase_stranger},
                                                           {15, operation::query},
                                                           {3, operation::merge},
                                                           {1, operation::clear},
                                                           {4, operation::save_and_load}});
    const auto key = rc::gen::inRange<std::uint64_t>(0, universe);
    return rc::gen::container<std::vector<step>>(rc::gen::construct<step>(what, key));
}

/// A filter and the truth about it, moved along together.
class accompanied_filter {
public:
    accompanied_filter(const subject_kind& kind, const geometry& spec)
        : kind_(kind), spec_(spec), file_(file_twin(kind, spec)) {}

    void take(const step& next) {
        switch (next.what) {
        case operation::insert: insert(next.key); break;
        case operation::erase_member: erase(next.key, truth_.has(next.key)); break;
        case operation::erase_stranger: erase(next.key, !truth_.has(next.key)); break;
        case operation::query: RC_ASSERT(!truth_.has(next.key) || filter().may_contain(keys_[next.key])); break;
        case operation::merge: merge(next.key); break;
        case operation::clear: clear(); break;
        case operation::save_and_load: save_and_load(); break;
        }
        for (const std::uint64_t member : truth_.members()) RC_ASSERT(filter().may_contain(keys_[member]));
    }

private:
    any_filter& filter() { return file_.filter(); }

    void insert(std::uint64_t key) {
        const auto before = snapshot_of(filter());
        if (succeeded(must(filter().insert(keys_[key])))) {
            truth_.add(key);
        } else {
            RC_ASSERT(snapshot_of(filter()) == before);
        }
    }

    void erase(std::uint64_t key, bool meant) {
        if (!meant || !filter().can(capability::erase) || !kind_.keeps_members) return;
        const bool maybe = filter().may_contain(keys_[key]);
        const erase_outcome judged = must(filter().can_erase(keys_[key]));
        RC_ASSERT(judged != erase_outcome::unsupported);
        RC_ASSERT(maybe || judged == erase_outcome::not_present);
        RC_ASSERT(!truth_.has(key) || judged != erase_outcome::not_present);
        // Removing a stranger that looks like a member is what nobody may do; what is refused anyway is harmless.
        if (!truth_.has(key) && succeeded(judged)) return;
        const auto before = snapshot_of(filter());
        RC_ASSERT(must(filter().erase(keys_[key])) == judged);
        if (!succeeded(judged)) {
            RC_ASSERT(snapshot_of(filter()) == before);
            return; // a member that could not leave is still one
        }
        truth_.remove(key);
        RC_ASSERT(judged != erase_outcome::removed_still_positive || filter().may_contain(keys_[key]));
    }

    /// With another filter that holds three keys, one of them twice.
    void merge(std::uint64_t key) {
        if (!filter().can(capability::merge)) return;
        any_filter other = runtime_twin(kind_, spec_);
        std::vector<std::uint64_t> taken;
        for (const std::uint64_t one : {key, (key + 1) % universe, (key * 7) % universe, key}) {
            if (succeeded(must(other.insert(keys_[one])))) taken.push_back(one);
        }
        const auto before = snapshot_of(filter());
        if (filter().merge(other)) {
            for (const std::uint64_t one : taken) truth_.add(one);
        } else {
            RC_ASSERT(snapshot_of(filter()) == before); // it may have grown away from its first geometry
        }
    }

    void clear() {
        must(filter().clear());
        truth_.clear();
        for (std::uint64_t key = 0; key < universe; ++key) RC_ASSERT(!filter().may_contain(keys_[key]));
    }

    void save_and_load() {
        const auto bytes = write_filter(file_);
        filter_file loaded = must(read_filter(bytes));
        RC_ASSERT(snapshot_of(loaded.filter()) == snapshot_of(filter()));
        RC_ASSERT(write_filter(loaded) == bytes);
        file_ = std::move(loaded);
    }

    const subject_kind& kind_;
    geometry spec_;
    filter_file file_;
    key_family keys_{1};
    multiset_oracle truth_{universe};
};

class random_operations : public ::testing::TestWithParam<kind_pointer> {};

INSTANTIATE_TEST_SUITE_P(kinds, random_operations, ::testing::ValuesIn(subjects_that_can(capability::insert)),
                         subject_name);

TEST_P(random_operations, never_lose_a_member_and_always_tell_the_truth) {
    const subject_kind& kind = *GetParam();
    const auto specs = spec_variants(kind, 24, 0.05);
    rc::detail::checkGTest([&] {
        const auto chosen = *rc::gen::inRange<std::size_t>(0, specs.size());
        accompanied_filter filter(kind, specs[chosen]);
        const auto steps = *random_steps();
        for (const step& next : steps) filter.take(next);
    });
}

} // namespace
} // namespace everbloom
