// The C interface without memory: every allocation of every operation is refused in turn, once alone and once with all that follow, for
// every kind. No exception crosses, the code says "out of memory", no member is lost, and what failed has changed nothing.
#include "capi/handles.hpp"
#include "hostile/failing_new.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>

namespace everbloom::capi_tests {
namespace {

using hostile::failing_new;
using hostile::more_than_any_needs;
using hostile::refusal;

struct operation {
    const char* name;
    std::function<int()> work; // a code, positive or negative
    bool keeps_going = false;  // refuses single keys instead of failing
};

/// A tape of a fixed length: a sink and a source that allocate nothing.
struct fixed_tape {
    file_bytes bytes;
    std::size_t next = 0;
};
int put(void* context, const void* bytes, std::size_t size) {
    auto& into = *static_cast<fixed_tape*>(context);
    if (size > into.bytes.size() - into.next) return 1;
    std::memcpy(into.bytes.data() + into.next, bytes, size);
    into.next += size;
    return 0;
}
int get(void* context, void* bytes, std::size_t size) {
    auto& from = *static_cast<fixed_tape*>(context);
    if (size > from.bytes.size() - from.next) return 1;
    std::memcpy(bytes, from.bytes.data() + from.next, size);
    from.next += size;
    return 0;
}

int as_code(std::int64_t number) { return number < 0 ? static_cast<int>(-number) : EB_OK; }

class exhausted_memory : public for_every_kind {
protected:
    exhausted_memory() {
        EXPECT_EQ(eb_save(original.get(), path.c_str(), nullptr), EB_OK);
        tape.bytes = bytes_of(original.get());
        room.resize(1 << 20);
        options.capacity = 100;
    }

    /// NULL is a failure, whose code is in the error.
    int as_code(eb_filter* made) {
        const handle owned(made);
        return made == nullptr ? error.code : EB_OK;
    }

    std::vector<operation> operations() {
        using capi_tests::as_code;
        return {
            {"make", [&] { return this->as_code(eb_make(&options, &error)); }},
            {"clone", [&] { return this->as_code(eb_clone(original.get(), &error)); }},
            {"export", [&] { return this->as_code(eb_export(original.get(), 0.05, &error)); }},
            {"export as quotient",
             [&] { return this->as_code(eb_export_as(original.get(), 0.05, "quotient", &error)); }},
            {"open", [&] { return this->as_code(eb_open(path.c_str(), &error)); }},
            {"map", [&] { return this->as_code(eb_map(path.c_str(), 0, &error)); }},
            {"map header", [&] { return this->as_code(eb_map(path.c_str(), EB_MAP_HEADER_ONLY, &error)); }},
            {"save", [&] { return eb_save(original.get(), path.c_str(), &error); }},
            {"read memory",
             [&] { return this->as_code(eb_read_memory(tape.bytes.data(), tape.bytes.size(), &error)); }},
            {"write memory", [&] { return as_code(eb_write_memory(changed.get(), room.data(), room.size(), &error)); }},
            {"saved bytes", [&] { return as_code(eb_saved_bytes(changed.get(), &error)); }},
            {"sink",
             [&] {
                 tape.next = 0;
                 return eb_write(original.get(), put, &tape, &error);
             }},
            {"source",
             [&] {
                 tape.next = 0;
                 return this->as_code(eb_read(get, &tape, tape.bytes.size(), &error));
             }},
            {"merge", [&] { return eb_merge(changed.get(), other.get(), &error); }},
            {"intersect", [&] { return eb_intersect(changed.get(), other.get(), &error); }},
            {"resize", [&] { return eb_resize(changed.get(), &larger, &error); }},
            {"clear", [&] { return eb_clear(changed.get(), &error); }},
            {"exclude", [&] { return eb_exclude(changed.get(), &negatives, nullptr, &error); }},
            {"protect", [&] { return eb_protect(changed.get(), &members, &negatives, 0, nullptr, &error); }},
            {"sync", [&] { return eb_sync(changed.get(), &members, &next_list, 0, nullptr, &error); }},
            {"insert", [&] { return as_code(eb_insert(changed.get(), &new_keys, nullptr, &error)); }, true},
            {"insert new", [&] { return as_code(eb_insert_new(changed.get(), &new_keys, nullptr, &error)); }, true},
            {"erase", [&] { return as_code(eb_erase(changed.get(), &few_members, nullptr, &error)); }, true},
            {"erase members", [&] { return as_code(eb_erase_members(changed.get(), &few_members, &error)); }, true},
            {"can erase", [&] { return as_code(eb_can_erase(changed.get(), &members, nullptr, &error)); }},
            {"query", [&] { return as_code(eb_query(changed.get(), &members, nullptr, &error)); }},
            {"verified", [&] { return as_code(eb_query_verified(changed.get(), &members, nullptr, &error)); }},
            {"count", [&] { return as_code(eb_count(changed.get(), &members, nullptr, &error)); }},
            {"key count", [&] { return as_code(eb_key_count(changed.get(), &error)); }},
            {"fpr", [&] { return as_code(static_cast<std::int64_t>(eb_current_fpr(changed.get(), &error))); }},
            {"identity", [&] { return eb_identity(changed.get(), &identity, &error); }},
            {"equal", [&] { return as_code(eb_equal(changed.get(), other.get(), &error)); }},
            {"stats", [&] { return as_code(eb_stats(changed.get(), room.data(), room.size(), &error)); }},
            {"describe", [&] { return as_code(eb_describe(changed.get(), room.data(), room.size(), &error)); }},
            {"census", [&] { return as_code(eb_census(changed.get(), 8, 8, room.data(), room.size(), &error)); }},
            {"cells",
             [&] { return as_code(eb_cells(changed.get(), 0, some_cells.size(), some_cells.data(), &error)); }},
            {"read dcso", [&] { return this->as_code(eb_read_dcso(dcso.data(), sizeof dcso, &error)); }},
            {"model", [&] { return as_code(eb_model(model.c_str(), room.data(), room.size(), &error)); }},
            {"simulate", [&] { return as_code(eb_simulate(simulation.c_str(), room.data(), room.size(), &error)); }},
        };
    }

