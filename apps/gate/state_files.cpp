#include "gate/state_files.hpp"

#include "filters/whole_file.hpp"
#include "gate/flows/flow_records.hpp"
#include "gate/sender_records.hpp"

#include <everbloom/hash/checksum.hpp>
#include <everbloom/runtime/file_update.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace everbloom::cli {
namespace {

/// The parts of a state: "bad_ips.7.eb" is bad_ips of save 7.
constexpr std::array<std::string_view, 12> part_names{
    "patterns",      "networks",       "bad_ips",       "good_ips",    "senders",          "flows",
    "exact_bad_ips", "exact_good_ips", "exact_senders", "exact_flows", "falsely_rejected", "banned_by_filters"};
constexpr std::array<std::string_view, 3> part_endings{"txt", "eb", "bin"};

} // namespace

std::optional<std::uint64_t> number_of_saved_file(std::string_view name) noexcept {
    const std::size_t from = name.find('.');
    const std::size_t to = name.rfind('.');
    if (from == std::string_view::npos || to <= from + 1) return std::nullopt;
    const auto is_among = [](const auto& known, std::string_view word) {
        return std::find(known.begin(), known.end(), word) != known.end();
    };
    if (!is_among(part_names, name.substr(0, from)) || !is_among(part_endings, name.substr(to + 1)))
        return std::nullopt;
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data() + from + 1, name.data() + to, number);
    if (error != std::errc{} || stop != name.data() + to) return std::nullopt;
    return number;
}

save_in_progress::~save_in_progress() {
    for (const std::string& path : paths_) ::unlink(path.c_str());
}

result<void> save_in_progress::add(std::string_view part, std::string_view ending, std::span<const std::byte> bytes) {
    const std::string name = fmt::format("{}.{}.{}", part, number_, ending);
    files_.push_back({std::string(part), name, bytes.size(), checksum(bytes.data(), bytes.size())});
    paths_.push_back(directory_ + "/" + name);
    // Not recorded as a change: until gate.json names it, it is not part of the state.
    auto update = file_update::begin(paths_.back());
    if (!update) return fail(std::move(update.error()));
    auto committed = update->commit(std::span(&bytes, 1));
    if (!committed && committed.error().reason == failure_reason::not_durable) {
        return fail(failure_reason::input_output,
                    directory_ + ": cannot be flushed to disk; the previous saved state is kept");
    }
    return committed;
}

result<saved_files::content> saved_files::read(std::string_view part) const {
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& one) { return one.part == part; });
    if (found == files_.end()) {
        return fail(failure_reason::damaged,
                    fmt::format("{}/{}: has no entry for {}", directory_, manifest_name, part));
    }
    const std::string path = directory_ + "/" + found->name;
    auto bytes = read_whole_file(path, found->bytes);
    if (!bytes && bytes.error().reason != failure_reason::damaged) return fail(std::move(bytes.error()));
    if (!bytes || bytes->size() != found->bytes || checksum(bytes->data(), bytes->size()) != found->checksum) {
        return fail(failure_reason::damaged,
                    fmt::format("{}: does not match its size and checksum in {}", path, manifest_name));
    }
    return content{path, std::move(*bytes)};
}

result<filter_file> saved_files::filter(std::string_view part) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    auto file = read_filter(found->bytes);
    if (!file) return fail(in(fmt::format("{}/{}", directory_, part), std::move(file.error())));
    return file;
}

result<gate_patterns> saved_files::patterns(std::string_view part) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    const cancellation no_cancellation;
    return read_patterns(found->path, no_cancellation);
}

result<std::vector<address_range>> saved_files::networks(std::string_view part) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    const cancellation no_cancellation;
    auto list = read_blacklist(found->path, no_cancellation);
    if (!list) return fail(std::move(list.error()));
    for (const ip_address& one : list->addresses) list->networks.push_back({one, one});
    return std::move(list->networks);
}

result<std::vector<ip_address>> saved_files::addresses(std::string_view part) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    const cancellation no_cancellation;
    return read_address_set(found->path, no_cancellation);
}

result<void> saved_files::senders(std::string_view part, sender_table& into, const any_hasher& hash) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    auto done = read_senders(found->bytes, into, hash);
    if (!done) return fail(in(fmt::format("{}/{}", directory_, part), std::move(done.error())));
    return {};
}

result<void> saved_files::flows(std::string_view part, flow_table& into) const {
    const auto found = read(part);
    if (!found) return fail(found.error());
    auto done = read_flows(found->bytes, into);
    if (!done) return fail(in(fmt::format("{}/{}", directory_, part), std::move(done.error())));
    return {};
}

} // namespace everbloom::cli
