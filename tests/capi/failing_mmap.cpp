// The system refuses large memory and mappings: mmap and mremap of this program fail when told to. Filters of some megabytes come from
// there, and so do mapped files. Not under the sanitizers, which need these calls for themselves.
#include "capi/handles.hpp"
#include "support/temporary_directory.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <functional>

namespace everbloom::capi_tests {
namespace {

thread_local std::uint64_t mappings_allowed = UINT64_MAX;
thread_local bool refused_one = false;

bool may_map() noexcept {
    if (mappings_allowed == UINT64_MAX) return true;
    if (mappings_allowed > 0) {
        --mappings_allowed;
        return true;
    }
    refused_one = true;
    errno = ENOMEM;
    return false;
}

class failing_mmap {
public:
    explicit failing_mmap(std::uint64_t allowed) noexcept {
        refused_one = false;
        mappings_allowed = allowed;
    }
    failing_mmap(const failing_mmap&) = delete;
    failing_mmap& operator=(const failing_mmap&) = delete;
    ~failing_mmap() { mappings_allowed = UINT64_MAX; }
    [[nodiscard]] bool happened() const noexcept { return refused_one; }
};

} // namespace
} // namespace everbloom::capi_tests

extern "C" void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    using function = void* (*)(void*, std::size_t, int, int, int, off_t);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "mmap"));
    if (!everbloom::capi_tests::may_map()) return MAP_FAILED;
    return real(address, bytes, protection, flags, file, offset);
}
extern "C" void* mremap(void* address, std::size_t old_bytes, std::size_t bytes, int flags, ...) noexcept {
    using function = void* (*)(void*, std::size_t, std::size_t, int, ...);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "mremap"));
    if (!everbloom::capi_tests::may_map()) return MAP_FAILED;
    return real(address, old_bytes, bytes, flags);
}

namespace everbloom::capi_tests {
namespace {

class failing_mappings : public for_every_kind {
protected:
    [[nodiscard]] handle large_filter() const {
        eb_options options = options_for(GetParam(), EB_KEYS_U64);
        options.capacity = 4'000'000;
        const handle made = made_with(options);
        for (std::uint64_t i = 0; i < 1000; ++i) eb_insert_u64(made.get(), i);
        return clone_of(made);
    }
};
INSTANTIATE_TEST_SUITE_P(kinds, failing_mappings, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

TEST_P(failing_mappings, of_large_filters_are_out_of_memory) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    const handle original = large_filter();
    ASSERT_EQ(eb_save(original.get(), path.c_str(), nullptr), EB_OK);
    const file_bytes bytes = bytes_of(original.get());
    eb_options options = options_for(GetParam(), EB_KEYS_U64);
    options.capacity = 4'000'000;
    eb_error error{};
    const std::vector<std::pair<const char*, std::function<eb_filter*()>>> makers{
        {"make", [&] { return eb_make(&options, &error); }},
        {"clone", [&] { return eb_clone(original.get(), &error); }},
        {"open", [&] { return eb_open(path.c_str(), &error); }},
        {"read", [&] { return eb_read_memory(bytes.data(), bytes.size(), &error); }},
        {"map", [&] { return eb_map(path.c_str(), 0, &error); }},
    };
    for (const auto& [name, make] : makers) {
        SCOPED_TRACE(name);
        for (std::uint64_t allowed = 0; allowed < 64; ++allowed) {
            bool happened = false;
            handle made;
            {
                const failing_mmap failing(allowed);
                made.reset(make());
                happened = failing.happened();
            }
            if (!happened) {
                ASSERT_TRUE(made) << error.sentence;
                EXPECT_GT(allowed, 0u) << "this needs memory from the system";
                break;
            }
            if (made) continue; // another way to the same memory
            const bool mapped = std::string_view(name) == "map";
            EXPECT_EQ(error.code, mapped ? EB_INPUT_OUTPUT : EB_OUT_OF_MEMORY) << error.sentence;
        }
    }
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(eb_query_u64(original.get(), i), 1);
}

TEST_P(failing_mappings, of_a_growing_filter_refuse_keys_and_lose_none) {
    eb_options options = options_for(GetParam(), EB_KEYS_U64);
    options.capacity = 100'000;
    const handle growing = made_with(options);
    std::vector<std::uint64_t> numbers(600'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    const eb_keys keys = eb_u64_keys(numbers.data(), numbers.size());
    std::vector<std::uint8_t> outcomes(numbers.size());
    eb_error error{};
    {
        const failing_mmap failing(1);
        ASSERT_GT(eb_insert(growing.get(), &keys, outcomes.data(), &error), 90'000) << error.sentence;
    }
    std::vector<std::uint8_t> answers(numbers.size());
    ASSERT_GT(eb_query(growing.get(), &keys, answers.data(), &error), 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (outcomes[i] > EB_INSERTED_UNPROTECTED) continue;
        ASSERT_EQ(answers[i], 1) << i;
    }
}

} // namespace
} // namespace everbloom::capi_tests
