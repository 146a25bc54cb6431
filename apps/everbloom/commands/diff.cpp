// diff: compares two filters. Exit code as diff(1): 0 same, 1 different, 2 error.
#include "commands/commands.hpp"
#include "commands/diff/comparison.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/key_decoder.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace everbloom::cli {
namespace {

struct diff_flags {
    std::string a;
    std::string b;
    summary_flags output;
};

std::string geometry_text(const any_filter& filter) {
    std::string text;
    for (const geometry_value& one : filter.geometry()) {
        text += (text.empty() ? "" : ", ") + fmt::format("{} {}", one.name, value_text(one));
    }
    return text;
}

json side_document(const compared_filter& side) {
    const any_filter& filter = side.file.filter();
    return {{"file", side.path},
            {"kind", filter.kind()},
            {"bytes", side.file_bytes},
            {"geometry", to_json(filter.geometry())},
            {"hash", name_of(side.file.hasher().id())},
            {"key_type", name_of(side.file.keys)},
            {"items", side.now.items},
            {"fpr_current", side.now.fpr},
            {"occupied_share", side.occupied_share},
            {"agreed", to_json(side.file.target)},
            {"guarded", filter.exclusions().has_value()},
            {"attached_bytes", side.file.attached.size()}};
}

json diff_document(const compared_filter& a, const compared_filter& b, const filter_comparison& found) {
    json overlap = nullptr;
    if (found.overlap) {
        overlap = {{"only_a", found.overlap->only_a}, {"only_b", found.overlap->only_b}, {"both", found.overlap->both}};
    }
    return {{"a", side_document(a)},
            {"b", side_document(b)},
            {"same", found.is_same()},
            {"same_kind", found.same_kind},
            {"same_geometry", found.same_geometry},
            {"same_hash_and_key", found.same_hash},
            {"same_key_type", found.same_key_type},
            {"same_agreement", found.same_target},
            {"same_guard", found.same_guard},
            {"same_attachment", found.same_attachment},
            {"different_bits", found.different_bits ? json(*found.different_bits) : json(nullptr)},
            {"compared_bits", found.compared_bits},
            {"keys", overlap}};
}

void print_row(std::string_view what, const std::string& in_a, const std::string& in_b) {
    if (in_a == in_b) {
        fmt::print("  {:<13}{}\n", what, in_a);
    } else {
        fmt::print("* {:<13}{}\n  {:<13}{}\n", what, in_a, "", in_b);
    }
}

std::string verdict_text(const compared_filter& a, const compared_filter& b, const filter_comparison& found) {
    if (found.is_same()) return "the same";
    if (!found.same_kind) return "different: the kinds differ";
    if (!found.same_hash) {
        return a.file.hasher().id() == b.file.hasher().id()
                   ? "different: the hash keys differ, so equal keys are in different cells"
                   : "different: the hashes differ, so equal keys are in different cells";
    }
    if (!found.same_key_type) return "different: the key types differ";
    std::string text = "different: ";
    if (!found.different_bits) {
        text += "the geometries differ";
    } else if (*found.different_bits == 0) {
        text += "the cells are the same; capacity, exclusion list or attached data differ";
    } else {
        text += fmt::format("{} of {} bits", grouped(*found.different_bits), grouped(found.compared_bits));
    }
    if (found.overlap) {
        text += fmt::format("; {} only in {}, {} only in {}, {} in both", estimated_keys(found.overlap->only_a), a.path,
                            estimated_keys(found.overlap->only_b), b.path, estimated_keys(found.overlap->both));
    }
    return text;
}

void print_comparison(const compared_filter& a, const compared_filter& b, const filter_comparison& found) {
    const auto row = [&](std::string_view what, auto text) { print_row(what, text(a), text(b)); };
    row("file", [](const auto& one) { return one.path; });
    row("kind", [](const auto& one) { return std::string(one.file.filter().kind()); });
    row("size", [](const auto& one) { return bytes_text(one.file_bytes); });
    row("geometry", [](const auto& one) { return geometry_text(one.file.filter()); });
    row("hash", [](const auto& one) { return std::string(name_of(one.file.hasher().id())); });
    row("key type", [](const auto& one) { return std::string(name_of(one.file.keys)); });
    row("keys", [](const auto& one) { return estimated_keys(one.now.items); });
    row("bits per key", [](const auto& one) { return bits_per_key_text(one.file_bytes, one.now.items); });
    row("current FPR", [](const auto& one) { return rate_text(one.now.fpr); });
    row("occupied", [](const auto& one) { return rate_text(one.occupied_share); });
    row("capacity", [](const auto& one) { return capacity_text(one.file.target); });
    row("exclusions", [](const auto& one) { return std::string(one.file.filter().exclusions() ? "yes" : "no"); });
    fmt::print("{}\n", verdict_text(a, b, found));
}

result<int> run_diff(const diff_flags& flags) {
    const auto a = look_at_filter(flags.a);
    if (!a) return fail(a.error());
    const auto b = look_at_filter(flags.b);
    if (!b) return fail(b.error());
    const auto found = compare(*a, *b);
    if (!found) return fail(found.error());
    if (flags.output.as_json) print_document(diff_document(*a, *b, *found));
    if (flags.output.wants_text()) print_comparison(*a, *b, *found);
    return found->is_same() ? exit_done : exit_nothing;
}

} // namespace

void declare_diff(command_line& line) {
    auto flags = std::make_shared<diff_flags>();
    command_flags command =
        line.add("diff", "Compare two filters: geometry, hash, cells, shared keys",
                 "everbloom create --seed 1 a.eb names.txt && cp a.eb b.eb && everbloom diff a.eb b.eb\n"
                 "echo zoe | everbloom add b.eb && ! everbloom diff a.eb b.eb",
                 [flags] { return run_diff(*flags); });
    command.add_option("A", flags->a, "a filter")->required()->type_name("");
    command.add_option("B", flags->b, "another filter")->required()->type_name("");
    flags->output.declare(command);
}

} // namespace everbloom::cli
