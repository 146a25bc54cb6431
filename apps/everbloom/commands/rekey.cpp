// rekey: gives a filter a new secret hash key, from the list of its keys.
//
// A filter stores hashes, not keys, so a new hash key needs the keys once more. The list is read once: each key must be in the filter, goes
// into a new filter under the new hash key, and into one under the old hash key, which must then hold as much as the filter does. Otherwise
// the list lacks keys, or has others, and nothing is replaced.
#include "commands/commands.hpp"
#include "commands/sync/list_file.hpp"
#include "filters/filter_update.hpp"
#include "filters/hasher_flags.hpp"
#include "filters/insertion.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/unique_keys.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "keys/key_flags.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>

namespace everbloom::cli {
namespace {

struct rekey_flags {
    std::string path;
    hasher_flags hashing;
    bool unique = false;
    bool trust_list = false;
    key_flags keys;
    summary_flags output;
};

/// Filters whose contents are more than their keys under one hash.
result<void> refuse_unsuitable(const std::string& path, const std::string& target, const filter_file& file) {
    if (::access(list_path_of(target).c_str(), F_OK) == 0) {
        return fail(failure_reason::unsupported,
                    fmt::format("{0}: is updated by sync, which knows its keys: 'everbloom sync --rekey {0} LIST' "
                                "gives it a new hash key",
                                path));
    }
    if (file.filter().exclusions()) {
        return fail(failure_reason::unsupported,
                    fmt::format("{0}: has an exclusion list, which the new hash key would make worthless; remove it "
                                "(everbloom protect --drop {0}), rekey, then name the known negatives again: "
                                "everbloom protect {0} GOOD",
                                path));
    }
    if (file.filter().can(capability::build)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{0}: {1} filter is built once, from all of its keys; create a new one from the list: "
                                "everbloom create --kind {2} NEW LIST",
                                path, with_article(file.filter().kind()), file.filter().kind()));
    }
    if (file.filter().can(capability::protect)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} filter is built once, with its known negatives; create a new one from both "
                                "lists",
                                path, with_article(file.filter().kind())));
    }
    return {};
}

/// The hash function stays unless --hash names another one.
result<any_hasher> new_hasher(const rekey_flags& flags, const any_hasher& old) {
    auto asked = flags.hashing.make();
    if (!asked) return asked;
    const any_hasher made(flags.hashing.names_hash() ? asked->id() : old.id(), asked->key());
    if (made.id() == hash_id::dcso) {
        return fail(failure_reason::unsupported, flags.path + ": the hash dcso has no key; --hash siphash gives it a "
                                                              "keyed hash, and it is no longer one for .bloom files");
    }
    if (made == old) {
        return fail(failure_reason::bad_parameter,
                    "--seed: " + flags.path + " has this hash key already; leave out --seed for a random one");
    }
    return made;
}

/// An empty filter of the same kind and geometry under this hash.
result<filter_file> emptied(const filter_file& like, const any_hasher& hasher) {
    auto copy = like.filter().clone();
    if (!copy) return fail(std::move(copy.error()));
    if (auto cleared = copy->clear(); !cleared) return fail(std::move(cleared.error()));
    filter_file made;
    made.handle = keyed(std::move(*copy), hasher);
    made.keys = like.keys;
    made.target = like.target;
    made.attached = like.attached;
    return made;
}

/// Keys of the list that are not in the filter.
struct absent_keys {
    std::uint64_t count = 0;
    std::string first;
};

/// Does a filter made of the list hold what this one holds? Exactly where the kind keeps count, else by the cells, which are the same for
/// the same keys.
bool hold_as_much(const any_filter& filter, const any_filter& of_list) {
    if (filter.keys() && of_list.keys()) return *filter.keys() == *of_list.keys();
    return std::abs(filter.measure().items - of_list.measure().items) < 0.5;
}

result<void> check_list(const rekey_flags& flags, const absent_keys& absent, std::uint64_t keys, const filter_file& old,
                        const filter_file& of_list) {
    if (flags.trust_list) return {};
    const std::string advice = "nothing was changed; --trust-list takes the list for what the filter should hold";
    if (absent.count != 0) {
        return fail(failure_reason::mismatch,
                    fmt::format("{}: {} of the {} of the list {} not in the filter, the first is '{}': this is not the "
                                "list of its keys; {}",
                                flags.path, grouped(absent.count), counted(keys, "key"),
                                absent.count == 1 ? "is" : "are", absent.first, advice));
    }
    if (!hold_as_much(old.filter(), of_list.filter())) {
        return fail(failure_reason::mismatch,
                    fmt::format("{}: holds {}, and the list has {}: with this list it would hold another set{}; {}",
                                flags.path, estimated_keys(old.filter().measure().items), counted(keys, "key"),
                                flags.unique ? "" : " (--unique counts repetitions once)", advice));
    }
    return {};
}