    void expect_nobody_lost() const { EXPECT_EQ(eb_query(changed.get(), &members, nullptr, nullptr), 100); }

    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    eb_error error{};
    eb_options options = options_for(GetParam());
    const handle original = filled(GetParam());
    const handle other = filled(GetParam(), 120);
    handle changed = clone_of(original);
    std::array<std::uint64_t, 16> some_cells{};
    // A .bloom file of 96 bits: flags, n, p, k, m, N, then two words.
    const std::array<std::uint64_t, 8> dcso{1, 10, std::bit_cast<std::uint64_t>(0.01), 7, 96, 0, 5, 0};
    const names old_names{100};
    const names some_names{10};
    const names new_names{60, "new "};
    const names next_names{110};
    const names strangers{300, "stranger "};
    const eb_keys members = old_names.keys();
    const eb_keys few_members = some_names.keys();
    const eb_keys new_keys = new_names.keys();
    const eb_keys next_list = next_names.keys();
    const eb_keys negatives = strangers.keys();
    eb_resize_options larger = {sizeof(eb_resize_options), 400, 0, 0};
    fixed_tape tape;
    std::vector<char> room;
    std::uint64_t identity = 0;
    const std::string model = R"({"kind": ")" + GetParam() + R"(", "capacity": 100, "fpr": "1%"})";
    const std::string simulation = R"({"kind": ")" + GetParam() + R"(", "capacity": 50, "trials": 2, "queries": 100})";
};
INSTANTIATE_TEST_SUITE_P(kinds, exhausted_memory, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

TEST_P(exhausted_memory, operations_fail_in_words_and_change_nothing) {
    const file_bytes file_before = tape.bytes;
    for (const operation& one : operations()) {
        SCOPED_TRACE(one.name);
        changed = clone_of(original);
        const int usual = one.work(); // also what it cannot do has to be said without memory
        std::uint64_t refused = 0;
        for (const refusal how : {refusal::once, refusal::from_then_on}) {
            // All of the first forty allocations, and some of the later ones; a night has time for each.
            const std::uint64_t later = support::rounds(1) > 1 ? more_than_any_needs : 40;
            for (std::uint64_t number = 1; number < more_than_any_needs; number += 1 + number / later) {
                changed = clone_of(original);
                bool happened = false;
                int code = 0;
                error = {};
                {
                    const failing_new refusing(number, how);
                    code = one.work();
                    happened = refusing.happened();
                }
                if (!happened) {
                    ASSERT_EQ(code, usual) << error.sentence;
                    break;
                }
                ++refused;
                if (code != usual) {
                    ASSERT_EQ(code, EB_OUT_OF_MEMORY) << "allocation " << number << ": " << error.sentence;
                    ASSERT_NE(error.sentence[0], '\0');
                    if (one.keeps_going) {
                        expect_nobody_lost();
                    } else {
                        ASSERT_EQ(eb_equal(changed.get(), original.get(), nullptr), 1) << "allocation " << number;
                    }
                    const handle stored(eb_open(path.c_str(), nullptr));
                    ASSERT_EQ(eb_equal(stored.get(), original.get(), nullptr), 1) << "a failure has changed the file";
                } else if (one.keeps_going && usual == EB_OK) {
                    // Keys that were taken are in it, keys that were removed are those that were meant.
                    const names rest(90);
                    eb_keys others = members;
                    others.data = old_names.pointers.data() + 10;
                    others.count = 90;
                    ASSERT_EQ(eb_query(changed.get(), &others, nullptr, nullptr), 90) << "allocation " << number;
                }
                if (HasFailure()) FAIL() << "allocation " << number;
            }
        }
        // Whatever makes something needs memory for it.
        if (std::strcmp(one.name, "make") == 0 || std::strcmp(one.name, "stats") == 0) {
            EXPECT_GT(refused, 0u);
        }
    }
    EXPECT_EQ(bytes_of(original.get()), file_before);
}

TEST_P(exhausted_memory, single_keys_are_taken_whole_or_not_at_all) {
    const handle growing = empty_filter(GetParam());
    std::vector<std::string> taken;
    for (int i = 0; i < 600; ++i) {
        const std::string key = "key " + std::to_string(i);
        int outcome = 0;
        {
            const failing_new refusing(i % 3 == 0 ? 1 : more_than_any_needs, refusal::from_then_on);
            outcome = eb_insert_bytes(growing.get(), key.data(), key.size());
        }
        ASSERT_GE(outcome, 0);
        if (outcome <= EB_INSERTED_UNPROTECTED) taken.push_back(key);
    }
    EXPECT_GE(taken.size(), 100u);
    for (const std::string& key : taken) ASSERT_EQ(eb_query_bytes(growing.get(), key.data(), key.size()), 1) << key;
    const file_bytes bytes = bytes_of(growing.get());
    const handle back(eb_read_memory(bytes.data(), bytes.size(), &error));
    ASSERT_TRUE(back) << error.sentence;
    EXPECT_EQ(eb_equal(back.get(), growing.get(), nullptr), 1);
}

TEST(exhausted_memory, planning_and_listing_fail_in_words) {
    std::vector<char> room(1 << 20);
    eb_error error{};
    const std::vector<std::function<std::int64_t()>> documents{
        [&] { return eb_plan(R"({"capacity": 1000, "fpr": 0.01, "removed": 0.1})", room.data(), room.size(), &error); },
        [&] { return eb_kinds(room.data(), room.size(), &error); },
    };
    for (const auto& write : documents) {
        ASSERT_GT(write(), 0);
        for (const refusal how : {refusal::once, refusal::from_then_on}) {
            for (std::uint64_t number = 1; number < more_than_any_needs; number += 1 + number / 8) {
                bool happened = false;
                std::int64_t length = 0;
                {
                    const failing_new refusing(number, how);
                    length = write();
                    happened = refusing.happened();
                }
                if (!happened) {
                    EXPECT_GT(length, 0);
                    break;
                }
                ASSERT_TRUE(length > 0 || length == -EB_OUT_OF_MEMORY) << length << error.sentence;
            }
        }
    }
}

} // namespace
} // namespace everbloom::capi_tests
