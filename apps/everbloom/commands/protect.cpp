// protect: makes a filter answer "surely not" for known negatives, keys that are known to be absent.
//
// The known negatives that are false positives go into an exclusion list in front of the filter, which needs no list of members. With
// --members the two lists are checked against each other, and a kind with no-filters of its own (yes_no) builds them from both.
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/protected_networks.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/hash_keys.hpp"
#include "keys/key_flags.hpp"
#include "keys/sorted_collector.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace everbloom::cli {
namespace {

struct protect_flags {
    std::string path;
    key_flags keys;
    std::vector<std::string> members;
    bool members_win = false;
    bool allow_false_negatives = false;
    bool drop = false;
    bool dry_run = false;
    summary_flags output;
};

/// The members, if given, as digests.
class member_list {
public:
    result<void> take(const hashed_keys& keys) {
        for (const digest& one : keys.digests) collected_.add(one);
        return {};
    }
    void sort() { digests_ = std::move(collected_).finish(); }
    [[nodiscard]] bool contains(digest key) const { return std::binary_search(digests_.begin(), digests_.end(), key); }
    [[nodiscard]] std::span<const digest> digests() const noexcept { return digests_; }

private:
    sorted_collector<digest> collected_;
    std::vector<digest> digests_;
};

/// The known negatives, without those that are members; the first few of these are kept by name.
class negative_list {
public:
    negative_list(const member_list& members, const filter_file& file, const prefix_lengths& lengths)
        : members_(members), file_(file), filter_(file.filter()), networks_(lengths) {}

    result<void> take(const hashed_keys& keys) {
        return file_.keys == key_type::cidr ? take_networks(keys) : take_keys(keys);
    }

    /// A key that is listed twice is one negative.
    void sort() { digests_ = std::move(collected_).finish(); }

    [[nodiscard]] std::span<const digest> digests() const noexcept { return digests_; }
    [[nodiscard]] std::uint64_t overlap() const noexcept { return overlap_; }
    [[nodiscard]] failure overlap_failure(const std::string& path) const {
        return {failure_reason::bad_parameter,
                fmt::format(
                    "{}: {} of the known negatives {} members: {}{}; delete them from the list, or use --members-win",
                    path, grouped(overlap_), overlap_ == 1 ? "is" : "are", named_, overlap_ > 5 ? ", ..." : "")};
    }

private:
    /// An address is protected if every network for which a query for it asks is.
    result<void> take_networks(const hashed_keys& keys) {
        for (const std::string_view text : keys.texts) {
            const auto asked_for = networks_.keys_of(text);
            if (!asked_for) return fail(asked_for.error());
            std::vector<std::string> spelled;
            hashed_keys all;
            for (const network& one : *asked_for) {
                std::array<char, network::most_bytes> bytes{};
                const std::string_view key(bytes.data(), one.write(bytes.data()));
                all.digests.push_back(file_.hasher()(key));
                spelled.push_back(one.spelled());
            }
            all.texts.assign(spelled.begin(), spelled.end());
            if (auto taken = take_keys(all); !taken) return taken;
        }
        return {};
    }
    result<void> take_keys(const hashed_keys& keys) {
        std::vector<std::uint8_t> confirmed(keys.digests.size(), 0);
        if (filter_.can(capability::confirm)) {
            if (auto done = filter_.confirm(keys.digests, confirmed); !done) return done;
        }
        for (std::size_t i = 0; i < keys.digests.size(); ++i) {
            if (confirmed[i] == 0 && !members_.contains(keys.digests[i])) {
                collected_.add(keys.digests[i]);
                continue;
            }
            constexpr std::size_t most_named = 5;
            if (overlap_++ < most_named) named_ += (named_.empty() ? "" : ", ") + printable(keys.texts[i]);
        }
        return {};
    }

    const member_list& members_;
    const filter_file& file_;
    const any_filter& filter_;
    protected_networks networks_;
    sorted_collector<digest> collected_;
    std::vector<digest> digests_;
    std::uint64_t overlap_ = 0;
    std::string named_;
};

enum class method { own_no_filters, exclusion_list };

/// The name in JSON.
std::string_view name_of(method used) { return used == method::exclusion_list ? "guard" : "no-filters"; }

result<protection> protect(any_filter& filter, method used, const member_list& members, const negative_list& negatives,
                           const protection_options& how) {
    if (used == method::own_no_filters) return filter.protect(members.digests(), negatives.digests(), how);
    auto done = filter.exclude(negatives.digests());
    if (!done) return done;
    // With a list of the members, no false negative has to be left to chance.
    for (const digest member : members.digests()) done->members_lost += filter.may_contain(member) ? 0 : 1;
    if (done->members_lost > 0) {
        return fail(failure_reason::mismatch,
                    fmt::format("{} of the list of members are not in the filter; add them first",
                                counted(done->members_lost, "key")));
    }
    return done;
}

void report(const protect_flags& flags, const any_filter& filter, const protection& done, method used,
            std::uint64_t overlap, std::uint64_t bytes_before) {
    const auto cost = static_cast<std::int64_t>(filter.payload_bytes()) - static_cast<std::int64_t>(bytes_before);
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", filter.kind()},
                        {"method", name_of(used)},
                        {"dry_run", flags.dry_run},
                        {"negatives", done.negatives},
                        {"members_among_negatives", overlap},
                        {"false_positives_before", done.false_positives_before},
                        {"false_positives_after", done.false_positives_after},
                        {"members_lost", done.members_lost},
                        {"bytes_before", bytes_before},
                        {"bytes", filter.payload_bytes()},
                        {"bytes_added", cost}});
        return;
    }
    if (!flags.output.wants_text()) return;
    fmt::print("{}: {}, {} of them false positives before, {} {}; {}\n", flags.path,
               counted(done.negatives, "known negative"), grouped(done.false_positives_before),
               grouped(done.false_positives_after), flags.dry_run ? "would be left" : "now",
               used == method::exclusion_list
                   ? fmt::format("exclusion list of {}",
                                 bytes_text(static_cast<std::uint64_t>(std::max<std::int64_t>(cost, 0))))
                   : "stored in its no-filters");
    if (overlap > 0)
        fmt::print("{} skipped: {}\n", counted(overlap, "known negative"), overlap == 1 ? "a member" : "members");
    if (done.members_lost > 0) {
        fmt::print("{} became {} (--allow-false-negatives)\n", counted(done.members_lost, "member"),
                   done.members_lost == 1 ? "a false negative" : "false negatives");
    }
    if (used == method::exclusion_list && flags.members.empty() && !filter.can(capability::confirm)) {
        fmt::print(
            "Not checked against the members: a known negative that was added is now a false negative; --members FILE "
            "checks it.\n");
    }
}

