// create: creates a filter file, filled from lists of keys.
//
// With a capacity or a geometry the filter is built before the first key is read. Without either it is sized by the number of keys: their
// digests are kept in memory until the last key is read. Without --kind the planner chooses the kind. A kind that is built at once gets all
// keys together.
#include "commands/commands.hpp"
#include "commands/plan/chosen_kind.hpp"
#include "commands/slow/slow_creation.hpp"
#include "filters/filter_argument.hpp"
#include "filters/geometry_flags.hpp"
#include "filters/growth_limit.hpp"
#include "filters/hasher_flags.hpp"
#include "filters/insertion.hpp"
#include "filters/kind_names.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/output_file.hpp"
#include "filters/overfull.hpp"
#include "filters/unique_keys.hpp"
#include "filters/waiting_keys.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_flags.hpp"
#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

namespace everbloom::cli {
namespace {

struct create_flags {
    std::string path;
    std::optional<std::string> kind;
    hasher_flags hashing;
    bool force = false;
    bool overfill = false;
    bool all_or_none = false;
    bool unique = false;
    bool slow = false;
    std::string like;
    geometry_flags geometry;
    lifetime_flags lifetime;
    key_flags keys;
    summary_flags output;

    /// Is the new filter one of the same geometry as --like, so that both can be merged?
    [[nodiscard]] bool copies_geometry() const {
        return !like.empty() && !kind && !geometry.geometry_given() && !geometry.workload_given();
    }
    /// Does no flag say what the filter is to be?
    [[nodiscard]] bool leave_all_to_the_planner() const {
        return !kind && !geometry.geometry_given() && !geometry.growth_times() && !geometry.workload_given() &&
               !lifetime.is_given();
    }
};

struct new_filter {
    any_filter filter;
    capacity_target capacity;
};

/// With the hash of .bloom files, also their probe scheme if the kind has it: so that the filter can be converted.
build_request with_matching_probe(build_request request, hash_id hash) {
    if (hash != hash_id::dcso) return request;
    const auto is_probe = [](const auto& one) { return one.name == "probe"; };
    if (std::any_of(request.parameters.begin(), request.parameters.end(), is_probe)) return request;
    const auto& known = find_kind(request.kind)->parameters;
    const auto probe = std::find_if(known.begin(), known.end(), is_probe);
    const std::string_view wanted = name_of(hash);
    if (probe != known.end() && std::find(probe->words.begin(), probe->words.end(), wanted) != probe->words.end()) {
        request.parameters.push_back({"probe", std::string(wanted)});
    }
    return request;
}

/// Only a filter with a number of keys gets a capacity.
result<new_filter> build_for(const chosen_filter& chosen, const geometry_flags& given, hash_id hash) {
    auto built = build(with_matching_probe(chosen.request, hash));
    if (!built) return fail(std::move(built.error()));
    if (!chosen.request.items) return new_filter{std::move(*built), {}};
    const auto source = given.geometry_given() ? geometry_source::given : geometry_source::planned;
    const auto capacity = capacity_for(*built, source, *chosen.request.items, chosen.fpr, "--fpr");
    if (!capacity) return fail(capacity.error());
    return new_filter{std::move(*built), *capacity};
}

result<new_filter> build_for_items(const create_flags& flags, hash_id hash, std::optional<std::uint64_t> items) {
    const auto chosen = choose_filter(flags.kind, flags.geometry, flags.lifetime, items);
    if (!chosen) return fail(chosen.error());
    return build_for(*chosen, flags.geometry, hash);
}

/// The filter of --like. What a flag says otherwise is refused.
result<filter_file> open_model(const create_flags& flags) {
    if (flags.hashing.is_given()) {
        return fail(failure_reason::bad_parameter, "--like: the new filter has the hash and the hash key of " +
                                                       flags.like + "; leave out --hash and --seed");
    }
    return open_filter_argument(flags.like);
}

/// An empty filter of the same kind and geometry.
result<std::optional<new_filter>> emptied(filter_file& like) {
    if (like.filter().can(capability::build)) {
        return fail(
            failure_reason::unsupported,
            fmt::format("--like: {0} filter is built once, from all of its keys; say --kind {0} for another one "
                        "with the same hash key, or another kind",
                        like.filter().kind()));
    }
    like.filter().drop_exclusions();
    if (auto cleared = like.filter().clear(); !cleared) return fail(std::move(cleared.error()));
    return std::optional(new_filter{std::move(like.filter()), like.target});
}

/// The filter as requested, or nothing if the number of keys must be known first.
result<std::optional<new_filter>> build_at_once(const create_flags& flags, hash_id hash) {
    // There is a plan for every number of keys, so none has to be made before the keys are read only to see that there is one.
    if (flags.leave_all_to_the_planner()) return std::optional<new_filter>{};
    const auto chosen = choose_filter(flags.kind, flags.geometry, flags.lifetime, std::nullopt);
    if (!chosen) return fail(chosen.error());
    auto built = build_for(*chosen, flags.geometry, hash);
    if (!built && !chosen->request.items) {
        // Is the number of keys all that is missing?
        if (auto with_items = build_for_items(flags, hash, least_default_items); !with_items) {
            return fail(std::move(with_items.error()));
        }
        return std::optional<new_filter>{};
    }
    if (!built) return fail(std::move(built.error()));
    return std::optional(std::move(*built));
}

std::string sized_text(std::optional<std::uint64_t> sized_for) {
    if (!sized_for) return "";
    return fmt::format(" (no --capacity given: {})",
                       *sized_for == least_default_items ? "the minimum" : "the number of keys read");
}

/// "2.1 KiB (17.2 bits per key at capacity), capacity: 1,000 keys at 0.100 % FPR": the size of the file
std::string size_and_capacity(const filter_file& file) {
    const std::uint64_t bytes = saved_bytes(file);
    std::string text = bytes_text(bytes);
    if (file.target.items != 0) {
        text += fmt::format(" ({:.1f} bits per key at capacity)",
                            8 * static_cast<double>(bytes) / static_cast<double>(file.target.items));
    }
    return text + ", capacity: " + capacity_text(file.target);
}

void report(const create_flags& flags, const filter_file& file, const insert_tally& tally, std::uint64_t repeated,
            std::optional<std::uint64_t> sized_for) {
    if (flags.output.as_json) {
        const auto now = file.filter().measure();
        print_document({{"file", flags.path},
                        {"kind", file.filter().kind()},
                        {"keys", tally.all()},
                        {"added", tally.successes()},
                        {"refused", tally.all() - tally.successes()},
                        {"repeated", repeated},
                        {"outcomes", to_json(tally)},
                        {"bytes", saved_bytes(file)},
                        {"geometry", to_json(file.filter().geometry())},
                        {"hash", name_of(file.hasher().id())},
                        {"key_type", name_of(file.keys)},
                        {"agreed", to_json(file.target)},
                        {"sized_from_keys", sized_for.has_value()},
                        {"most_keys", to_json(growth_limit(file.filter()))},
                        {"items", now.items},
                        {"fpr_current", now.fpr}});
    } else if (flags.output.wants_text()) {
        const std::string limit = near_growth_limit_text(file.filter());
        fmt::print("{}: {} filter, {} added{}; {}{}{}\n", flags.path, with_article(file.filter().kind()),
                   counted(tally.successes(), "key"),
                   insert_remarks(tally) + (repeated == 0 ? "" : ", " + counted(repeated, "repetition") + " dropped"),
                   size_and_capacity(file), sized_text(sized_for), limit.empty() ? "" : ", " + limit);
    }
}

result<void> refuse_existing(const create_flags& flags) {
    struct stat there {};
    if (flags.force || ::lstat(flags.path.c_str(), &there) != 0) return {};
    return fail(failure_reason::bad_parameter,
                flags.path + (looks_like_filter(flags.path)
                                  ? ": already exists; 'everbloom add' adds keys to it, --force replaces it"
                                  : ": already exists; --force replaces it"));
}

/// Of a kind that is built at once; its size follows from the keys, whatever the capacity.
result<new_filter> built_from(const create_flags& flags, std::span<const digest> keys) {
    auto request = flags.geometry.request(*flags.kind);
    if (!request) return fail(std::move(request.error()));
    const std::uint64_t said = request->items.value_or(1);
    request->items = std::max<std::uint64_t>(keys.size(), 1);
    auto made = build(*request);
    if (!made) return fail(std::move(made.error()));
    if (auto built = made->build(keys); !built) return fail(std::move(built.error()));
    const std::uint64_t items = std::max(made->keys().value_or(keys.size()), said);
    const auto source = flags.geometry.geometry_given() ? geometry_source::given : geometry_source::planned;
    const auto capacity = capacity_for(*made, source, items, request->fpr, "--fpr");
    if (!capacity) return fail(capacity.error());
    return new_filter{std::move(*made), *capacity};
}

result<void> refuse_plans(const create_flags& flags) {
    const auto refuse = [&](std::string_view flag) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: {} filter is built once, from all of its keys, in the size that they need; "
                                "leave it out",
                                flag, with_article(*flags.kind)));
    };
    for (const std::string_view one : {"segment_cells", "segments"}) {
        if (flags.geometry.given(one)) return refuse(flag_of(one));
    }
    const auto stated = flags.lifetime.expected();
    if (!stated) return fail(stated.error());
    if (*stated || flags.geometry.growth_times()) return refuse("--remove, --churn and --growth");
    return {};
}

