#include "job.hpp"

#include "background.hpp"
#include "settings.hpp"

#include <algorithm>
#include <list>

namespace everbloom::redis {
namespace {

constexpr const char* replica_text = "ERR given up, and nothing was changed: this server has become a replica";
constexpr const char* no_memory_for_command = "ERR the server has no memory for this command";

/// The arguments of a command, kept beyond it.
class kept_command {
public:
    explicit kept_command(const call& now) {
        strings_.reserve(now.count());
        for (std::size_t i = 0; i < now.count(); ++i) strings_.push_back(api.HoldString(nullptr, now.argument(i)));
    }
    kept_command(const kept_command&) = delete;
    kept_command& operator=(const kept_command&) = delete;
    ~kept_command() {
        for (module_string* const one : strings_) api.FreeString(nullptr, one);
    }

    /// The same command in another context.
    [[nodiscard]] call in(module_context* context) noexcept {
        return {context, strings_.data(), static_cast<int>(strings_.size())};
    }
    [[nodiscard]] std::string_view text(std::size_t index) const noexcept { return call::text_of(strings_[index]); }
    [[nodiscard]] std::size_t count() const noexcept { return strings_.size(); }

private:
    std::vector<module_string*> strings_;
};

struct job {
    job(const call& now, std::unique_ptr<work> begun)
        : what(std::move(begun)), command(now), database(api.GetSelectedDb(now.context())) {}

    [[nodiscard]] bool will_change(std::string_view name) const noexcept {
        return what->changes_first() && command.text(1) == name;
    }
    [[nodiscard]] bool has_key(std::string_view name) const noexcept {
        for (std::size_t i = 1; i <= what->named_filters(); ++i) {
            if (command.text(i) == name) return true;
        }
        return false;
    }

