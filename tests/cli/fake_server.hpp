// fake_server: a Redis server with the few commands that `everbloom redis` sends, on the loopback interface; exact sets stand for filters, and
// faults come on request. Two of them can be the nodes of a cluster.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace everbloom::support {

class fake_server {
public:
    using words = std::vector<std::string>;
    /// A reply in place of the command's own ("-TRYAGAIN later\r\n"); "" breaks the connection; "then break" executes it first.
    using fault = std::function<std::optional<std::string>(const words&)>;

    explicit fake_server(fault before = {}) : before_(std::move(before)) {
        listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t bytes = sizeof where;
        if (::bind(listening_, reinterpret_cast<sockaddr*>(&where), bytes) == 0 && ::listen(listening_, 16) == 0 &&
            ::getsockname(listening_, reinterpret_cast<sockaddr*>(&where), &bytes) == 0) {
            port_ = ntohs(where.sin_port);
        }
        thread_ = std::thread([this] { accept_all(); });
    }
    fake_server(const fake_server&) = delete;
    fake_server& operator=(const fake_server&) = delete;
    ~fake_server() {
        over_ = true;
        thread_.join();
        for (std::thread& one : talks_) one.join();
        ::close(listening_);
    }

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] std::string url(const std::string& name) const {
        return "redis://127.0.0.1:" + std::to_string(port_) + "/" + name;
    }
    /// The keys of all parts of a filter.
    [[nodiscard]] std::set<std::string> members() const {
        const std::scoped_lock lock(guard_);
        std::set<std::string> all;
        for (const auto& [name, keys] : sets_) all.insert(keys.begin(), keys.end());
        return all;
    }
    [[nodiscard]] std::size_t parts() const {
        const std::scoped_lock lock(guard_);
        return sets_.size() + files_.size();
    }
    [[nodiscard]] std::string text(const std::string& key) const {
        const std::scoped_lock lock(guard_);
        const auto found = texts_.find(key);
        return found == texts_.end() ? "" : found->second;
    }
    /// As an eviction would.
    void lose_part(const std::string& key) {
        const std::scoped_lock lock(guard_);
        sets_.erase(key);
    }
    void set_fault(fault before) {
        const std::scoped_lock lock(guard_);
        before_ = std::move(before);
    }
    /// The answer to CLUSTER SLOTS; without one this is no cluster.
    void set_slots(std::string reply) {
        const std::scoped_lock lock(guard_);
        slots_ = std::move(reply);
    }

    [[nodiscard]] static std::string bulk(const std::string& text) {
        return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    }

private:
    void accept_all() {
        while (!over_) {
            pollfd waiting{listening_, POLLIN, 0};
            if (::poll(&waiting, 1, 20) <= 0) continue;
            const int talk = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
            if (talk >= 0) talks_.emplace_back([this, talk] { answer_all(talk); });
        }
    }

    void answer_all(int talk) {
        std::string input;
        while (!over_) {
            pollfd waiting{talk, POLLIN, 0};
            if (::poll(&waiting, 1, 20) <= 0) continue;
            std::string more(1 << 16, '\0');
            const ssize_t got = ::recv(talk, more.data(), more.size(), 0);
            if (got <= 0) break;
            input.append(more, 0, static_cast<std::size_t>(got));
            bool broken = false;
            while (const auto command = take_command(input)) {
                const std::string reply = answer(*command, broken);
                for (std::size_t sent = 0; sent < reply.size();) {
                    const ssize_t now = ::send(talk, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
                    if (now <= 0) break;
                    sent += static_cast<std::size_t>(now);
                }
                if (broken) break;
            }
            if (broken) break;
        }
        ::close(talk);
    }

    /// "*2\r\n$3\r\nGET\r\n$1\r\na\r\n"; none while it is incomplete.
    static std::optional<words> take_command(std::string& input) {
        std::size_t at = 0;
        const auto number = [&](char mark) -> std::optional<std::size_t> {
            const std::size_t end = input.find("\r\n", at);
            if (end == std::string::npos || input[at] != mark) return std::nullopt;
            const std::size_t value = std::stoul(input.substr(at + 1, end - at - 1));
            at = end + 2;
            return value;
        };
        const auto count = number('*');
        if (!count) return std::nullopt;
        words made;
        for (std::size_t i = 0; i < *count; ++i) {
            const auto bytes = number('$');
            if (!bytes || input.size() < at + *bytes + 2) return std::nullopt;
            made.push_back(input.substr(at, *bytes));
            at += *bytes + 2;
        }
        input.erase(0, at);
        return made;
    }

    std::string answer(const words& command, bool& broken) {
        const std::scoped_lock lock(guard_);
        const auto instead = before_ ? before_(command) : std::nullopt;
        if (instead && *instead != "then break") {
            broken = instead->empty();
            return *instead;
        }
        broken = instead.has_value();
        const std::string reply = execute(command);
        return broken ? "" : reply;
    }

    std::string execute(const words& command) {
        const std::string& name = command.at(0);
        if (name == "CLUSTER") return slots_.empty() ? "-ERR This instance has cluster support disabled\r\n" : slots_;
        if (name == "ASKING") return "+OK\r\n";
        const std::string& key = command.at(1);
        if (name == "GET") return texts_.contains(key) ? bulk(texts_[key]) : "$-1\r\n";
        if (name == "SET") {
            if (command.back() == "NX" && texts_.contains(key)) return "$-1\r\n";
            texts_[key] = command.at(2);
            return "+OK\r\n";
        }
        if (name == "UNLINK")
            return ":" + std::to_string(sets_.erase(key) + files_.erase(key) + texts_.erase(key)) + "\r\n";
        if (name == "BF.RESERVE") {
            if (sets_.contains(key)) return "-ERR item exists\r\n";
            sets_[key];
            return "+OK\r\n";
        }
        if (name == "EB.LOADCHUNK") {
            files_[key] += command.at(4);
            return "+OK\r\n";
        }
        if (name == "EB.EXPORT") return files_.contains(key) ? bulk(files_[key]) : "-ERR not found\r\n";
        if (name == "EXISTS") return sets_.contains(key) || files_.contains(key) ? ":1\r\n" : ":0\r\n";
        if (name != "BF.INSERT" && name != "BF.MDEL" && name != "EB.EXISTS") return "-ERR unknown command\r\n";
        if (!sets_.contains(key) && name != "EB.EXISTS") return "-ERR not found\r\n"; // queries are answered with no
        const std::size_t first = name == "BF.INSERT" ? 4 : 2;                        // behind NOCREATE ITEMS
        std::string reply = "*" + std::to_string(command.size() - first) + "\r\n";
        for (std::size_t i = first; i < command.size(); ++i) {
            bool yes = false;
            if (name == "BF.INSERT") yes = sets_[key].insert(command[i]).second;
            if (name == "BF.MDEL") yes = sets_[key].erase(command[i]) != 0;
            if (name == "EB.EXISTS") yes = sets_.contains(key) && sets_[key].contains(command[i]);
            reply += yes ? ":1\r\n" : ":0\r\n";
        }
        return reply;
    }

    mutable std::mutex guard_;
    fault before_;
    std::string slots_;
    std::map<std::string, std::set<std::string>> sets_;
    std::map<std::string, std::string> texts_;
    std::map<std::string, std::string> files_;
    int listening_ = -1;
    int port_ = 0;
    std::atomic<bool> over_ = false;
    std::thread thread_;
    std::vector<std::thread> talks_;
};

} // namespace everbloom::support