result<int> run_create_built(const create_flags& flags, const any_hasher& hasher, key_stream stream) {
    if (auto plans = refuse_plans(flags); !plans) return fail(std::move(plans.error()));
    interruption stopper;
    auto update = output_file::begin(flags.path, stream.files.names);
    if (!update) return fail(std::move(update.error()));
    if (auto free = refuse_existing(flags); !free) return fail(std::move(free.error()));
    skipped_lines skipped(flags.output.progress_mode());
    stream.skipped = &skipped;
    noted_lengths lengths;
    std::vector<digest> all;
    auto read = hash_keys(stream, hasher, stopper.cancel(), [&](const hashed_keys& keys) -> result<void> {
        lengths.take(stream.format.type, keys);
        all.insert(all.end(), keys.digests.begin(), keys.digests.end());
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    auto built = built_from(flags, all);
    if (!built) return fail(std::move(built.error()));
    filter_file file;
    file.handle = keyed(std::move(built->filter), hasher);
    file.keys = stream.format.type;
    file.target = built->capacity;
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    skipped.report();
    lengths.attach_to(file);
    if (auto saved = update->save(file); !saved) return fail(std::move(saved.error()));
    insert_tally tally;
    const std::uint64_t different = file.filter().keys().value_or(all.size());
    tally.add(insert_outcome::inserted, different);
    report(flags, file, tally, all.size() - different, std::nullopt);
    return exit_done;
}

/// A slow filter grows: without a capacity it begins small.
result<int> run_create_slow(const create_flags& flags, const any_hasher& hasher, key_stream stream) {
    if (flags.kind || flags.geometry.geometry_given() || !flags.like.empty() || flags.overfill) {
        return fail(
            failure_reason::bad_parameter,
            "--slow: a slow filter has no kind, geometry or limit to choose; leave out --kind, --like, --overfill "
            "and the parameters of kinds, and use --capacity and --fpr");
    }
    const auto request = flags.geometry.workload_request();
    if (!request) return fail(request.error());
    const workload wanted{request->items.value_or(least_default_items), request->fpr.value_or(workload{}.fpr)};
    if (auto other = refuse_input_as_output(flags.path, stream.files.names); !other)
        return fail(std::move(other.error()));
    if (auto free = refuse_existing(flags); !free) return fail(std::move(free.error()));

    interruption stopper;
    auto creation = slow_creation::begin(flags.path, wanted, hasher, stream.format.type);
    if (!creation) return fail(std::move(creation.error()));
    skipped_lines skipped(flags.output.progress_mode());
    stream.skipped = &skipped;
    noted_lengths lengths;
    unique_keys unique;
    insertion into(creation->file().filter(), flags.path);
    auto inserted = hash_keys(stream, hasher, stopper.cancel(), [&](const hashed_keys& keys) {
        lengths.take(stream.format.type, keys);
        return into.take(flags.unique ? unique.first_of(keys) : keys);
    });
    if (!inserted) return fail(std::move(inserted.error()));
    if (into.tally().successes() != into.tally().all() && creation->slow().last_error()) {
        return fail(in(flags.path, *creation->slow().last_error()));
    }
    if (auto going_on = stopper.check(); !going_on) return fail(std::move(going_on.error()));
    skipped.report();
    lengths.attach_to(creation->file());
    const slow_statistics seen = creation->slow().statistics();
    const measurement now = creation->slow().measure();
    using existing = slow_creation::existing;
    if (auto named = creation->publish(flags.force ? existing::replace : existing::keep); !named) {
        return fail(std::move(named.error()));
    }
    const insert_tally& tally = into.tally();
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", "slow"},
                        {"keys", tally.all()},
                        {"added", tally.successes()},
                        {"refused", tally.all() - tally.successes()},
                        {"repeated", unique.repeated()},
                        {"bytes", seen.file_bytes},
                        {"fast_bytes", seen.fast_bytes},
                        {"hash", name_of(hasher.id())},
                        {"key_type", name_of(stream.format.type)},
                        {"agreed", to_json(creation->file().target)},
                        {"items", now.items},
                        {"fpr_current", now.fpr}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: a slow filter, {} added{}; {} for queries in memory, {} of file, capacity: {}, grows\n",
                   flags.path, counted(tally.successes(), "key"),
                   unique.repeated() == 0 ? "" : ", " + counted(unique.repeated(), "repetition") + " dropped",
                   size_text(seen.fast_bytes, now.items), bytes_text(seen.file_bytes),
                   capacity_text(creation->file().target));
    }
    return tally.all() == tally.successes() ? exit_done : exit_nothing;
}

