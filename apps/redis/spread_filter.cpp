#include "redis/spread_filter.hpp"

#include "output/change_record.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/jobs/shard.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace everbloom::cli {
namespace {

constexpr std::size_t keys_per_command =
    500; // enough that the command itself costs little; few enough that others do not wait for it

std::string note_name(const server_group& servers, std::string_view what) {
    return fmt::format("{}:{}", servers.url().name, what);
}

constexpr std::string_view missing_part =
    "this part is missing on the server, evicted or deleted; its keys must be pushed again under another name, or "
    "the whole list be sent with 'everbloom redis sync --rebuild'";

/// For the report of a later failure, once.
void note_change(const server_group& servers) {
    if (changed_files() == 0) note_changed_file(servers.url().shown());
}

/// What to do about an error that waiting does not mend.
failure refusal(const std::string& key, const std::string& error) {
    const std::string said = fmt::format("{}: {}", printable(key), printable(error));
    if (error.starts_with("OOM")) {
        return {failure_reason::out_of_memory,
                said + "; after making room, run the command again: what is done is not done twice"};
    }
    if (error.find("unknown command") != std::string::npos) {
        return {failure_reason::unsupported,
                said + "; the server needs the module everbloom.so (docs/redis.md says how it is loaded)"};
    }
    if (error == "ERR not found") {
        return {failure_reason::mismatch, fmt::format("{}: {}", printable(key), missing_part)};
    }
    return {failure_reason::mismatch, said};
}

result<std::uint32_t> number_of_shards(const server_group& servers, const std::string& text) {
    std::uint32_t shards = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), shards);
    if (read.ptr == text.data() + text.size() && shards >= 1 && shards <= spread_filter::most_shards) return shards;
    return fail(failure_reason::damaged,
                fmt::format("{}: '{}' is not a number of parts", note_name(servers, "shards"), printable(text)));
}

} // namespace

spread_filter::spread_filter(server_group& servers, std::uint32_t shards) : servers_(&servers) {
    for (std::uint32_t i = 0; i < shards; ++i) names_.push_back(fmt::format("{}:{{{}}}", servers.url().name, i));
}

result<std::optional<spread_filter>> spread_filter::find(server_group& servers, std::optional<std::uint32_t> shards) {
    const std::string noted = note_name(servers, "shards");
    auto said = servers.run_one(noted, {"GET", noted});
    if (!said) return fail(std::move(said.error()));
    if (said->is_error()) return fail(refusal(noted, said->text));
    if (said->is != server_reply::type::text) return std::optional<spread_filter>{};
    const auto there = number_of_shards(servers, said->text);
    if (!there) return fail(there.error());
    if (shards && *shards != *there) {
        return fail(
            failure_reason::mismatch,
            fmt::format(
                "{} is spread over {} parts, not {}; another number needs the keys: push them under another name",
                printable(servers.url().name), *there, *shards));
    }
    return std::optional(spread_filter(servers, *there));
}

result<spread_filter> spread_filter::note(server_group& servers, std::uint32_t shards) {
    const std::string noted = note_name(servers, "shards");
    auto set = servers.run_one(noted, {"SET", noted, std::to_string(shards), "NX"});
    if (!set) return fail(std::move(set.error()));
    if (set->is_error()) return fail(refusal(noted, set->text));
    auto made = find(servers, shards);
    if (!made) return fail(std::move(made.error()));
    if (!*made) return fail(failure_reason::input_output, noted + ": was deleted meanwhile");
    return std::move(**made);
}

result<spread_filter> spread_filter::make(server_group& servers, const spread_plan& plan) {
    auto made = note(servers, plan.shards);
    if (!made) return made;
    const std::string fpr = fmt::format("{}", plan.fpr);
    const std::string capacity = std::to_string(std::max<std::uint64_t>(1, plan.capacity / plan.shards));
    std::vector<server_command> commands;
    for (const std::string& part : made->names_) {
        commands.push_back({part, {"BF.RESERVE", part, fpr, capacity}});
        if (plan.deletable) commands.back().words.emplace_back("DELETABLE");
    }
    const auto replies = servers.run(commands);
    if (!replies) return fail(replies.error());
    for (std::size_t i = 0; i < replies->size(); ++i) {
        const server_reply& reply = (*replies)[i];
        if (reply.is_error() && reply.text != "ERR item exists") return fail(refusal(made->names_[i], reply.text));
    }
    note_change(servers);
    return made;
}

