#include "gate/state.hpp"

#include "filters/whole_file.hpp"
#include "gate/flows/flow_records.hpp"
#include "gate/hash_set_room.hpp"
#include "gate/sender_records.hpp"
#include "gate/state_files.hpp"
#include "output/change_record.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace everbloom::cli {
namespace {

constexpr std::uint64_t most_manifest_bytes = std::uint64_t{1} << 16; // it has about 3,000

std::string text_of(const auto& addresses) {
    std::vector<ip_address> sorted(addresses.begin(), addresses.end());
    std::sort(sorted.begin(), sorted.end());
    std::string text;
    for (const ip_address& one : sorted) text += one.text() + "\n";
    return text;
}

result<void> restore_flows(flow_table& into, std::string_view part, const saved_files& files,
                           const state_manifest& said, const machine_history& machine) {
    if (said.version == first_state_version) return {};
    auto read = files.flows(part, into);
    into.set_counters(machine.flows);
    return read;
}

result<void> restore_exact(gate& into, const saved_files& files, const state_manifest& said) {
    const auto bad = files.addresses("exact_bad_ips");
    if (!bad) return fail(bad.error());
    const auto good = files.addresses("exact_good_ips");
    if (!good) return fail(good.error());
    exact_sets& sets = into.exact()->sets();
    for (const ip_address& one : *bad) (void)sets.add_bad(sender_key::of(one, into.hash()));
    for (const ip_address& one : *good) (void)sets.add_good(sender_key::of(one, into.hash()));
    into.exact()->set_counters(said.exact.counters);
    auto read = files.senders("exact_senders", into.exact()->senders(), into.hash());
    into.exact()->senders().set_evicted(said.exact.evicted);
    if (!read) return read;
    return restore_flows(into.exact()->flows(), "exact_flows", files, said, said.exact);
}

result<void> restore_comparison(gate& into, const saved_files& files, const state_manifest& said) {
    const auto rejected = files.addresses("falsely_rejected");
    if (!rejected) return fail(rejected.error());
    const auto banned = files.addresses("banned_by_filters");
    if (!banned) return fail(banned.error());
    into.compared().restore(said.compared, *rejected);
    insert_all(into.banned_by_filters(), *banned);
    return {};
}

} // namespace

result<gate_state> gate_state::open(const std::string& directory) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(directory, error);
    if (error) return fail(failure_reason::input_output, fmt::format("--state: {}: {}", directory, error.message()));
    // It holds the hash key. An existing directory keeps its mode; the files in it have mode 0600.
    if (made) std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
    auto lock = file_update::begin(directory + "/" + std::string(manifest_name));
    if (!lock) return fail(std::move(lock.error()));
    return gate_state(directory, std::move(*lock));
}

bool gate_state::holds_gate() const { return std::filesystem::exists(path_of(std::string(manifest_name))); }

result<saved_gate> gate_state::load(gate_mode mode, const machine_limits& limits, std::optional<gate_patterns> patterns,
                                    const any_hasher& fresh) const {
    const std::string manifest_path = path_of(std::string(manifest_name));
    const auto text = read_whole_file(manifest_path, most_manifest_bytes);
    if (!text) return fail(text.error());
    auto said = read_manifest(*text);
    if (!said) return fail(in(manifest_path, std::move(said.error())));
    if (said->mode != mode) {
        return fail(failure_reason::mismatch,
                    fmt::format("{}: saved in mode '{}', but this run uses mode '{}'; {}", directory_,
                                gate_mode_words[static_cast<std::size_t>(said->mode)],
                                gate_mode_words[static_cast<std::size_t>(mode)],
                                "use the same mode, or another --state directory"));
    }
    const saved_files files(directory_, said->files);
    if (!patterns) {
        auto read = files.patterns("patterns");
        if (!read) return fail(std::move(read.error()));
        patterns = std::move(*read);
    }
    gate_plan plan{mode, said->options, limits};
    any_hasher hash = fresh;
    std::optional<filter_sets> sets;
    if (mode != gate_mode::exact) {
        auto bad = files.filter("bad_ips");
        if (!bad) return fail(std::move(bad.error()));
        auto good = files.filter("good_ips");
        if (!good) return fail(std::move(good.error()));
        if (!(bad->hasher() == good->hasher()) || !good->filter().can(capability::erase)) {
            return fail(failure_reason::damaged,
                        directory_ +
                            ": bad_ips and good_ips do not match: different hashers, or good_ips cannot delete");
        }
        hash = bad->hasher();
        auto data = pattern_filter::make(patterns->words, plan.filters.pattern_fpr, hash);
        if (!data) return fail(std::move(data.error()));
        sets = filter_sets::from(std::move(*bad), std::move(*good), std::move(*data));
        sets->set_counts(said->bad_count, said->good_count);
    }
    auto made = gate::make(plan, hash, std::move(*patterns), std::move(sets));
    if (!made) return fail(std::move(made.error()));
    if (made->filters() != nullptr) {
        made->filters()->set_counters(said->filters.counters);
        if (auto read = files.senders("senders", made->filters()->senders(), hash); !read)
            return fail(std::move(read.error()));
        made->filters()->senders().set_evicted(said->filters.evicted);
        if (auto read = restore_flows(made->filters()->flows(), "flows", files, *said, said->filters); !read)
            return fail(std::move(read.error()));
    }
    if (said->version != first_state_version) {
        const auto networks = files.networks("networks");
        if (!networks) return fail(networks.error());
        made->ban(*networks);
    }
    if (made->exact() != nullptr) {
        if (auto restored = restore_exact(*made, files, *said); !restored) return fail(std::move(restored.error()));
    }
    if (mode == gate_mode::compare) {
        if (auto restored = restore_comparison(*made, files, *said); !restored)
            return fail(std::move(restored.error()));
    }
    return saved_gate{std::move(*made), {said->totals, said->blacklist_checksum}};
}