result<int> run_create(const create_flags& flags) {
    auto like = flags.like.empty() ? result<filter_file>(filter_file{}) : open_model(flags);
    if (!like) return fail(std::move(like.error()));
    const auto hasher = flags.like.empty() ? flags.hashing.make() : result<any_hasher>(like->hasher());
    const auto format = flags.like.empty() ? flags.keys.format() : flags.keys.format_for(flags.like, like->keys);
    const auto threads = flags.keys.threads();
    if (!hasher) return fail(hasher.error());
    if (!format) return fail(format.error());
    if (!threads) return fail(threads.error());
    const bool leave_empty = flags.keys.file_names().empty() && input_is_terminal();
    // The suggestion is `add`: the filter exists already.
    if (auto order = refuse_swapped("add", flags.path, flags.keys.file_names()); !order) {
        return fail(std::move(order.error()));
    }
    auto files = leave_empty ? key_files{} : flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));
    if (auto ours = refuse_foreign_output(flags.path); !ours) return fail(std::move(ours.error()));
    if (flags.slow)
        return run_create_slow(flags, *hasher, {std::move(*files), *format, *threads, flags.output.progress_mode()});
    const kind_info* const kind = flags.kind ? find_kind(*flags.kind) : nullptr;
    if (kind != nullptr && kind->capabilities.has(capability::build)) {
        return run_create_built(flags, *hasher, {std::move(*files), *format, *threads, flags.output.progress_mode()});
    }
    auto built = flags.copies_geometry() ? emptied(*like) : build_at_once(flags, hasher->id());
    if (!built) return fail(std::move(built.error()));

    interruption stopper;
    auto update = output_file::begin(flags.path, files->names);
    if (!update) return fail(std::move(update.error()));
    if (auto free = refuse_existing(flags); !free) return fail(std::move(free.error()));

    skipped_lines skipped(flags.output.progress_mode());
    // Keys that wait for the last one wait as digests; what is told of a refused key is its number.
    const bool needs_texts = *built || flags.unique || format->type == key_type::cidr;
    const key_stream stream{std::move(*files), *format,
                            *threads,          flags.output.progress_mode(),
                            &skipped,          needs_texts ? key_texts::kept : key_texts::dropped};
    noted_lengths lengths;
    unique_keys unique;
    const auto read_into = [&](auto& into) {
        return hash_keys(stream, *hasher, stopper.cancel(), [&](const hashed_keys& keys) {
            lengths.take(format->type, keys);
            return into.take(flags.unique ? unique.first_of(keys) : keys);
        });
    };
    waiting_keys waiting;
    std::optional<std::uint64_t> sized_for;
    if (!*built) {
        auto counted_all = read_into(waiting);
        if (!counted_all) return fail(std::move(counted_all.error()));
        sized_for = std::max(waiting.count(), least_default_items);
        auto made = build_for_items(flags, hasher->id(), sized_for);
        if (!made) return fail(std::move(made.error()));
        *built = std::move(*made);
    }
    filter_file file;
    file.handle = keyed(std::move((*built)->filter), *hasher);
    file.keys = format->type;
    file.target = (*built)->capacity;
    insertion into(file.filter(), flags.path);
    auto inserted = sized_for ? waiting.insert_into(into) : read_into(into);
    if (!inserted) return fail(std::move(inserted.error()));
    into.report_refusals();
    if (!flags.overfill) {
        const auto now = file.filter().measure();
        if (exceeds(now, file.target))
            return fail(overfull(flags.path, "with " + counted(into.tally().all(), "key"), now, file.target));
    }
    if (flags.all_or_none) {
        if (auto all = refuse_partial(flags.path, into.tally()); !all) return fail(std::move(all.error()));
    }
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    skipped.report();
    lengths.attach_to(file);
    if (auto saved = update->save(file); !saved) return fail(std::move(saved.error()));
    if (leave_empty && flags.output.wants_text()) {
        say("everbloom: no keys given: the filter is empty; 'everbloom add {}' adds keys\n", flags.path);
    }
    warn_of_end_of_growth(flags.path, file.filter(), into.tally());
    report(flags, file, into.tally(), unique.repeated(), sized_for);
    return into.tally().all() == into.tally().successes() ? exit_done : exit_nothing;
}

} // namespace

