// What the tests of the C interface share: filters that free themselves, keys, and a case for every kind.
#pragma once

#include <everbloom.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace everbloom::capi_tests {

struct free_filter {
    void operator()(eb_filter* filter) const noexcept { eb_free(filter); }
};
using handle = std::unique_ptr<eb_filter, free_filter>;

using file_bytes = std::vector<std::uint8_t>;

/// The key of hash_key::from_seed(1).
inline constexpr std::array<std::uint8_t, 16> seed_one{1};

inline constexpr std::uint64_t capacity = 200;

/// Kind, capacity, FPR of 1 % and a known hash key. The name of the kind must outlive the options.
inline eb_options options_for(const char* kind, int key_type = EB_KEYS_TEXT) {
    eb_options made = EB_OPTIONS_INIT;
    made.capacity = capacity;
    made.fpr = 0.01;
    made.kind = kind;
    made.hash_key = seed_one.data();
    made.key_type = key_type;
    return made;
}

inline eb_options options_for(const std::string& kind, int key_type = EB_KEYS_TEXT) {
    return options_for(kind.c_str(), key_type);
}
eb_options options_for(std::string&& kind, int key_type = EB_KEYS_TEXT) = delete;

/// What it needs throws, because a test without it makes no sense.
inline handle made_with(const eb_options& options) {
    eb_error error{};
    handle made(eb_make(&options, &error));
    if (!made) throw std::runtime_error(error.sentence);
    return made;
}
inline handle empty_filter(const std::string& kind, int key_type = EB_KEYS_TEXT) {
    return made_with(options_for(kind, key_type));
}

/// "name 0", "name 1" and so on, with the pointers that eb_text_keys takes.
class names {
public:
    explicit names(std::uint64_t count, const std::string& prefix = "name ") {
        for (std::uint64_t i = 0; i < count; ++i) words.push_back(prefix + std::to_string(i));
        for (const std::string& one : words) pointers.push_back(one.c_str());
    }
    names(const names&) = delete;
    names& operator=(const names&) = delete;
    [[nodiscard]] eb_keys keys() const { return eb_text_keys(pointers.data(), pointers.size()); }

    std::vector<std::string> words;
    std::vector<const char*> pointers;
};

inline handle clone_of(const handle& filter) {
    eb_error error{};
    handle made(eb_clone(filter.get(), &error));
    if (!made) throw std::runtime_error(error.sentence);
    return made;
}

inline handle filled(const std::string& kind, std::uint64_t count = 100) {
    handle made = empty_filter(kind);
    const names some(count);
    const eb_keys keys = some.keys();
    eb_error error{};
    if (eb_insert(made.get(), &keys, nullptr, &error) < 0) throw std::runtime_error(error.sentence);
    return made;
}

inline file_bytes bytes_of(const eb_filter* filter) {
    eb_error error{};
    const std::int64_t size = eb_saved_bytes(filter, &error);
    if (size < 0) throw std::runtime_error(error.sentence);
    file_bytes made(static_cast<std::size_t>(size));
    if (eb_write_memory(filter, made.data(), made.size(), &error) != size) throw std::runtime_error(error.sentence);
    return made;
}

/// The document that `write(buffer, size)` makes.
template <class Write>
nlohmann::json document(Write write) {
    const std::int64_t length = write(nullptr, 0);
    if (length < 0) throw std::runtime_error("no document");
    std::string text(static_cast<std::size_t>(length) + 1, 'x');
    EXPECT_EQ(write(text.data(), text.size()), length);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return nlohmann::json::parse(text);
}

inline nlohmann::json all_kinds() {
    return document([](char* buffer, std::size_t size) { return eb_kinds(buffer, size, nullptr); });
}

/// Those that take keys one by one.
inline std::vector<std::string> kind_names() {
    std::vector<std::string> made;
    for (const auto& kind : all_kinds()) {
        const auto& can = kind["capabilities"];
        if (std::find(can.begin(), can.end(), "insert") != can.end()) made.push_back(kind["name"]);
    }
    return made;
}

class for_every_kind : public ::testing::TestWithParam<std::string> {};

inline bool can(const handle& filter, std::uint32_t capability) {
    return (eb_capabilities(filter.get()) & capability) != 0;
}

inline void expect_members(const handle& filter, std::uint64_t count) {
    const names some(count);
    const eb_keys keys = some.keys();
    EXPECT_EQ(eb_query(filter.get(), &keys, nullptr, nullptr), static_cast<std::int64_t>(count));
}

} // namespace everbloom::capi_tests
