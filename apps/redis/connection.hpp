// connection: one connection to a server: commands are collected, sent together, and answered in their order.
//
// hiredis speaks the protocol. Every wait has a limit: a server that is stopped, or a network that swallows packets, becomes a failure.
#pragma once

#include "redis/filter_url.hpp"
#include "redis/server_reply.hpp"

#include <everbloom/core/result.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string_view>

struct redisContext;

namespace everbloom::cli {

struct close_connection {
    void operator()(redisContext* context) const noexcept;
};

class connection {
public:
    /// Connects, and logs in where the URL says so.
    [[nodiscard]] static result<connection> open(const server_address& where, const filter_url& login,
                                                 std::chrono::milliseconds limit);

    /// Adds a command to those that are to be sent.
    [[nodiscard]] result<void> append(std::span<const std::string_view> words);
    /// Sends them.
    [[nodiscard]] result<void> flush();
    /// The next answer.
    [[nodiscard]] result<server_reply> read();

    /// One command and its answer.
    [[nodiscard]] result<server_reply> call(std::initializer_list<std::string_view> words);

private:
    connection(redisContext* context, server_address where) : context_(context), where_(std::move(where)) {}
    [[nodiscard]] failure broken() const;

    std::unique_ptr<redisContext, close_connection> context_;
    server_address where_;
};

} // namespace everbloom::cli