result<void> spread_filter::each(const keyed_command& command, std::span<const std::string_view> keys,
                                 const std::function<void(std::size_t, const server_reply&)>& take) const {
    std::vector<std::vector<std::size_t>> of_part(names_.size());
    for (std::size_t i = 0; i < keys.size(); ++i) of_part[shard_of(keys[i], shards())].push_back(i);
    std::vector<server_command> commands;
    std::vector<std::span<const std::size_t>> asked;
    for (std::size_t part = 0; part < names_.size(); ++part) {
        for (std::span<const std::size_t> rest = of_part[part]; !rest.empty();) {
            const auto now = rest.first(std::min(rest.size(), keys_per_command));
            server_command& made = commands.emplace_back(server_command{names_[part], {command.name, names_[part]}});
            made.words.reserve(2 + command.options.size() + now.size());
            made.words.insert(made.words.end(), command.options.begin(), command.options.end());
            for (const std::size_t key : now) made.words.push_back(keys[key]);
            asked.push_back(now);
            rest = rest.subspan(now.size());
        }
    }
    const auto replies = servers_->run(commands);
    if (!replies) return fail(replies.error());
    std::optional<failure> failed; // what the others have answered counts all the same
    for (std::size_t c = 0; c < commands.size(); ++c) {
        const server_reply& reply = (*replies)[c];
        const std::string part(commands[c].key);
        if (reply.is_error()) {
            failed = refusal(part, reply.text);
            continue;
        }
        for (std::size_t i = 0; i < asked[c].size(); ++i) {
            if (i >= reply.items.size()) {
                failed = {failure_reason::mismatch,
                          fmt::format("{}: answered {} of {} keys", part, i, asked[c].size())};
                break;
            }
            if (reply.items[i].is_error()) { // the keys behind it were not tried
                failed = refusal(part, reply.items[i].text);
                break;
            }
            take(asked[c][i], reply.items[i]);
        }
    }
    if (failed) return fail(std::move(*failed));
    return {};
}

result<void> spread_filter::count_changes(const keyed_command& command, std::span<const std::string_view> keys,
                                          change& so_far) const {
    return each(command, keys, [&](std::size_t, const server_reply& one) {
        if (one.number != 0 && so_far.changed++ == 0) note_change(*servers_);
        so_far.unchanged += one.number == 0 ? 1 : 0;
    });
}

result<void> spread_filter::add(std::span<const std::string_view> keys, change& so_far) const {
    // Not BF.MADD, which would make a part that is gone anew, empty and with other parameters.
    return count_changes({"BF.INSERT", {"NOCREATE", "ITEMS"}}, keys, so_far);
}

result<void> spread_filter::remove(std::span<const std::string_view> keys, change& so_far) const {
    return count_changes({"BF.MDEL"}, keys, so_far);
}

result<void> spread_filter::ask(std::span<const std::string_view> keys, std::vector<std::uint8_t>& answers) const {
    answers.assign(keys.size(), 0);
    auto asked = each({"EB.EXISTS"}, keys,
                      [&](std::size_t key, const server_reply& one) { answers[key] = one.number != 0 ? 1 : 0; });
    if (!asked) return asked;
    return require_parts_of(keys);
}

result<void> spread_filter::require_parts_of(std::span<const std::string_view> keys) const {
    std::vector<bool> is_used(names_.size());
    for (const std::string_view key : keys) is_used[shard_of(key, shards())] = true;
    std::vector<server_command> commands;
    for (std::size_t part = 0; part < names_.size(); ++part) {
        if (is_used[part]) commands.push_back({names_[part], {"EXISTS", names_[part]}});
    }
    const auto replies = servers_->run(commands);
    if (!replies) return fail(replies.error());
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if ((*replies)[i].number == 1) continue;
        return fail(failure_reason::mismatch, fmt::format("{}: {}", printable(commands[i].key), missing_part));
    }
    return {};
}

result<void> spread_filter::drop() const {
    std::vector<server_command> commands;
    for (const std::string& part : names_) commands.push_back({part, {"UNLINK", part}});
    const std::string synced = note_name(*servers_, "synced");
    const std::string noted = note_name(*servers_, "shards"); // the last one: until then the parts can be found
    commands.push_back({synced, {"UNLINK", synced}});
    if (auto done = servers_->run(commands); !done) return fail(std::move(done.error()));
    auto last = servers_->run_one(noted, {"UNLINK", noted});
    if (!last) return fail(std::move(last.error()));
    if (last->is_error()) return fail(refusal(noted, last->text));
    note_change(*servers_);
    return {};
}

result<std::string> spread_filter::read_note(std::string_view what) const {
    const std::string noted = note_name(*servers_, what);
    auto said = servers_->run_one(noted, {"GET", noted});
    if (!said) return fail(std::move(said.error()));
    if (said->is_error()) return fail(refusal(noted, said->text));
    return said->text;
}

result<void> spread_filter::write_note(std::string_view what, std::string_view text) const {
    const std::string noted = note_name(*servers_, what);
    auto said = servers_->run_one(noted, {"SET", noted, text});
    if (!said) return fail(std::move(said.error()));
    if (said->is_error()) return fail(refusal(noted, said->text));
    return {};
}

} // namespace everbloom::cli
