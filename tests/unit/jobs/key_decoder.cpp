// Key types: spellings of one key give the same bytes, and what is no key is said in a sentence.
#include "support/must.hpp"

#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/key_decoder.hpp>

#include <gtest/gtest.h>

#include <array>

namespace everbloom {
namespace {

using namespace std::string_literals;

std::string bytes_of(key_type type, std::string_view text) { return support::must(key_from_text(type, text)); }

TEST(key_decoder, text_is_its_bytes) {
    EXPECT_EQ(bytes_of(key_type::text, "0x2a"), "0x2a");
    EXPECT_EQ(bytes_of(key_type::text, ""), "");
}

TEST(key_decoder, numbers_are_eight_bytes) {
    EXPECT_EQ(bytes_of(key_type::u64, "42"), "\x2a\0\0\0\0\0\0\0"s);
    EXPECT_EQ(bytes_of(key_type::u64, "0x2A"), "\x2a\0\0\0\0\0\0\0"s);
    EXPECT_EQ(bytes_of(key_type::u64, "18446744073709551615"), std::string(8, '\xff'));
    for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "18446744073709551616", "0x", "1.0"}) {
        EXPECT_FALSE(key_from_text(key_type::u64, wrong)) << wrong;
    }
}

TEST(key_decoder, addresses_are_in_network_order) {
    EXPECT_EQ(bytes_of(key_type::ip, "10.0.0.1"), "\x0a\0\0\x01"s);
    EXPECT_EQ(bytes_of(key_type::ip, "::1"), "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"s);
    EXPECT_EQ(bytes_of(key_type::ip, "0:0:0:0:0:0:0:1"), bytes_of(key_type::ip, "::1"));
    for (const std::string& wrong : {""s, "10.0.0"s, "10.0.0.256"s, "::1\0"s, std::string(100, '1')}) {
        EXPECT_FALSE(key_from_text(key_type::ip, wrong)) << wrong;
    }
}

TEST(key_decoder, digits_are_pairs) {
    EXPECT_EQ(bytes_of(key_type::hex, "ff00"), "\xff\0"s);
    EXPECT_EQ(bytes_of(key_type::hex, "FF00"), "\xff\0"s);
    EXPECT_EQ(bytes_of(key_type::hex, ""), "");
    EXPECT_FALSE(key_from_text(key_type::hex, "f"));
    EXPECT_FALSE(key_from_text(key_type::hex, "fg"));
}

TEST(key_decoder, domains_are_in_lower_case_without_the_last_dot) {
    EXPECT_EQ(bytes_of(key_type::domain, "Example.COM."), "example.com");
    EXPECT_EQ(bytes_of(key_type::domain, "_dmarc.x-1.example"), "_dmarc.x-1.example");
    EXPECT_EQ(bytes_of(key_type::domain, std::string(63, 'a') + ".b").size(), 65U);
    for (const std::string& wrong : {""s, "."s, "a..b"s, ".a"s, "a b"s, "m\xc3\xbc.de"s, "a\0b"s, std::string(64, 'a'),
                                     std::string(60, 'a') + "." + std::string(60, 'a') + "." + std::string(60, 'a') +
                                         "." + std::string(60, 'a') + "." + std::string(60, 'a')}) {
        EXPECT_FALSE(key_from_text(key_type::domain, wrong)) << wrong;
    }
}

TEST(key_decoder, networks_are_an_address_and_a_length) {
    EXPECT_EQ(bytes_of(key_type::cidr, "10.0.0.0/8"), "\x0a\0\0\0\x08"s);
    EXPECT_EQ(bytes_of(key_type::cidr, "10.0.0.1"), bytes_of(key_type::cidr, "10.0.0.1/32"));
    EXPECT_EQ(bytes_of(key_type::cidr, "0.0.0.0/0"), "\0\0\0\0\0"s);
    EXPECT_EQ(bytes_of(key_type::cidr, "2001:db8::/32"), "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\0\x20"s);
    for (const std::string& wrong : {""s, "/8"s, "10.0.0.0/"s, "10.0.0.0/33"s, "10.0.0.0/-1"s, "10.0.0.0/8 "s,
                                     "::/129"s, "10.0.0.1/8"s, "10.0.0.0/08x"s}) {
        EXPECT_FALSE(key_from_text(key_type::cidr, wrong)) << wrong;
    }
    EXPECT_EQ(malformed_key(key_type::cidr, "10.1.0.0/8").sentence,
              "'10.1.0.0/8' is not a network: it has bits behind its prefix (key type cidr); did you mean 10.0.0.0/8?");
}

TEST(key_decoder, takes_batches_up_to_the_first_malformed_key) {
    key_decoder decoder(key_type::u64);
    const std::array<std::string_view, 4> texts{"1", "0x2", "three", "4"};
    std::array<std::string_view, 4> bytes;
    EXPECT_EQ(decoder.decode(texts, bytes), 2U);
    EXPECT_EQ(bytes[0], "\x01\0\0\0\0\0\0\0"s);
    EXPECT_EQ(bytes[1], "\x02\0\0\0\0\0\0\0"s);
}

TEST(key_decoder, names_the_option_of_the_caller) {
    EXPECT_EQ(malformed_key(key_type::ip, "x\n").sentence, "'x\\x0a' is not an IPv4 or IPv6 address (key type ip)");
    EXPECT_EQ(malformed_key(key_type::hex, "x", "--key-type").sentence,
              "'x' is not pairs of hexadecimal digits (--key-type hex)");
}

TEST(key_types, have_names) {
    for (const std::string_view name : key_type_names) EXPECT_EQ(name_of(support::must(key_type_named(name))), name);
    EXPECT_EQ(key_type_named("int").error().sentence,
              "unknown type 'int'; known types: text, u64, ip, hex, domain, cidr");
}

struct spelling {
    key_type type;
    std::string_view text;
    std::string_view canonical;
};

TEST(canonical_key, is_one_spelling_for_all) {
    constexpr spelling examples[] = {
        {key_type::text, "0x2A", "0x2A"},
        {key_type::u64, "0x2A", "42"},
        {key_type::u64, "042", "42"},
        {key_type::ip, "0:0::1", "::1"},
        {key_type::ip, "10.0.0.1", "10.0.0.1"},
        {key_type::hex, "Ff00", "ff00"},
        {key_type::hex, "", ""},
        {key_type::ip, "::FFFF", "::ffff"},
        {key_type::domain, "A.b.", "a.b"},
        {key_type::cidr, "::1/128", "::1"},
        {key_type::cidr, "10.0.0.0/8", "10.0.0.0/8"},
    };
    for (const spelling& one : examples) {
        canonical_key canonical(one.type);
        EXPECT_EQ(canonical(one.text), one.canonical);
        EXPECT_EQ(canonical(one.canonical), one.canonical);
        EXPECT_EQ(bytes_of(one.type, one.text), bytes_of(one.type, one.canonical));
    }
    EXPECT_FALSE(canonical_key(key_type::u64)("x"));
}

} // namespace
} // namespace everbloom
