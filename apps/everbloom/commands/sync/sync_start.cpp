#include "commands/sync/sync_start.hpp"

#include "filters/filter_argument.hpp"
#include "frame/flag_values.hpp"
#include "output/wording.hpp"

#include <everbloom/format/lookalike.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

namespace everbloom::cli {
namespace {

bool exists(const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0;
}

/// Only a zstd file, as lists are, or an empty file may be replaced unread: not any file that happens to have the name.
bool may_be_list(const std::string& path) {
    const std::string look = look_in_words(path);
    return look == words_of(lookalike::zstd) || look == words_of(lookalike::nothing);
}

failure not_a_list(const std::string& path) {
    return {failure_reason::damaged,
            fmt::format("{}: is not an everbloom list and is not overwritten; it looks like {}: move it away, then run "
                        "'everbloom sync --rebuild FILE LIST'",
                        path, look_in_words(path))};
}

failure has_no_list(const sync_flags& flags, const std::string& list_path) {
    return {
        failure_reason::bad_parameter,
        fmt::format("{}: its list is missing ({}), so its keys are unknown; --rebuild replaces it by a filter built "
                    "from LIST",
                    flags.path, list_path)};
}

/// A change of the keys would silently lose the exclusion list.
result<void> refuse_protected(const sync_flags& flags, const any_filter& filter) {
    if (!filter.exclusions() || !flags.negatives.empty()) return {};
    return fail(
        failure_reason::unsupported,
        fmt::format("{0}: has an exclusion list, which changes with the keys; name the known negatives again with "
                    "--protect GOOD, or remove it: everbloom protect --drop {0}",
                    flags.path));
}

result<std::string> kind_for(const sync_flags& flags, const found_files& found) {
    std::string kind(default_followed_kind);
    if (found.list) {
        for (const kind_info& one : known_kinds()) {
            if (one.id == found.list->facts.kind) kind = one.name;
        }
    }
    if (found.filter) kind = found.filter->filter().kind();
    if (flags.kind && found.filter && !flags.rebuilds() && *flags.kind != kind) {
        return fail(failure_reason::mismatch, fmt::format("--kind: {} is {} filter; --rebuild rebuilds it as {} filter",
                                                          flags.path, with_article(kind), with_article(*flags.kind)));
    }
    kind = flags.kind.value_or(kind);
    const kind_info* info = find_kind(kind);
    if (info == nullptr) return fail(unknown_kind(kind));
    if (!info->capabilities.has(capability::insert)) {
        return fail(
            failure_reason::unsupported,
            fmt::format("{} filter is built once, from all of its keys; sync cannot update it", with_article(kind)));
    }
    if (info->capabilities.has(capability::protect)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{} filter is built once, with its known negatives; sync cannot update it",
                                with_article(kind)));
    }
    return kind;
}

result<double> rate_for(const sync_flags& flags, const found_files& found) {
    double target = found.list ? found.list->facts.fpr : workload{}.fpr;
    if (found.filter && found.filter->target.items != 0) target = found.filter->target.fpr;
    if (!flags.fpr) return target;
    const auto asked = rate_of_flag("--fpr", *flags.fpr);
    if (!asked) return fail(asked.error());
    if (!(*asked > 0) || !(*asked < 1)) {
        return fail(failure_reason::bad_parameter,
                    "--fpr: '" + *flags.fpr + "' must be between 0 and 1, for example 0.1%");
    }
    if (found.filter && !flags.rebuilds() && *asked != target) {
        return fail(failure_reason::mismatch,
                    fmt::format("--fpr: the target FPR of {} is {}; --rebuild rebuilds it for {}", flags.path,
                                rate_text(target), rate_text(*asked)));
    }
    return *asked;
}

result<any_hasher> hasher_for(const sync_flags& flags, const found_files& found) {
    auto asked = flags.hashing.make();
    if (!asked || !found.filter) return asked;
    const any_hasher& there = found.filter->hasher();
    if (flags.rekey) {
        const any_hasher made(flags.hashing.names_hash() ? asked->id() : there.id(), asked->key());
        if (made != there && made.id() != hash_id::dcso) return made;
        return fail(failure_reason::bad_parameter,
                    made.id() == hash_id::dcso
                        ? "--rekey: the hash dcso has no key"
                        : "--rekey: " + flags.path + " has this hash key already; leave out --seed for a random one");
    }
    if (flags.hashing.accepts(there)) return there;
    if (flags.rebuilds()) return asked;
    return fail(failure_reason::mismatch,
                fmt::format("--hash, --seed: {} has another hash or hash key ({}); --rebuild rebuilds it", flags.path,
                            name_of(there.id())));
}

} // namespace

result<found_files> find_files(const sync_flags& flags, const std::string& target, key_arena& arena,
                               const cancellation& cancel) {
    found_files found;
    const std::string list_path = list_path_of(target);
    if (exists(target)) {
        auto file = open_filter_argument(flags.path);
        // Only a filter may be replaced: the arguments may be swapped.
        if (!file && !(flags.rebuilds() && looks_like_filter(target))) {
            return fail(looks_like_filter(target) && file.error().reason == failure_reason::damaged
                            ? failure{file.error().reason, file.error().sentence + "; --rebuild rebuilds it"}
                            : file.error());
        }
        if (file) found.filter = std::move(*file);
        if (found.filter) {
            if (auto plain = refuse_protected(flags, found.filter->filter()); !plain)
                return fail(std::move(plain.error()));
        }
        if (!flags.rebuilds() && !exists(list_path)) return fail(has_no_list(flags, list_path));
    }
    if (!exists(list_path)) return found;
    auto list = read_list(list_path, arena, cancel);
    if (!list && !may_be_list(list_path)) return fail(not_a_list(list_path));
    if (!list && !(flags.rebuilds() && !flags.trace)) return fail(std::move(list.error()));
    if (list) found.list = std::move(*list);
    return found;
}

result<followed_options> options_for(const sync_flags& flags, const found_files& found) {
    auto kind = kind_for(flags, found);
    if (!kind) return fail(std::move(kind.error()));
    const auto fpr = rate_for(flags, found);
    if (!fpr) return fail(fpr.error());
    const auto hasher = hasher_for(flags, found);
    if (!hasher) return fail(hasher.error());
    const auto format = found.filter ? flags.keys.format_for(flags.path, found.filter->keys)
                        : found.list ? flags.keys.format_for(flags.path, found.list->facts.type)
                                     : flags.keys.format();
    if (!format) return fail(format.error());
    return followed_options{std::move(*kind), *fpr, *hasher, format->type};
}

} // namespace everbloom::cli