/// Only files that a save has written. Does not allocate and does not fail: what remains is removed by a later save.
template <class Wanted>
void gate_state::remove_files_of_saves(Wanted wanted) const noexcept {
    DIR* const directory = ::opendir(directory_.c_str());
    if (directory == nullptr) return;
    while (const dirent* one = ::readdir(directory)) {
        const auto found = number_of_saved_file(one->d_name);
        if (found && wanted(*found)) ::unlinkat(::dirfd(directory), one->d_name, 0);
    }
    ::closedir(directory);
}

result<void> gate_state::save(const gate& current, const gate_history& history) {
    std::uint64_t number = 1;
    std::uint64_t before_it = 0;
    const std::string manifest_path = path_of(std::string(manifest_name));
    if (holds_gate()) {
        const auto text = read_whole_file(manifest_path, most_manifest_bytes);
        if (!text) return fail(text.error());
        const auto before = read_manifest(*text);
        if (!before) return fail(in(manifest_path, before.error()));
        before_it = before->number;
        number = before_it + 1;
    }
    // Leftovers of interrupted saves. The directory is locked, so no other process is saving.
    remove_files_of_saves([&](std::uint64_t other) { return other != before_it; });
    save_in_progress files(directory_, number);
    result<void> written;
    const auto add = [&](std::string_view part, std::string_view ending, std::span<const std::byte> bytes) {
        if (written) written = files.add(part, ending, bytes);
    };
    state_manifest says = manifest_of(current, history.totals, history.blacklist_checksum);
    says.number = number;
    add("patterns", "txt", bytes_of(current.patterns().text()));
    add("networks", "txt", bytes_of(current.networks().text()));
    if (const auto* machine = current.filters()) {
        add("bad_ips", "eb", write_filter(machine->sets().bad_ips()));
        add("good_ips", "eb", write_filter(machine->sets().good_ips()));
        add("senders", "bin", write_senders(machine->senders()));
        add("flows", "bin", write_flows(machine->flows()));
    }
    if (const auto* machine = current.exact()) {
        add("exact_bad_ips", "txt", bytes_of(text_of(machine->sets().bad_ips())));
        add("exact_good_ips", "txt", bytes_of(text_of(machine->sets().good_ips())));
        add("exact_senders", "bin", write_senders(machine->senders()));
        add("exact_flows", "bin", write_flows(machine->flows()));
    }
    if (current.filters() != nullptr && current.exact() != nullptr) {
        add("falsely_rejected", "txt", bytes_of(text_of(current.compared().rejected_senders())));
        add("banned_by_filters", "txt", bytes_of(text_of(current.banned_by_filters())));
    }
    if (!written) return written;
    says.files = files.files();
    const std::string text = write_manifest(says);
    const auto bytes = bytes_of(text);
    auto committed = lock_->commit(std::span(&bytes, 1));
    if (!committed && committed.error().reason != failure_reason::not_durable) return committed;
    note_changed_file(manifest_path);
    files.keep();
    lock_.reset();
    // After a power failure the old gate.json may be back, and needs its files.
    if (committed) remove_files_of_saves([&](std::uint64_t other) { return other == before_it; });
    return committed;
}

result<void> gate_state::checkpoint(const gate& current, const gate_history& history) {
    if (auto saved = save(current, history); !saved) return saved;
    auto lock = file_update::begin(path_of(std::string(manifest_name)));
    if (!lock) return fail(std::move(lock.error()));
    lock_.emplace(std::move(*lock));
    return {};
}

} // namespace everbloom::cli
