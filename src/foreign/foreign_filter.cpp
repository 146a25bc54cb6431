#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/foreign/foreign_filter.hpp>

#include <algorithm>
#include <array>

namespace everbloom {
namespace {

template <class Format>
result<foreign_filter> wrapped(result<Format> read) {
    if (!read) return fail(std::move(read.error()));
    return foreign_filter(std::move(*read));
}

bool begins_as_dcso(std::span<const std::byte> start) {
    std::array<std::byte, dcso_header::bytes> header{};
    if (start.size() < header.size()) return false;
    std::copy_n(start.begin(), header.size(), header.begin());
    return dcso_header::parse(header).check().has_value();
}

} // namespace

foreign_filter::foreign_filter(any_format filter) noexcept : filter_(std::move(filter)) {}
foreign_filter::foreign_filter(foreign_filter&&) noexcept = default;
foreign_filter& foreign_filter::operator=(foreign_filter&&) noexcept = default;
foreign_filter::~foreign_filter() = default;

std::string_view name_of(foreign_format format) noexcept {
    switch (format) {
    case foreign_format::dcso: return "bloom";
    case foreign_format::guava: return "guava";
    case foreign_format::parquet: return "parquet";
    case foreign_format::redisbloom: return "redisbloom";
    case foreign_format::parquet_bitset: return "parquet-bitset";
    }
    return "";
}

std::optional<foreign_format> foreign_format_named(std::string_view name) noexcept {
    for (const foreign_format one : known_foreign_formats) {
        if (name_of(one) == name) return one;
    }
    return std::nullopt;
}

std::string_view words_of(foreign_format format) noexcept {
    switch (format) {
    case foreign_format::dcso: return "a .bloom file of DCSO";
    case foreign_format::guava: return "a Bloom filter of Guava";
    case foreign_format::parquet: return "a Parquet Bloom filter";
    case foreign_format::redisbloom: return "a RedisBloom dump";
    case foreign_format::parquet_bitset: return "the bits of a Parquet Bloom filter";
    }
    return "";
}

std::optional<foreign_guess> guess_foreign(std::span<const std::byte> start) {
    if (begins_as_dcso(start)) return foreign_guess{foreign_format::dcso, std::nullopt, true};
    if (const auto bytes = parquet_bloom::file_bytes(start)) {
        return foreign_guess{foreign_format::parquet, *bytes, true};
    }
    if (const auto bytes = redisbloom_dump::file_bytes(start)) {
        return foreign_guess{foreign_format::redisbloom, *bytes, true};
    }
    if (const auto bytes = guava_file::file_bytes(start)) return foreign_guess{foreign_format::guava, *bytes, false};
    return std::nullopt;
}

result<std::optional<std::uint64_t>> foreign_file_bytes(foreign_format format, std::span<const std::byte> start) {
    const auto stated = [](const result<std::uint64_t>& bytes) -> result<std::optional<std::uint64_t>> {
        if (!bytes) return fail(bytes.error());
        return std::optional(*bytes);
    };
    switch (format) {
    case foreign_format::guava: return stated(guava_file::file_bytes(start));
    case foreign_format::parquet: return stated(parquet_bloom::file_bytes(start));
    case foreign_format::redisbloom: return stated(redisbloom_dump::file_bytes(start));
    case foreign_format::dcso:
    case foreign_format::parquet_bitset: break;
    }
    return std::optional<std::uint64_t>();
}

result<foreign_filter> foreign_filter::read(foreign_format format, std::span<const std::byte> bytes) {
    switch (format) {
    case foreign_format::dcso: {
        auto file = read_dcso(bytes);
        if (!file) return fail(std::move(file.error()));
        return foreign_filter(dcso_bits(std::move(*file)));
    }
    case foreign_format::guava: return wrapped(guava_file::read(bytes));
    case foreign_format::parquet: return wrapped(parquet_bloom::read(bytes));
    case foreign_format::redisbloom: return wrapped(redisbloom_dump::read(bytes));
    case foreign_format::parquet_bitset: return wrapped(parquet_bloom::read_bare(bytes));
    }
    return fail(failure_reason::unsupported, "this format is unknown");
}

result<foreign_filter> foreign_filter::plan(foreign_format format, std::uint64_t items, double fpr,
                                            guava_file::strategy how) {
    switch (format) {
    case foreign_format::dcso: return wrapped(dcso_bits::plan(items, fpr));
    case foreign_format::guava: return wrapped(guava_file::plan(items, fpr, how));
    case foreign_format::parquet:
    case foreign_format::parquet_bitset: return wrapped(parquet_bloom::plan(items, fpr));
    case foreign_format::redisbloom: break;
    }
    return fail(failure_reason::unsupported, "dumps of RedisBloom are read, not made");
}

std::vector<std::byte> foreign_filter::write() const {
    return std::visit([](const auto& one) { return std::vector<std::byte>(one.write()); }, filter_);
}

std::vector<std::byte> foreign_filter::write_as(foreign_format format) const {
    if (const auto* blocks = as<parquet_bloom>(); blocks != nullptr && format == foreign_format::parquet_bitset) {
        return blocks->write_bare();
    }
    return write();
}

void foreign_filter::hash(std::span<const std::string_view> keys, std::span<digest> digests) const noexcept {
    std::visit(
        [&](const auto& one) {
            for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = one.hash(keys[i]);
        },
        filter_);
}

void foreign_filter::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    std::visit(
        [&](const auto& one) {
            for (const digest item : items) one.prefetch(item);
            for (std::size_t i = 0; i < items.size(); ++i) answers[i] = one.may_contain(items[i]) ? 1 : 0;
        },
        filter_);
}

void foreign_filter::insert(std::span<const digest> items) noexcept {
    std::visit(
        [&](auto& one) {
            if constexpr (requires { one.insert(digest{}); }) {
                for (const digest item : items) one.insert(item);
            }
        },
        filter_);
}

foreign_facts foreign_filter::facts() const {
    return std::visit([](const auto& one) { return one.facts(); }, filter_);
}

} // namespace everbloom
