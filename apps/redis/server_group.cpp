#include "redis/server_group.hpp"

#include "frame/interruption.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <thread>

namespace everbloom::cli {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto one_answer = 5s; // the longest wait for one
constexpr auto first_pause = 20ms;
constexpr auto longest_pause = 500ms;

/// "MOVED 3999 127.0.0.1:6381": the address; a node that does not know its own name leaves out the host.
std::optional<server_address> redirection(std::string_view error, const server_address& from) {
    const std::size_t blank = error.rfind(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    const std::string_view where = error.substr(blank + 1);
    // Hosts that are IPv6 addresses come without brackets.
    const std::size_t colon = where.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    server_address made{std::string(where.substr(0, colon))};
    const std::string_view port = where.substr(colon + 1);
    if (std::from_chars(port.data(), port.data() + port.size(), made.port).ptr != port.data() + port.size()) {
        return std::nullopt;
    }
    if (made.host.empty() || made.host == "?") made.host = from.host;
    return made;
}

/// Errors that go away: a cluster without an owner of the slot, a slot half moved, a server that loads, a replica that takes over.
bool is_passing(std::string_view error) {
    return std::ranges::any_of(
        std::array<std::string_view, 5>{"CLUSTERDOWN ", "TRYAGAIN ", "LOADING ", "MASTERDOWN ", "READONLY "},
        [&](std::string_view one) { return error.starts_with(one); });
}

} // namespace

/// What one sending of the waiting commands has brought.
struct server_group::round {
    std::vector<waiting_command> waiting = {};
    std::vector<waiting_command> again = {};
    std::string reason = {}; // why a command must be sent again
    bool answered = false;   // anything was
    bool redirected = false; // to another node
    bool pause = false;      // before it is sent again

