#include "filters/dcso_file.hpp"

#include "frame/interruption.hpp"
#include "keys/byte_stream.hpp"
#include "keys/key_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cmath>

namespace everbloom::cli {
namespace {

// Binary, so a byte order mark means nothing in it.
constexpr reading_rules bloom_rules{.meaning = "a .bloom file",
                                    .encoding = reading_rules::text::of_any_encoding,
                                    .wanted = format_group::bloom_file,
                                    .way_out = ""};

/// Reads until the span is full or the file ends; returns the number of bytes.
result<std::size_t> fill(byte_stream& from, std::span<std::byte> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
        const auto rest = into.subspan(filled);
        const auto got = from.read({reinterpret_cast<char*>(rest.data()), rest.size()});
        if (!got) return fail(got.error());
        if (*got == 0) break;
        filled += *got;
    }
    return filled;
}

/// The result of the first pass.
struct dcso_extent {
    dcso_header header;
    std::uint64_t data_bytes = 0;
};

/// Limits for compressed files: a few bytes can expand to any number of zeros.
constexpr std::uint64_t most_decompressed_data = std::uint64_t{8} << 20;
constexpr double most_times_planned = 64;

/// The size of a Bloom filter of this capacity in bits; a few thousand more for tiny ones.
double planned_bits(const dcso_header& header) {
    constexpr double bits_per_halving = 1.4426950408889634; // 1 / ln 2
    return static_cast<double>(header.planned_items) * bits_per_halving * std::log2(1 / header.planned_fpr) + 4096;
}

result<void> check_plausible(const dcso_header& header) {
    if (static_cast<double>(header.bits) <= most_times_planned * planned_bits(header)) return {};
    return fail(not_dcso(
        fmt::format("its header says {} bits, far more than a capacity of {} keys at an FPR of {} needs; if that is "
                    "right, decompress it first",
                    header.bits, header.planned_items, header.planned_fpr)));
}

result<dcso_extent> survey(byte_stream& from) {
    std::array<std::byte, dcso_header::bytes> start{};
    const auto got = fill(from, start);
    if (!got) return fail(got.error());
    if (*got != start.size()) return fail(not_dcso(fmt::format("it ends inside its header, at byte {}", *got)));
    dcso_extent found{dcso_header::parse(start)};
    if (auto checked = found.header.check(); !checked) return fail(std::move(checked.error()));
    if (from.is_decompressed()) {
        if (auto plausible = check_plausible(found.header); !plausible) return fail(std::move(plausible.error()));
    }
    const std::uint64_t needed = 8 * found.header.words();
    std::uint64_t behind = 0;
    std::array<std::byte, 1 << 16> block;
    for (;;) {
        const auto more = fill(from, block);
        if (!more) return fail(more.error());
        if (*more == 0) break;
        behind += *more;
        if (from.is_decompressed() && behind > needed + most_decompressed_data) {
            return fail(not_dcso(fmt::format("it has more than {} MiB of attached data; if that is right, decompress "
                                             "it first",
                                             most_decompressed_data >> 20)));
        }
    }
    const auto data_bytes = found.header.data_bytes(behind);
    if (!data_bytes) return fail(data_bytes.error());
    found.data_bytes = *data_bytes;
    return found;
}

bool is_regular(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

} // namespace

bool looks_like_dcso(const std::string& path, const cancellation& cancel) {
    if (!is_regular(path)) return false;
    auto bytes = open_bytes(path, bloom_rules, cancel);
    if (!bytes) return false;
    std::array<std::byte, dcso_header::bytes> start{};
    const auto got = fill(**bytes, start);
    return got && *got == start.size() && dcso_header::parse(start).check();
}

result<dcso_file> read_dcso(const std::string& path, const cancellation& cancel) {
    auto once = open_bytes(path, bloom_rules, cancel);
    if (!once) return fail(std::move(once.error()));
    if (!is_regular(path)) {
        return fail(failure_reason::input_output,
                    display_name(path) + ": is not a regular file; a .bloom file is read twice");
    }
    const auto found = survey(**once);
    if (!found) return fail(in(path, found.error()));
    auto again = open_bytes(path, bloom_rules, cancel);
    if (!again) return fail(std::move(again.error()));
    std::array<std::byte, dcso_header::bytes> start{};
    dcso_file made = dcso_file::empty(found->header, found->data_bytes);
    const auto words = made.word_bytes();
    std::byte beyond{};
    for (const std::span<std::byte> part : {std::span<std::byte>(start), words, std::span<std::byte>(made.data)}) {
        const auto got = fill(**again, part);
        if (!got) return fail(in(path, got.error()));
        if (*got != part.size()) return fail(in(path, not_dcso("it became shorter while it was read")));
    }
    const auto rest = fill(**again, std::span(&beyond, 1));
    if (cancel.requested()) return fail(failure_reason::input_output, interruption::sentence);
    if (!rest || *rest != 0 || start != made.header.write()) {
        return fail(in(path, not_dcso("it changed while it was read")));
    }
    if (auto checked = made.check_bits(); !checked) return fail(in(path, std::move(checked.error())));
    return made;
}

} // namespace everbloom::cli
