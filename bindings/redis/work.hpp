// work: what a job (job.hpp) does, in steps, between the commands of other clients.
//
// A step ends when it has touched a given number of bytes; the next one may come at any later time, as long as nothing changes the filters
// that take part.
#pragma once

#include "call.hpp"
#include "server_bytes.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace everbloom::redis {

/// What a client that waits for a job gets in the end. One of: an error, the bytes of a bulk reply, the reply of its command, which is run
/// again with what was prepared for it; nothing of these is OK.
struct job_reply {
    std::string error;
    server_bytes bytes;
    command_body again = nullptr;
    std::unique_ptr<stored_filter> prepared;
    bool is_sent = false; // already, by a thread
};

class work {
public:
    work() = default;
    work(work&&) = default;
    work& operator=(work&&) = default;
    virtual ~work() = default;

    enum class progress { under_way, done, failed };
    /// Goes on until about as many bytes have been touched, or it is done, or it has failed.
    [[nodiscard]] virtual progress advance(const call& now, std::uint64_t bytes) = 0;
    /// The error reply after a failure, with its code in front.
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

    /// When it is done, in a context without a client: does what changes the server's data, if anything, and decides about the reply.
    /// Nothing is lost if it throws, for lack of memory.
    virtual void end(const call& now, job_reply& reply) = 0;

    /// Does it need this filter as it is?
    [[nodiscard]] virtual bool includes(const stored_filter*) const noexcept { return false; }
    /// How many arguments of the command, from the first one on, are names of such filters.
    [[nodiscard]] virtual std::size_t named_filters() const noexcept { return 0; }
    /// Will it change the filter behind the first one?
    [[nodiscard]] virtual bool changes_first() const noexcept { return false; }
    /// Replicas have such work as well.
    [[nodiscard]] virtual bool only_reads() const noexcept { return false; }

protected:
    /// Only the first failure counts.
    void fail_with(std::string text) {
        if (error_.empty()) error_ = std::move(text);
    }
    [[nodiscard]] bool has_failed() const noexcept { return !error_.empty(); }

private:
    std::string error_;
};

} // namespace everbloom::redis