result<int> drop(const protect_flags& flags, filter_update& update) {
    const bool there = update.filter().exclusions().has_value();
    const noted_lengths lengths(update.file());
    update.filter().drop_exclusions();
    if (there && !flags.dry_run) {
        lengths.attach_to(update.file());
        if (auto saved = update.save(); !saved) return fail(std::move(saved.error()));
    }
    if (flags.output.as_json) print_document({{"file", flags.path}, {"dropped", there}});
    if (flags.output.wants_text())
        fmt::print("{}: {}\n", flags.path, there ? "exclusion list removed" : "has no exclusion list");
    return there ? exit_done : exit_nothing;
}

result<int> run_protect(const protect_flags& flags) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    if (!flags.drop) {
        auto order = refuse_swapped("protect", flags.path, flags.keys.file_names());
        if (!order) return fail(std::move(order.error()));
    }
    auto files = flags.drop ? key_files{} : flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));
    auto member_files = flags.members.empty() ? key_files{} : flags.keys.find(flags.members);
    if (!member_files) return fail(std::move(member_files.error()));

    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    if (flags.drop) return drop(flags, *update);
    any_filter& filter = update->filter();
    const auto format = flags.keys.format_for(flags.path, update->file().keys);
    if (!format) return fail(format.error());
    // A network that contains a protected address would be excluded with all its addresses.
    if (format->type == key_type::cidr && flags.members.empty() && !filter.can(capability::confirm)) {
        return fail(failure_reason::bad_parameter,
                    flags.path + ": its keys are networks, and one that contains a known negative would be lost; "
                                 "--members LIST compares the two, and so does 'everbloom sync --protect'");
    }
    const noted_lengths lengths(update->file());
    skipped_lines skipped(flags.output.progress_mode());
    const auto read = [&](key_files from, auto& into) {
        const key_stream stream{std::move(from), *format, *threads, flags.output.progress_mode(), &skipped};
        return hash_keys(stream, update->file().hasher(), stopper.cancel(),
                         [&](const auto& keys) { return into.take(keys); });
    };
    member_list members;
    if (!flags.members.empty()) {
        if (auto done = read(std::move(*member_files), members); !done) return fail(std::move(done.error()));
        members.sort();
    }
    // The false positives of the filter itself, without an earlier exclusion list.
    filter.drop_exclusions();
    const std::uint64_t bytes_before = filter.payload_bytes();
    greet_terminal(*files);
    negative_list negatives(members, update->file(), lengths.lengths());
    if (auto done = read(std::move(*files), negatives); !done) return fail(std::move(done.error()));
    if (negatives.overlap() > 0 && !flags.members_win) return fail(negatives.overlap_failure(flags.path));
    negatives.sort();

    const method used =
        filter.can(capability::protect) && !flags.members.empty() ? method::own_no_filters : method::exclusion_list;
    if (flags.allow_false_negatives && used == method::exclusion_list) {
        return fail(failure_reason::bad_parameter, "--allow-false-negatives is for yes_no filters with --members");
    }
    const auto lost = flags.allow_false_negatives ? false_negatives::allowed : false_negatives::refused;
    const auto done = protect(filter, used, members, negatives, {lost, *threads});
    if (!done) return fail(in(flags.path, done.error()));
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    if (!flags.dry_run) {
        lengths.attach_to(update->file());
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    skipped.report();
    report(flags, filter, *done, used, negatives.overlap(), bytes_before);
    return exit_done;
}

} // namespace

void declare_protect(command_line& line) {
    auto flags = std::make_shared<protect_flags>();
    command_flags command = line.add("protect", "Exclude known negatives: make a filter answer no for them",
                                     "everbloom create names.eb names.txt\n"
                                     "printf 'frida\\ngustav\\n' | everbloom protect names.eb --members names.txt",
                                     [flags] { return run_protect(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->keys.declare_files(command);
    command
        .add_option("--members", flags->members,
                    "a list of all members, to be checked; a yes_no filter builds its no-filters from it")
        ->type_name("FILE")
        ->one_value_at_a_time();
    command.add_flag("--members-win", flags->members_win, "skip known negatives that are members (default: an error)");
    command.add_flag("--allow-false-negatives", flags->allow_false_negatives,
                     "exclude all known negatives, even at the cost of false negatives (yes_no)");
    command.add_flag("--drop", flags->drop, "remove the exclusion list");
    command.add_flag("--dry-run", flags->dry_run, "print what would be done, change nothing");
    flags->keys.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
