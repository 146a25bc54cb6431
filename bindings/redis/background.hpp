// Threads for what would keep the server from its clients and needs nothing of its data: freeing a large table, and copying a large reply.
#pragma once

#include "work.hpp"

namespace everbloom::redis {

/// Frees the table: a small one at once, a large one in a thread.
void free_in_background(quotient::filter table) noexcept;

/// Sends a large bulk reply from a thread, and unblocks the client. False, and nothing has happened, if the reply is none, or no thread can be
/// had.
[[nodiscard]] bool send_in_background(blocked_client* client, std::unique_ptr<job_reply>& reply) noexcept;

} // namespace everbloom::redis
