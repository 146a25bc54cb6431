#include "filters/foreign_portrait.hpp"

#include "filters/foreign_file.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

namespace everbloom::cli {
namespace {

/// The bytes that its keys are hashed from.
std::string_view keys_of(foreign_format format) {
    switch (format) {
    case foreign_format::guava: return "text is byteArrayFunnel or stringFunnel(UTF_8), --key-type u64 is longFunnel";
    case foreign_format::parquet:
    case foreign_format::parquet_bitset: return "text is a BYTE_ARRAY column, --key-type u64 an INT64 column";
    case foreign_format::dcso:
    case foreign_format::redisbloom: break;
    }
    return "text";
}

json value_of(const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? json(number) : json(text);
}

} // namespace

result<foreign_portrait> portray_foreign(const std::string& path, foreign_format format) {
    const cancellation never;
    const auto read = read_foreign(path, format, never);
    if (!read) return fail(read.error());
    foreign_portrait made{format, 0, read->facts()};
    struct stat found {};
    made.disk_bytes = ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
    return made;
}

json foreign_document(const foreign_portrait& of) {
    const foreign_facts& facts = of.facts;
    json geometry = json::object();
    for (const auto& [name, value] : facts.parameters) geometry[std::string(name)] = value_of(value);
    return {{"kind", name_of(of.format)},
            {"foreign", true},
            {"bytes", facts.file_bytes},
            {"stored_bytes", of.disk_bytes},
            {"items", of.items()},
            {"items_are_stated", facts.stated_items.has_value()},
            {"items_from_cells", facts.items},
            {"fpr_current", facts.fpr},
            {"geometry", geometry},
            {"hash", facts.hash},
            {"agreed", to_json(of.target())},
            {"cells", facts.bits},
            {"occupied_share", static_cast<double>(facts.occupied) / static_cast<double>(facts.bits)}};
}

void print_foreign_portrait(const std::string& path, const foreign_portrait& of) {
    const foreign_facts& facts = of.facts;
    const auto row = [](std::string_view what, const std::string& words) { fmt::print("  {:<13}{}\n", what, words); };
    fmt::print("{}: {}\n", path, words_of(of.format));
    row("file", size_text(facts.file_bytes, static_cast<double>(of.items())) +
                    (of.disk_bytes < facts.file_bytes ? ", compressed to " + bytes_text(of.disk_bytes) : ""));
    row("keys",
        fmt::format("{}{}, hashed with {}", facts.stated_items ? "" : "about ", grouped(of.items()), facts.hash));
    row("key type", std::string(keys_of(of.format)));
    row("current FPR", rate_text(facts.fpr) + " (from its cells)");
    row("capacity", facts.capacity == 0 ? "not in the file" : capacity_text(of.target()));
    row("cells", fmt::format("{}, {} occupied", grouped(facts.bits),
                             rate_text(static_cast<double>(facts.occupied) / static_cast<double>(facts.bits))));
    std::string geometry;
    for (const auto& [name, value] : facts.parameters) {
        geometry += fmt::format("{}{} {}", geometry.empty() ? "" : ", ", name, value);
    }
    row("geometry", geometry);
    row("operations", "query (check); no insertions or removals");
}

} // namespace everbloom::cli
