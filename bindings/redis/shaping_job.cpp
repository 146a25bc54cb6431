#include "shaping_job.hpp"

#include "settings.hpp"

#include <algorithm>
#include <limits>
#include <list>

namespace everbloom::redis {
namespace {

constexpr const char* changed_text =
    "ERR given up, and nothing was changed: a filter of this command was deleted, renamed "
    "or replaced before it was done";
constexpr const char* replica_text = "ERR given up, and nothing was changed: this server has become a replica";
constexpr const char* no_memory_for_command = "ERR the server has no memory for this command";

/// As many bytes in a step as there are, and room to round up.
constexpr std::uint64_t everything = std::numeric_limits<std::uint64_t>::max() / 2;

/// The arguments of a command, kept beyond it.
class kept_command {
public:
    explicit kept_command(const call& now) {
        strings_.reserve(now.count());
        for (std::size_t i = 0; i < now.count(); ++i) {
            const std::string_view text = now.text(i);
            strings_.push_back(api.CreateString(nullptr, text.data(), text.size()));
        }
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
    job(const call& now, shaping begun)
        : work(std::move(begun)), command(now), database(api.GetSelectedDb(now.context())) {}

    [[nodiscard]] bool will_change(std::string_view name) const noexcept { return command.text(1) == name; }
    [[nodiscard]] bool has_key(std::string_view name) const noexcept {
        const std::size_t end = work.is_merge() ? command.count() : 2;
        for (std::size_t i = 1; i < end; ++i) {
            if (command.text(i) == name) return true;
        }
        return false;
    }

    shaping work;
    kept_command command;
    int database;
    blocked_client* client = nullptr;
    std::unique_ptr<std::string> reply = std::make_unique<std::string>(); // an error, or empty: OK
};
using job_place = std::list<job>::iterator;

// Of the server's main thread, as everything here.
std::list<job> jobs;
bool timer_is_set = false;

int reply_to_client(module_context* context, module_string**, int) noexcept {
    const auto* const error = static_cast<const std::string*>(api.GetBlockedClientPrivateData(context));
    return error->empty() ? api.ReplyWithSimpleString(context, "OK") : api.ReplyWithError(context, error->c_str());
}
void free_reply(module_context*, void* reply) noexcept { delete static_cast<std::string*>(reply); }

/// Sends the reply: an error, or null for OK.
void answer(job& one, const char* error) noexcept {
    try {
        if (error != nullptr) *one.reply = error;
    } catch (const std::exception&) {
        *one.reply = "ERR no memory"; // short enough for the string itself
    }
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
        const auto reached = place->work.advance(now, bytes);
        if (reached == shaping::progress::under_way) return false;
        const bool is_done = reached == shaping::progress::done;
        // Clients are paused so that a replica can catch up and take over: nothing may be replicated now. A command that changes a filter
        // would not run either.
        if (is_done && bytes != everything && api.AvoidReplicaTraffic() != 0) return false;
        ended.splice(ended.begin(), jobs, place); // first: the change of the key must not look for it
        if (!is_done) {
            error = place->work.error().c_str();
        } else {
            error = place->work.install(now) ? nullptr : changed_text;
        }
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
    if ((api.GetContextFlags(context) & context_replica) != 0) {
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

void begin_job(const call& now, shaping work) {
    job& begun = jobs.emplace_back(now, std::move(work));
    begun.client = api.BlockClient(now.context(), reply_to_client, nullptr, free_reply, 0);
    api.SetDisconnectCallback(begun.client, forget_client);
    set_timer(now.context());
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

int carry_out(const call& now, shaping work) {
    constexpr int unblockable = context_script | context_transaction | context_replica | context_replicated |
                                context_loading | context_deny_blocking;
    const bool may_block = !now.has_flag(unblockable);
    auto reached = work.advance(now, may_block ? current_settings.step_bytes : everything);
    while (reached == shaping::progress::under_way && !may_block) reached = work.advance(now, everything);
    switch (reached) {
    case shaping::progress::failed: return now.error(work.error());
    case shaping::progress::done: return work.install(now) ? now.ok() : now.error(changed_text);
    case shaping::progress::under_way: break;
    }
    begin_job(now, std::move(work));
    return api_ok;
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
    give_up_all([&](const job& one) { return one.work.includes(value); }, changed_text);
}

std::size_t jobs_under_way() noexcept { return jobs.size(); }

bool watch_databases(module_context* context) noexcept {
    return api.SubscribeToServerEvent(context, flush_event, on_flush) == api_ok &&
           api.SubscribeToServerEvent(context, swap_event, on_swap) == api_ok;
}

} // namespace everbloom::redis
