// server_group: the nodes of a cluster, or a single server, as one: commands go to the nodes that have their keys.
//
// Commands are sent to all nodes before any answer is read, so that the nodes work at the same time. What a node cannot do now is sent
// again: a slot has moved (MOVED) or is moving (ASK, TRYAGAIN), a node loads its data, a replica takes over for a node that is gone. That is
// safe only for commands that may be executed twice. Ours may; a chunk of a file that comes twice makes a file that the server refuses. When nothing has been answered for as long as the caller is
// patient, the last reason becomes the failure.
#pragma once

#include "frame/cancellation.hpp"
#include "redis/cluster_slot.hpp"
#include "redis/connection.hpp"

#include <array>
#include <deque>
#include <optional>

namespace everbloom::cli {

struct server_command {
    std::string_view key; // decides the node
    std::vector<std::string_view> words;
};

class server_group {
public:
    /// `cancel` ends every wait and must outlive the group.
    [[nodiscard]] static result<server_group> connect(filter_url url, std::chrono::milliseconds patience,
                                                      const cancellation& cancel);

    /// The answers, in the order of the commands; errors that cannot be mended by waiting are answers as well.
    [[nodiscard]] result<std::vector<server_reply>> run(std::span<const server_command> commands);
    [[nodiscard]] result<server_reply> run_one(std::string_view key, std::initializer_list<std::string_view> words);

    [[nodiscard]] const filter_url& url() const noexcept { return url_; }
    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }

private:
    /// A command that is not answered yet.
    struct waiting_command {
        std::size_t index = 0;
        std::optional<server_address> asked = {}; // a node that takes it once, while its slot moves
    };
    struct node {
        server_address where;
        std::optional<connection> link = {};
        std::deque<waiting_command> sent = {}; // not answered yet
    };
    struct round;

    server_group(filter_url url, std::chrono::milliseconds patience, const cancellation& cancel)
        : url_(std::move(url)), patience_(patience), cancel_(&cancel) {}

    [[nodiscard]] result<void> find_nodes();
    [[nodiscard]] result<void> learn_from(node& one);
    [[nodiscard]] std::size_t index_of(const server_address& where);
    [[nodiscard]] node& node_at(const server_address& where);
    [[nodiscard]] result<void> reach(node& one);
    void send(std::span<const server_command> commands, round& now);
    void lose(node& one, const failure& why, round& now);
    void receive(std::span<const server_command> commands, std::vector<server_reply>& replies, round& now);
    void take(const server_command& command, const waiting_command& which, server_reply reply,
              const server_address& from, std::vector<server_reply>& replies, round& now);

    filter_url url_;
    std::chrono::milliseconds patience_;
    const cancellation* cancel_;
    std::deque<node> nodes_;                           // those that are found stay where they are
    std::array<std::uint16_t, cluster_slots> owner_{}; // of each slot
};

} // namespace everbloom::cli
