#include "filter_facts.hpp"

#include <array>
#include <cstring>

namespace everbloom::redis {
namespace {

constexpr std::array<char, 8> magic{'e', 'b', 'r', 'e', 'd', 'i', 's', '1'};
constexpr std::size_t numbers = 7;
/// As many decades as a capacity can be; sums of capacities then never overflow.
constexpr std::uint64_t most_capacity = std::uint64_t{1} << 48;

} // namespace

std::vector<std::byte> filter_facts::bytes() const {
    const std::array<std::uint64_t, numbers> all{
        static_cast<std::uint64_t>(family), capacity, expansion, bucket_keys, most_moves, deleted, deletable ? 1U : 0U};
    std::vector<std::byte> made(magic.size() + numbers * sizeof(std::uint64_t));
    std::memcpy(made.data(), magic.data(), magic.size());
    std::byte* into = made.data() + magic.size();
    for (const std::uint64_t number : all) {
        for (unsigned i = 0; i < 8; ++i) *into++ = static_cast<std::byte>(number >> (8 * i));
    }
    return made;
}

std::optional<filter_facts> filter_facts::from(std::span<const std::byte> bytes) {
    if (bytes.size() != magic.size() + numbers * sizeof(std::uint64_t)) return std::nullopt;
    if (std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) return std::nullopt;
    std::array<std::uint64_t, numbers> all{};
    const std::byte* next = bytes.data() + magic.size();
    for (std::uint64_t& number : all) {
        for (unsigned i = 0; i < 8; ++i) number |= static_cast<std::uint64_t>(*next++) << (8 * i);
    }
    if (all[0] > static_cast<std::uint64_t>(command_family::cuckoo) || all[1] > most_capacity || all[6] > 1)
        return std::nullopt;
    return filter_facts{static_cast<command_family>(all[0]), all[1], all[2], all[3], all[4], all[5], all[6] == 1};
}

std::string_view name_of(command_family family) noexcept {
    switch (family) {
    case command_family::plain: return "EB";
    case command_family::bloom: return "BF";
    case command_family::cuckoo: return "CF";
    }
    return "?";
}

} // namespace everbloom::redis
