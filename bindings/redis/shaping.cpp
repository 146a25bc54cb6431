#include "shaping.hpp"

#include "background.hpp"
#include "job.hpp"
#include "server_memory.hpp"
#include "settings.hpp"

#include <everbloom/core/units.hpp>
#include <everbloom/model/quotient/quotient.hpp>

#include <algorithm>
#include <array>

namespace everbloom::redis {
namespace {

// What operations touch: lines that are read or written.
constexpr std::uint64_t bytes_of_copying = 2 * line_bytes;   // one line
constexpr std::uint64_t bytes_of_splitting = 3 * line_bytes; // one line, or uniting two
constexpr std::uint64_t bytes_of_adding = 2 * line_bytes;    // one key: both lines it may be in

} // namespace

const quotient::filter& shaping::base() const noexcept {
    return *(plan_.target != nullptr ? plan_.target : plan_.sources.front())->as_quotient();
}

bool shaping::needs_table() const noexcept {
    return is_merge() || (plan_.resized && plan_.resized->lines != base().spec().lines());
}

bool shaping::includes(const stored_filter* value) const noexcept {
    return value == plan_.target || std::find(plan_.sources.begin(), plan_.sources.end(), value) != plan_.sources.end();
}

shaping::progress shaping::advance(const call& now, std::uint64_t bytes) {
    left_ = std::max<std::uint64_t>(bytes, 1);
    if (!needs_table()) return progress::done;
    if (!made_) {
        auto begun = base().copy_without_lines();
        if (begun) {
            made_ = std::move(*begun);
        } else {
            fail_with(error_text(begun.error()));
        }
    }
    if (goes_on()) copy_some();
    while (goes_on() && source_ < plan_.sources.size()) {
        if (!has_room_) make_room(now);
        if (goes_on()) add_some();
    }
    if (goes_on() && plan_.resized && !has_size_) resize_some();
    if (!has_failed()) check_limits(now);
    if (has_failed()) {
        made_.reset();
        return progress::failed;
    }
    const bool is_done =
        copied_ == base().spec().lines() && source_ == plan_.sources.size() && (!plan_.resized || has_size_);
    return is_done ? progress::done : progress::under_way;
}

void shaping::copy_some() noexcept {
    const std::uint64_t lines = std::min(base().spec().lines() - copied_, left_ / bytes_of_copying + 1);
    made_->copy_lines(base(), copied_, copied_ + lines);
    copied_ += lines;
    spend(lines * bytes_of_copying);
}

std::uint64_t shaping::lines_for(const quotient::filter& source, std::uint64_t most_bytes) const {
    constexpr std::uint64_t sampled_lines = 256; // about 11,000 keys: the share of new ones to half a percent
    std::vector<digest> keys;
    source.walk_digests({}, sampled_lines, [&](digest key) { keys.push_back(key); });
    std::vector<std::uint8_t> answers(keys.size());
    made_->may_contain(keys, answers);
    const auto fresh = static_cast<double>(std::count(answers.begin(), answers.end(), std::uint8_t{0}));
    const double share = keys.empty() ? 0 : fresh / static_cast<double>(keys.size());
    const auto added = static_cast<std::uint64_t>(share * static_cast<double>(source.items()));
    const std::uint64_t lines = quotient_model::grown(made_->spec(), {.items = made_->items() + added}).lines();
    // An estimate must not be what makes it too large.
    return std::max(made_->spec().lines(), std::min(lines, most_bytes / line_bytes - most_bytes / line_bytes / 64));
}

void shaping::make_room(const call& now) {
    if (!room_) room_ = lines_for(*plan_.sources[source_]->as_quotient(), most_bytes_for(now.context()));
    const auto there = approach(*room_);
    if (!there) return fail_with(error_text(there.error()));
    has_room_ = *there;
}

result<bool> shaping::approach(std::uint64_t lines) {
    const std::uint64_t before = made_->spec().lines();
    auto there = made_->approach(lines, left_ / bytes_of_splitting + 1);
    const std::uint64_t after = made_->spec().lines();
    spend((std::max(before, after) - std::min(before, after)) * bytes_of_splitting);
    return there;
}

void shaping::add_some() {
    constexpr std::uint64_t most_lines = 4; // whose keys are added at once
    constexpr std::size_t most_keys = most_lines * line_shape::most_ends;
    const quotient::filter& from = *plan_.sources[source_]->as_quotient();
    std::vector<digest> keys;
    keys.reserve(most_keys);
    std::array<insert_outcome, most_keys> outcomes; // NOLINT(*-member-init): written before it is read
    while (goes_on() && at_.lines < from.spec().lines()) {
        keys.clear();
        const std::uint64_t lines = left_ < most_keys * bytes_of_adding ? 1 : most_lines;
        at_ = from.walk_digests(at_, lines, [&](digest key) { keys.push_back(key); });
        const std::size_t done = made_->insert_new(keys, outcomes);
        const bool is_full =
            done != 0 && !succeeded(outcomes[done - 1]) && outcomes[done - 1] != insert_outcome::already_present;
        if (is_full) fail_with("ERR there is no room for the keys of all filters");
        spend(lines * line_bytes + keys.size() * bytes_of_adding);
    }
    if (at_.lines < from.spec().lines()) return;
    ++source_;
    at_ = {};
    room_.reset();
    has_room_ = false;
}

void shaping::resize_some() {
    const bool shrinks = plan_.resized->lines < made_->spec().lines();
    const auto there = approach(plan_.resized->lines);
    if (there) {
        has_size_ = *there;
    } else if (shrinks && there.error().reason == failure_reason::no_room) {
        has_size_ = true; // as small as its keys allow
    } else {
        fail_with(error_text(there.error()));
    }
}

void shaping::check_limits(const call& now) {
    const stored_filter& like = plan_.target != nullptr ? *plan_.target : *plan_.sources.front();
    if (is_merge() && made_->keys() > like.most_keys) {
        fail_with("ERR the filters have too many keys together to tell them apart");
    } else if (made_->memory_words() * sizeof(std::uint64_t) > most_bytes_for(now.context())) {
        fail_with(no_memory_text);
    } else if (is_over_maxmemory(now)) {
        fail_with(over_maxmemory_text);
    }
}

bool shaping::install(const call& now) {
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    if (plan_.target != nullptr ? key.any() != plan_.target : !key.is_absent()) return false;
    if (plan_.target == nullptr) {
        const counted_objects objects;
        const stored_filter& first = *plan_.sources.front();
        auto filter = filter_around(std::move(*made_));
        if (!filter) throw std::bad_alloc();
        auto value = std::make_unique<stored_filter>();
        value->file = filter_file{{std::move(*filter), first.file.hasher()}, first.file.keys, first.file.target};
        value->facts = first.facts;
        value->set_most_keys();
        value->object_bytes = objects.bytes();
        give(key.key(), std::move(value));
    } else {
        if (made_) {
            quotient::filter& table = *plan_.target->as_quotient();
            std::swap(table, *made_);
            free_in_background(std::move(*made_));
        }
        if (plan_.resized) {
            plan_.target->file.target = plan_.resized->capacity;
            plan_.target->facts.capacity = plan_.resized->capacity.items;
        }
        plan_.target->dump.reset();
    }
    const auto arguments = now.arguments_from(1);
    api.Replicate(now.context(), std::string(now.text(0)).c_str(), "v", arguments.data(), arguments.size());
    now.notify(is_merge() ? "bf.merge" : "bf.resize", now.argument(1));
    return true;
}

void shaping::end(const call& now, job_reply& reply) {
    if (!install(now)) reply.error = changed_text;
}

int carry_out(const call& now, shaping begun) {
    const bool waits = may_wait(now) && !now.has_flag(context_replica);
    auto reached = begun.advance(now, waits ? current_settings.step_bytes : everything);
    while (reached == work::progress::under_way && !waits) reached = begun.advance(now, everything);
    switch (reached) {
    case work::progress::failed: return now.error(begun.error());
    case work::progress::done: return begun.install(now) ? now.ok() : now.error(changed_text);
    case work::progress::under_way: break;
    }
    begin_job(now, std::make_unique<shaping>(std::move(begun)));
    return api_ok;
}

} // namespace everbloom::redis
