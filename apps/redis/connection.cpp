#include "redis/connection.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <csignal>
#include <ctime>
#include <vector>

namespace everbloom::cli {
namespace {

struct free_reply {
    void operator()(void* reply) const noexcept { freeReplyObject(reply); }
};

/// A write to a connection that the server has closed raises SIGPIPE, which is meant for standard output.
class without_sigpipe {
public:
    without_sigpipe() noexcept {
        sigemptyset(&only_);
        sigaddset(&only_, SIGPIPE);
        sigset_t waiting;
        sigpending(&waiting);
        had_one_ = sigismember(&waiting, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &only_, &before_);
    }
    without_sigpipe(const without_sigpipe&) = delete;
    without_sigpipe& operator=(const without_sigpipe&) = delete;
    ~without_sigpipe() {
        const timespec at_once{};
        while (!had_one_ && sigtimedwait(&only_, nullptr, &at_once) == SIGPIPE) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

private:
    sigset_t only_{};
    sigset_t before_{};
    bool had_one_ = false;
};

server_reply value_of(const redisReply& reply) {
    using type = server_reply::type;
    server_reply made;
    switch (reply.type) {
    case REDIS_REPLY_INTEGER:
        made.is = type::integer;
        made.number = reply.integer;
        break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
        made.is = type::text;
        made.text.assign(reply.str, reply.len);
        break;
    case REDIS_REPLY_ERROR:
        made.is = type::error;
        made.text.assign(reply.str, reply.len);
        break;
    case REDIS_REPLY_ARRAY:
        made.is = type::list;
        made.items.reserve(reply.elements);
        for (std::size_t i = 0; i < reply.elements; ++i) made.items.push_back(value_of(*reply.element[i]));
        break;
    default: break;
    }
    return made;
}

timeval as_timeval(std::chrono::milliseconds limit) { return {limit.count() / 1000, (limit.count() % 1000) * 1000}; }

} // namespace

void close_connection::operator()(redisContext* context) const noexcept { redisFree(context); }

failure connection::broken() const {
    const bool timed_out = context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    return {failure_reason::input_output,
            fmt::format("{}: {}", where_.text(), timed_out ? "no answer in time" : printable(context_->errstr))};
}

result<connection> connection::open(const server_address& where, const filter_url& login,
                                    std::chrono::milliseconds limit) {
    connection made(redisConnectWithTimeout(where.host.c_str(), where.port, as_timeval(limit)), where);
    if (made.context_ == nullptr) return fail(failure_reason::out_of_memory, "no memory for a connection");
    if (made.context_->err != 0) return fail(made.broken());
    redisSetTimeout(made.context_.get(), as_timeval(limit));
    if (login.password.empty()) return made;
    auto said =
        login.user.empty() ? made.call({"AUTH", login.password}) : made.call({"AUTH", login.user, login.password});
    if (!said) return fail(std::move(said.error()));
    if (said->is_error()) {
        return fail(failure_reason::bad_parameter, fmt::format("{}: {}", where.text(), printable(said->text)));
    }
    return made;
}

result<void> connection::append(std::span<const std::string_view> words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string_view word : words) {
        texts.push_back(word.data());
        lengths.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), lengths.data()) !=
        REDIS_OK) {
        return fail(broken());
    }
    return {};
}

result<void> connection::flush() {
    const without_sigpipe quiet;
    for (int done = 0; done == 0;) {
        if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return fail(broken());
    }
    return {};
}

result<server_reply> connection::read() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK || reply == nullptr) return fail(broken());
    const std::unique_ptr<void, free_reply> owned(reply);
    return value_of(*static_cast<const redisReply*>(reply));
}

result<server_reply> connection::call(std::initializer_list<std::string_view> words) {
    if (auto added = append({words.begin(), words.size()}); !added) return fail(std::move(added.error()));
    if (auto sent = flush(); !sent) return fail(std::move(sent.error()));
    return read();
}

} // namespace everbloom::cli