void report(const rekey_flags& flags, const filter_file& file, std::uint64_t keys, const absent_keys& absent) {
    const measurement now = file.filter().measure();
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", file.filter().kind()},
                        {"hash", name_of(file.hasher().id())},
                        {"keys", keys},
                        {"keys_not_in_old_filter", absent.count},
                        {"bytes", saved_bytes(file)},
                        {"items", now.items},
                        {"fpr_current", now.fpr}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: a new hash key ({}), {} from the list; {}\n", flags.path, name_of(file.hasher().id()),
                   counted(keys, "key"), state_text(now, file.target));
    }
}

result<int> run_rekey(const rekey_flags& flags) {
    const auto threads = flags.keys.threads();
    if (!threads) return fail(threads.error());
    if (auto order = refuse_swapped("rekey", flags.path, flags.keys.file_names()); !order) {
        return fail(std::move(order.error()));
    }
    if (is_slow_filter(flags.path)) {
        return fail(failure_reason::unsupported,
                    flags.path + ": is a slow filter, for which rekey does not work; create a new one from the list: "
                                 "everbloom create --slow NEW LIST");
    }
    auto files = flags.keys.find(flags.keys.file_names());
    if (!files) return fail(std::move(files.error()));

    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    filter_file& file = update->file();
    if (auto suitable = refuse_unsuitable(flags.path, update->target(), file); !suitable) {
        return fail(std::move(suitable.error()));
    }
    const auto format = flags.keys.format_for(flags.path, file.keys);
    if (!format) return fail(format.error());
    const auto hasher = new_hasher(flags, file.hasher());
    if (!hasher) return fail(hasher.error());
    auto rekeyed = emptied(file, *hasher);
    if (!rekeyed) return fail(in(flags.path, std::move(rekeyed.error())));
    auto of_list = emptied(file, file.hasher());
    if (!of_list) return fail(in(flags.path, std::move(of_list.error())));

    greet_terminal(*files);
    skipped_lines skipped(flags.output.progress_mode());
    const key_stream stream{std::move(*files), *format, *threads, flags.output.progress_mode(), &skipped};
    noted_lengths lengths;
    unique_keys unique;
    absent_keys absent;
    insertion into(rekeyed->filter(), flags.path);
    insertion into_old(of_list->filter(), flags.path);
    hashed_keys under_new_key;
    std::vector<std::uint8_t> answers;
    auto read = hash_keys(
        stream, file.hasher(), stopper.cancel(),
        [&](const hashed_keys& all) -> result<void> {
            const hashed_keys& keys = flags.unique ? unique.first_of(all) : all;
            lengths.take(format->type, keys);
            answers.resize(keys.digests.size());
            file.filter().may_contain(keys.digests, answers);
            for (std::size_t i = 0; i < answers.size(); ++i) {
                if (answers[i] == 0 && absent.count++ == 0) absent.first = keys.texts[i];
            }
            under_new_key.texts = keys.texts;
            under_new_key.digests = keys.second_digests;
            if (auto taken = into.take(under_new_key); !taken) return taken;
            return into_old.take(keys);
        },
        *hasher);
    if (!read) return fail(std::move(read.error()));
    if (auto all = refuse_partial(flags.path, into.tally()); !all) return fail(std::move(all.error()));
    if (auto sound = check_list(flags, absent, into.tally().all(), file, *of_list); !sound) {
        return fail(std::move(sound.error()));
    }
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    skipped.report();
    file = std::move(*rekeyed);
    lengths.attach_to(file);
    if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    report(flags, file, into.tally().all(), absent);
    return exit_done;
}

} // namespace

void declare_rekey(command_line& line) {
    auto flags = std::make_shared<rekey_flags>();
    command_flags command = line.add("rekey", "Give a filter a new secret hash key, from the list of its keys",
                                     "everbloom create names.eb names.txt\n"
                                     "everbloom rekey names.eb names.txt",
                                     [flags] { return run_rekey(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    flags->keys.declare_files(command);
    flags->hashing.declare_change(command);
    command.add_flag("--unique", flags->unique,
                     "count repetitions of a key in the list once, as 'create --unique' does");
    command.add_flag("--trust-list", flags->trust_list,
                     "replace the contents even if the filter seems to hold other keys than the list");
    flags->keys.declare(command);
    flags->output.declare(command);
    command.before_examples(
        "\nCopies of the filter, and patches for them, keep the old hash key: replace them, too.\n");
}

} // namespace everbloom::cli