    void send_again(const waiting_command& one, std::string why) {
        reason = std::move(why);
        pause = true;
        again.push_back({one.index});
    }
};

result<server_group> server_group::connect(filter_url url, std::chrono::milliseconds patience,
                                           const cancellation& cancel) {
    server_group made(std::move(url), patience, cancel);
    if (auto found = made.find_nodes(); !found) return fail(std::move(found.error()));
    return made;
}

result<void> server_group::reach(node& one) {
    if (one.link) return {};
    auto opened = connection::open(one.where, url_, std::min<std::chrono::milliseconds>(one_answer, patience_));
    if (!opened) return fail(std::move(opened.error()));
    one.link = std::move(*opened);
    return {};
}

std::size_t server_group::index_of(const server_address& where) {
    const auto found = std::ranges::find(nodes_, where, &node::where);
    if (found != nodes_.end()) return static_cast<std::size_t>(found - nodes_.begin());
    nodes_.push_back({where});
    return nodes_.size() - 1;
}

server_group::node& server_group::node_at(const server_address& where) { return nodes_[index_of(where)]; }

/// Asks one node for the owners of all slots.
result<void> server_group::learn_from(node& one) {
    if (auto there = reach(one); !there) return there;
    const server_address asked = one.where;
    auto slots = one.link->call({"CLUSTER", "SLOTS"});
    if (!slots) {
        one.link.reset();
        return fail(std::move(slots.error()));
    }
    const auto refused = [&](std::string_view why) {
        return fail(failure_reason::input_output, fmt::format("{}: {}", asked.text(), why));
    };
    if (slots->is_error() && slots->text.find("cluster support disabled") == std::string::npos) {
        return refused(printable(slots->text));
    }
    if (slots->is_error()) { // a server without a cluster has everything
        owner_.fill(static_cast<std::uint16_t>(index_of(asked)));
        return {};
    }
    bool is_known = false;
    for (const server_reply& range : slots->items) {
        if (range.items.size() < 3 || range.items[2].items.size() < 2) continue;
        const auto first = range.items[0].number;
        const auto last = range.items[1].number;
        if (first < 0 || last >= static_cast<long long>(cluster_slots) || first > last) continue;
        std::string host = range.items[2].items[0].text;
        if (host.empty() || host == "?") host = asked.host;
        const std::size_t owner = index_of({std::move(host), static_cast<int>(range.items[2].items[1].number)});
        std::fill(owner_.begin() + first, owner_.begin() + last + 1, static_cast<std::uint16_t>(owner));
        is_known = true;
    }
    if (!is_known) return refused("has no slots of a cluster");
    return {};
}

result<void> server_group::find_nodes() {
    for (const server_address& known : url_.nodes) (void)index_of(known);
    std::string reason;
    // By index: new nodes are appended while one is asked.
    for (std::size_t i = 0; i < nodes_.size(); ++i) { // NOLINT(modernize-loop-convert)
        auto learned = learn_from(nodes_[i]);
        if (learned) return {};
        reason = std::move(learned.error().sentence);
    }
    return fail(failure_reason::input_output, fmt::format("{}: {}", url_.shown(), reason));
}

void server_group::send(std::span<const server_command> commands, round& now) {
    for (const waiting_command& one : now.waiting) {
        const server_command& command = commands[one.index];
        node& target = one.asked ? node_at(*one.asked) : nodes_[owner_[slot_of(command.key)]];
        constexpr std::array<std::string_view, 1> asking{"ASKING"};
        auto added = reach(target);
        if (added && one.asked) added = target.link->append(asking);
        if (added) added = target.link->append(command.words);
        if (added) {
            target.sent.push_back(one);
        } else {
            now.send_again(one, added.error().sentence);
        }
    }
    for (node& one : nodes_) {
        if (one.sent.empty()) continue;
        if (auto flushed = one.link->flush(); !flushed) lose(one, flushed.error(), now);
    }
}

/// What this node has not answered is sent again, perhaps to another.
void server_group::lose(node& one, const failure& why, round& now) {
    one.link.reset();
    for (const waiting_command& lost : one.sent) now.send_again(lost, why.sentence);
    one.sent.clear();
}

void server_group::receive(std::span<const server_command> commands, std::vector<server_reply>& replies, round& now) {
    // By index: MOVED may name a node that is not known yet, which is appended.
    for (std::size_t i = 0; i < nodes_.size(); ++i) { // NOLINT(modernize-loop-convert)
        node& one = nodes_[i];
        while (!one.sent.empty()) {
            const waiting_command next = one.sent.front();
            auto reply = one.link->read();
            if (reply && next.asked) reply = one.link->read(); // the first was that of ASKING
            if (!reply) {
                lose(one, reply.error(), now);
                break;
            }
            one.sent.pop_front();
            take(commands[next.index], next, std::move(*reply), one.where, replies, now);
        }
    }
}

void server_group::take(const server_command& command, const waiting_command& which, server_reply reply,
                        const server_address& from, std::vector<server_reply>& replies, round& now) {
    const bool moved = reply.is_error() && reply.text.starts_with("MOVED ");
    const bool asked = reply.is_error() && reply.text.starts_with("ASK ");
    if (const auto where = moved || asked ? redirection(reply.text, from) : std::nullopt) {
        now.reason = from.text() + ": " + printable(reply.text);
        now.redirected = true;
        if (moved) owner_[slot_of(command.key)] = static_cast<std::uint16_t>(index_of(*where));
        now.again.push_back({which.index, asked ? where : std::nullopt});
    } else if (reply.is_error() && is_passing(reply.text)) {
        now.send_again(which, from.text() + ": " + printable(reply.text));
    } else {
        now.answered = true;
        replies[which.index] = std::move(reply);
    }
}

result<std::vector<server_reply>> server_group::run(std::span<const server_command> commands) {
    std::vector<server_reply> replies(commands.size());
    round now;
    for (std::size_t i = 0; i < commands.size(); ++i) now.waiting.push_back({i});
    auto last_answer = clock::now();
    std::chrono::milliseconds pause = first_pause;
    int redirections = 0;
    while (!now.waiting.empty()) {
        if (cancel_->requested()) return fail(failure_reason::input_output, interruption::sentence);
        send(commands, now);
        receive(commands, replies, now);
        if (now.answered) {
            last_answer = clock::now();
            pause = first_pause;
        } else if (clock::now() - last_answer > patience_) {
            return fail(failure_reason::input_output,
                        fmt::format("{}: no answer for {:.0f} seconds; {}", url_.shown(),
                                    std::chrono::duration<double>(patience_).count(), now.reason));
        }
        // Two nodes that send each other a slot's commands, for it is moving, need a pause as well.
        constexpr int many = 5;
        redirections = now.redirected && !now.answered ? redirections + 1 : 0;
        if (now.pause || redirections > many) {
            std::this_thread::sleep_for(pause);
            pause = std::min<std::chrono::milliseconds>(2 * pause, longest_pause);
            (void)find_nodes(); // a failure shows in the next round
        }
        now = round{std::move(now.again)};
    }
    return replies;
}

result<server_reply> server_group::run_one(std::string_view key, std::initializer_list<std::string_view> words) {
    const server_command command{key, words};
    auto replies = run(std::span(&command, 1));
    if (!replies) return fail(std::move(replies.error()));
    return std::move(replies->front());
}

} // namespace everbloom::cli
