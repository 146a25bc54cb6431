// The note about prefix lengths: it is believed only for the very filter that it was written for.
#include "support/must.hpp"

#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

filter_file empty_file(key_type type) {
    filter_file file;
    file.handle =
        keyed(support::must(build({"counting", 100, 0.01, {}})), any_hasher(hash_id::siphash, hash_key::from_seed(1)));
    file.keys = type;
    return file;
}

TEST(network, widens_bit_by_bit) {
    const network one = parse_network("255.255.255.255").value();
    EXPECT_EQ(one.widened(0).spelled(), "0.0.0.0/0");
    EXPECT_EQ(one.widened(9).spelled(), "255.128.0.0/9");
    EXPECT_EQ(one.widened(32).spelled(), "255.255.255.255");
    const network six = parse_network("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff").value();
    EXPECT_EQ(six.widened(17).spelled(), "ffff:8000::/17");
    for (unsigned length = 0; length <= 128; ++length) {
        char key[network::most_bytes];
        const network made = six.widened(length);
        EXPECT_FALSE(made.has_host_bits());
        EXPECT_EQ(network_of_key({key, made.write(key)})->spelled(), made.spelled());
        EXPECT_EQ(parse_network(made.spelled())->prefix, length);
    }
}

TEST(prefix_lengths, are_noted_for_one_filter) {
    filter_file file = empty_file(key_type::cidr);
    EXPECT_TRUE(lengths_in(file).is_everything());
    prefix_lengths used;
    used.add(parse_network("10.0.0.0/8").value());
    used.add(parse_network("::/0").value());
    note_lengths(file, used);
    EXPECT_EQ(lengths_in(file).text(), "IPv4 /8, IPv6 /0");
    // The note survives a file, and is out of date after a change by whatever program.
    auto back = support::must(read_filter(write_filter(file)));
    EXPECT_EQ(lengths_in(back).text(), "IPv4 /8, IPv6 /0");
    ASSERT_TRUE(back.handle.insert(std::string_view(support::must(key_from_text(key_type::cidr, "1.0.0.0/9")))));
    EXPECT_TRUE(lengths_in(back).is_everything());
}

TEST(prefix_lengths, leave_other_attachments_and_other_key_types_alone) {
    filter_file file = empty_file(key_type::cidr);
    file.attached = std::vector<std::byte>(3, std::byte{7});
    note_lengths(file, {});
    EXPECT_EQ(file.attached, std::vector<std::byte>(3, std::byte{7}));
    filter_file text = empty_file(key_type::text);
    note_lengths(text, {});
    EXPECT_TRUE(text.attached.empty());
}

} // namespace
} // namespace everbloom
