// A filter that goes out piece by piece and comes back so, and a host that counts its memory.
#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/bits/zeroing_hook.hpp>
#include <everbloom/everbloom.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace everbloom {
namespace {

struct collecting_sink : byte_sink {
    std::vector<std::byte> bytes;
    std::size_t pieces = 0;
    std::size_t most_pieces = ~std::size_t{0};
    result<void> write(std::span<const std::byte> piece) override {
        if (++pieces > most_pieces) return fail(failure_reason::input_output, "the line is dead");
        bytes.insert(bytes.end(), piece.begin(), piece.end());
        return {};
    }
};

struct giving_source : byte_source {
    std::span<const std::byte> left;
    explicit giving_source(std::span<const std::byte> bytes) : left(bytes) {}
    result<void> read(std::span<std::byte> into) override {
        if (into.size() > left.size()) return fail(failure_reason::input_output, "no more bytes");
        std::memcpy(into.data(), left.data(), into.size());
        left = left.subspan(into.size());
        return {};
    }
};

filter<std::uint64_t> filled(const kind_info& kind) {
    filter<std::uint64_t> made(
        {.capacity = 3000, .fpr = 0.01, .kind = std::string(kind.name), .key = everbloom::hash_key{}});
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 0; i < 3000; ++i) keys.push_back(i);
    if (kind.capabilities.has(capability::build)) {
        made.build(keys);
    } else {
        made.insert(keys);
    }
    return made;
}

TEST(pieces, of_every_kind_are_the_file_and_come_back) {
    for (const kind_info& kind : known_kinds()) {
        SCOPED_TRACE(kind.name);
        auto seen = filled(kind);
        (void)seen.exclude(std::vector<std::uint64_t>{5000, 5001, 5002});
        collecting_sink sink;
        seen.write(sink);
        EXPECT_EQ(sink.bytes, seen.bytes());
        EXPECT_EQ(sink.bytes.size(), seen.saved_bytes());
        EXPECT_GT(sink.pieces, 1u);
        giving_source source(sink.bytes);
        const auto back = filter<std::uint64_t>::read(source, sink.bytes.size());
        EXPECT_TRUE(back == seen);
        EXPECT_TRUE(source.left.empty());

        giving_source cut(std::span(sink.bytes).first(sink.bytes.size() - 1));
        EXPECT_FALSE(filter<std::uint64_t>::try_read(cut, sink.bytes.size()));
        giving_source shorter(sink.bytes);
        EXPECT_FALSE(filter<std::uint64_t>::try_read(shorter, sink.bytes.size() - 64));
        collecting_sink dead;
        dead.most_pieces = 1;
        EXPECT_FALSE(seen.try_write(dead));
        auto wrong = sink.bytes;
        wrong.back() ^= std::byte{1};
        giving_source damaged(wrong);
        EXPECT_EQ(filter<std::uint64_t>::try_read(damaged, wrong.size()).error().reason, failure_reason::damaged);
    }
}

/// A host that counts, with a limit.
struct host {
    static inline std::map<void*, std::size_t> blocks;
    static inline std::size_t limit = 0;
    static std::size_t held() {
        std::size_t sum = 0;
        for (const auto& [block, bytes] : blocks) sum += bytes;
        return sum;
    }
    static void* allocate(std::size_t bytes) {
        if (held() + bytes > limit) return nullptr;
        void* const block = std::malloc(bytes);
        blocks[block] = bytes;
        return block;
    }
    static void release(void* block) {
        EXPECT_EQ(blocks.erase(block), 1u) << "not a block of this host";
        std::free(block);
    }
};

TEST(memory_hook, sees_all_cells_of_every_kind_and_memory_bytes_is_what_it_sees) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        SCOPED_TRACE(kind.name);
        const auto before = filled(kind); // from the system, freed while the hook is set
        host::limit = std::size_t{1} << 30;
        set_memory_hook({&host::allocate, &host::release});
        {
            filter<std::uint64_t> seen(
                {.capacity = 500, .fpr = 0.01, .kind = std::string(kind.name), .overfill = true});
            for (std::uint64_t i = 0; i < 3000; ++i) {
                seen.insert(i);
                if (i % 7 != 0) continue;
                // A block may have a line more, for its alignment.
                const std::size_t held = host::held();
                ASSERT_GE(seen.memory_bytes(), (held - 64 * host::blocks.size()) * 9 / 10) << i;
                constexpr std::size_t addresses = 128; // of the units of a quotient filter, which are in other memory
                ASSERT_LE(seen.memory_bytes(), held + addresses) << i;
            }
            for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_TRUE(kind.may_refuse_keys || seen.may_contain(i));
            auto other = before;
            EXPECT_TRUE(other == before);
        }
        EXPECT_TRUE(host::blocks.empty());
        host::limit = 1000;
        const auto refused = filter<std::uint64_t>::try_make({.capacity = 100'000, .kind = std::string(kind.name)});
        EXPECT_TRUE(!refused || refused->memory_bytes() < 1000);
        set_memory_hook({});
    }
}

/// Gives zeros, as calloc, and sometimes not at the start of a cache line.
std::size_t zeroed_blocks = 0;
void* allocate_zeros(std::size_t bytes) {
    void* const block = host::allocate(bytes);
    if (block != nullptr) std::memset(block, 0, bytes);
    ++zeroed_blocks;
    return block;
}
/// Memory of the host that is anything but zero.
void* allocate_dirty(std::size_t bytes) {
    void* const block = host::allocate(bytes);
    if (block != nullptr) std::memset(block, 0xa5, bytes);
    return block;
}

TEST(memory_hook, a_filter_of_zeroed_memory_is_the_same_and_goes_back_to_the_host) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        SCOPED_TRACE(kind.name);
        const auto plain = filled(kind);
        host::limit = std::size_t{1} << 30;
        for (const bool with_zeros : {false, true}) {
            set_memory_hook({&allocate_dirty, &host::release});
            set_zeroing_hook(with_zeros ? &allocate_zeros : nullptr);
            zeroed_blocks = 0;
            {
                const auto hosted = filled(kind);
                EXPECT_TRUE(hosted == plain);
            }
            EXPECT_TRUE(host::blocks.empty());
            EXPECT_TRUE(with_zeros || zeroed_blocks == 0);
            EXPECT_TRUE(!with_zeros || kind.name != "blocked" || zeroed_blocks != 0);
            // A host that refuses.
            host::limit = 1000;
            const auto refused = filter<std::uint64_t>::try_make({.capacity = 100'000, .kind = std::string(kind.name)});
            EXPECT_TRUE(!refused || refused->memory_bytes() < 1000);
            host::limit = std::size_t{1} << 30;
        }
        set_zeroing_hook(nullptr);
        set_memory_hook({});
    }
}

TEST(memory_hook, a_host_that_refuses_loses_no_key) {
    set_memory_hook({&host::allocate, &host::release});
    host::limit = 40'000;
    {
        filter<std::uint64_t, elastic_blocked> seen({.capacity = 1000});
        std::vector<std::uint64_t> taken;
        bool refused = false;
        for (std::uint64_t i = 0; i < 20'000; ++i) {
            const insert_outcome outcome = seen.insert(i);
            if (succeeded(outcome)) taken.push_back(i);
            refused |= outcome == insert_outcome::growth_refused;
        }
        EXPECT_TRUE(refused);
        EXPECT_GE(taken.size(), 1000u);
        for (const std::uint64_t key : taken) ASSERT_TRUE(seen.may_contain(key));
    }
    EXPECT_TRUE(host::blocks.empty());
    set_memory_hook({});
}

} // namespace
} // namespace everbloom