void declare_create(command_line& line) {
    auto flags = std::make_shared<create_flags>();
    command_flags command =
        line.add("create", "Make a new filter, and fill it from lists of keys",
                 "everbloom create names.eb names.txt\n"
                 "cat names.txt | everbloom create wide.eb --kind bloom --capacity 1M --fpr 1/10000",
                 [flags] { return run_create(*flags); });
    command.add_option("FILE", flags->path, "the new filter")->required()->type_name("");
    flags->keys.declare_files(command);
    command.add_option("--kind", flags->kind, "kind of filter, see below (default: what 'plan' would choose)")
        ->type_name("KIND")
        ->suggests(list_of_kinds());
    flags->geometry.declare(command);
    flags->lifetime.declare(command);
    flags->hashing.declare(command);
    command
        .add_option(
            "--like", flags->like,
            "with the key type, hash function and secret hash key of this filter, and of its kind and geometry unless "
            "flags say otherwise: such filters can be merged")
        ->type_name("FILE");
    command.add_flag("--slow", flags->slow,
                     "a filter for more keys than memory: keep the hashes of the keys in FILE, and only the bits that "
                     "queries read (10 to 17 per key) in memory; grows, and add and remove change FILE in place");
    command.add_flag("--unique", flags->unique,
                     "drop repetitions of a key before they reach the filter (16 bytes of memory per key and more)");
    command.add_flag("--force", flags->force, "replace FILE if it is a filter, or empty");
    command.add_flag("--overfill", flags->overfill, "accept more keys than the target FPR allows");
    command.add_flag("--all-or-none", flags->all_or_none,
                     "write nothing if the filter has no room for a key (default: go on)");
    flags->keys.declare(command);
    flags->output.declare(command);
    if (command.selected().is_everything()) command.before_examples(kinds_section());
}

} // namespace everbloom::cli