    std::unique_ptr<work> what;
    kept_command command;
    int database;
    blocked_client* client = nullptr;
    std::unique_ptr<job_reply> reply = std::make_unique<job_reply>();
};
using job_place = std::list<job>::iterator;

// Of the server's main thread, as everything here.
std::list<job> jobs;
bool timer_is_set = false;

int reply_to_client(module_context* context, module_string** arguments, int count) noexcept {
    auto& reply = *static_cast<job_reply*>(api.GetBlockedClientPrivateData(context));
    if (reply.is_sent) return api_ok;
    if (!reply.error.empty()) return api.ReplyWithError(context, reply.error.c_str());
    if (reply.again != nullptr) return run_safely(call(context, arguments, count, &reply.prepared), reply.again);
    if (reply.bytes.empty()) return api.ReplyWithSimpleString(context, "OK");
    return api.ReplyWithStringBuffer(context, reinterpret_cast<const char*>(reply.bytes.data()), reply.bytes.size());
}
void free_reply(module_context*, void* reply) noexcept { delete static_cast<job_reply*>(reply); }

/// Sends the reply that a job has, or this error.
void answer(job& one, const char* error) noexcept {
    try {
        if (error != nullptr) one.reply->error = error;
    } catch (const std::exception&) {
        one.reply->error = "ERR no memory"; // short enough for the string itself
    }
    // A bulk reply is one object, copied as a whole into the memory of replies: no other client shall wait for that.
    if (one.reply->error.empty() && send_in_background(one.client, one.reply)) return;
    api.UnblockClient(one.client, one.reply.release());
}

void give_up(job_place place, const char* why) noexcept {
    answer(*place, why);
    jobs.erase(place);
}
template <class Which>
void give_up_all(Which which, const char* why) noexcept {
    for (auto place = jobs.begin(); place != jobs.end();) {
        const auto here = place++;
        if (which(*here)) give_up(here, why);
    }
}

/// The client went away: no reply is expected.
void forget_client(module_context*, blocked_client* client) noexcept {
    const auto place = std::find_if(jobs.begin(), jobs.end(), [&](const job& one) { return one.client == client; });
    if (place == jobs.end()) return; // the reply is on its way
    jobs.erase(place);
    api.UnblockClient(client, nullptr); // the server frees what it has of the client
}

/// Goes on with a job. True if it was brought to its end and is no more.
bool go_on_with(job_place place, module_context* context, std::uint64_t bytes) noexcept {
    const call now = place->command.in(context);
    const char* error = no_memory_for_command;
    std::list<job> ended;
    try {
        const auto reached = place->what->advance(now, bytes);
        if (reached == work::progress::under_way) return false;
        const bool is_done = reached == work::progress::done;
        // Clients are paused so that a replica can catch up and take over: nothing may be replicated now. A command that changes a filter
        // would not run either.
        const bool may_change = place->what->only_reads() || bytes == everything || api.AvoidReplicaTraffic() == 0;
        if (is_done && !may_change) return false;
        ended.splice(ended.begin(), jobs, place); // first: the change of the key must not look for it
        if (is_done) place->what->end(now, *place->reply);
        error = is_done ? nullptr : place->what->error().c_str();
    } catch (const std::exception&) { // no memory
        if (ended.empty()) ended.splice(ended.begin(), jobs, place);
    }
    answer(*place, error);
    return true;
}

void set_timer(module_context* context) noexcept;

/// A step of the job whose turn it is.
void take_step(module_context* context, void*) noexcept {
    timer_is_set = false;
    if (jobs.empty()) return;
    const job_place first = jobs.begin();
    api.SelectDb(context, first->database);
    if (!first->what->only_reads() && (api.GetContextFlags(context) & context_replica) != 0) {
        give_up(first, replica_text);
    } else if (!go_on_with(first, context, current_settings.step_bytes)) {
        jobs.splice(jobs.end(), jobs, first);
    }
    if (!jobs.empty()) set_timer(context);
}

void set_timer(module_context* context) noexcept {
    constexpr long long milliseconds = 1; // the shortest time that lets the server serve its clients in between
    if (!timer_is_set) api.CreateTimer(context, milliseconds, take_step, nullptr);
    timer_is_set = true;
}

template <class Which>
void finish_all(const call& now, Which which) noexcept {
    const int database = api.GetSelectedDb(now.context());
    // From the start each time: the end of one may be that of others.
    for (;;) {
        const auto place = std::find_if(jobs.begin(), jobs.end(),
                                        [&](const job& one) { return one.database == database && which(one); });
        if (place == jobs.end()) return;
        while (!go_on_with(place, now.context(), everything)) {
        }
    }
}

void on_flush(module_context*, module_event, std::uint64_t, void* data) noexcept {
    const int database = static_cast<const flushed_database*>(data)->database; // -1: all
    give_up_all([&](const job& one) { return database < 0 || one.database == database; }, changed_text);
}
void on_swap(module_context*, module_event, std::uint64_t, void* data) noexcept {
    const auto& swapped = *static_cast<const swapped_databases*>(data);
    give_up_all([&](const job& one) { return one.database == swapped.first || one.database == swapped.second; },
                changed_text);
}

} // namespace

bool may_wait(const call& now) {
    constexpr int never =
        context_script | context_transaction | context_replicated | context_loading | context_deny_blocking;
    return now.may_be_run_again() && !now.has_flag(never);
}

void begin_job(const call& now, std::unique_ptr<work> begun) {
    job& one = jobs.emplace_back(now, std::move(begun));
    one.client = api.BlockClient(now.context(), reply_to_client, nullptr, free_reply, 0);
    api.SetDisconnectCallback(one.client, forget_client);
    set_timer(now.context());
}

void finish_jobs_with(const call& now, module_string* name) noexcept {
    if (jobs.empty()) return;
    finish_all(now, [text = call::text_of(name)](const job& one) { return one.has_key(text); });
}
void finish_jobs_into(const call& now, module_string* name) noexcept {
    if (jobs.empty()) return;
    finish_all(now, [text = call::text_of(name)](const job& one) { return one.will_change(text); });
}

void cancel_jobs_with(const stored_filter* value) noexcept {
    give_up_all([&](const job& one) { return one.what->includes(value); }, changed_text);
}

std::size_t jobs_under_way() noexcept { return jobs.size(); }

bool watch_databases(module_context* context) noexcept {
    return api.SubscribeToServerEvent(context, flush_event, on_flush) == api_ok &&
           api.SubscribeToServerEvent(context, swap_event, on_swap) == api_ok;
}

} // namespace everbloom::redis
