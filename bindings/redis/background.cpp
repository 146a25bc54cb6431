#include "background.hpp"

#include <thread>

namespace everbloom::redis {
namespace {

constexpr std::uint64_t large_bytes = std::uint64_t{4} << 20;

/// The server lets threads write replies of blocked clients; they are put together when the client is unblocked.
void send(module_context* context, blocked_client* client, std::unique_ptr<job_reply> reply) noexcept {
    api.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(reply->bytes.data()), reply->bytes.size());
    api.FreeThreadSafeContext(context);
    server_bytes().swap(reply->bytes);
    reply->is_sent = true;
    api.UnblockClient(client, reply.release());
}

} // namespace

void free_in_background(quotient::filter table) noexcept {
    if (table.memory_words() * sizeof(std::uint64_t) < large_bytes) return;
    try {
        std::thread([freed = std::move(table)] {}).detach();
    } catch (const std::exception&) { // no thread: freed here
    }
}

bool send_in_background(blocked_client* client, std::unique_ptr<job_reply>& reply) noexcept {
    if (reply->bytes.size() < large_bytes) return false;
    module_context* const context = api.GetThreadSafeContext(client);
    try {
        // What the thread owns stays here until it has begun.
        std::thread([context, client, sent = reply.get()] {
            send(context, client, std::unique_ptr<job_reply>(sent));
        }).detach();
    } catch (const std::exception&) {
        api.FreeThreadSafeContext(context);
        return false;
    }
    (void)reply.release();
    return true;
}

} // namespace everbloom::redis
