#include "gate/gate.hpp"

#include "gate/hash_set_room.hpp"

namespace everbloom::cli {
namespace {

double model_fpr(const any_filter& filter, std::uint64_t items) {
    return items == 0 ? 0 : filter.predict({.items = items}).fpr.value_or(0);
}

} // namespace

result<gate> gate::make(const gate_plan& plan, const any_hasher& hash, gate_patterns patterns,
                        std::optional<filter_sets> saved) {
    gate made;
    made.plan_ = plan;
    made.hash_ = hash;
    made.patterns_ = std::make_unique<const gate_patterns>(std::move(patterns));
    const pattern_list& words = made.patterns_->words;
    if (plan.mode != gate_mode::exact) {
        if (!saved) {
            auto sets = filter_sets::make(plan.filters, hash, words);
            if (!sets) return fail(std::move(sets.error()));
            saved = std::move(*sets);
        }
        auto bytes = byte_matcher::make(made.patterns_->bytes, hash, window_lookup::by_filter);
        if (!bytes) return fail(std::move(bytes.error()));
        made.filters_ = std::make_unique<filter_machine>(std::move(*saved), words.lengths(), std::move(*bytes),
                                                         plan.limits, hash, *made.networks_);
    }
    if (plan.mode != gate_mode::filters) {
        auto bytes = byte_matcher::make(made.patterns_->bytes, hash, window_lookup::by_table);
        if (!bytes) return fail(std::move(bytes.error()));
        made.exact_ = std::make_unique<exact_machine>(exact_sets(hash, words), words.lengths(), std::move(*bytes),
                                                      plan.limits, hash, *made.networks_);
    }
    return made;
}

result<void> gate::judge(std::span<const packet> packets, std::span<verdict> verdicts, std::span<verdict> truths) {
    hash_senders(packets);
    if (filters_) {
        if (auto judged = filters_->judge(packets, keys_, verdicts); !judged) return judged;
    }
    if (exact_) {
        if (auto judged = exact_->judge(packets, keys_, filters_ ? truths : verdicts); !judged) return judged;
    }
    if (filters_ && exact_) {
        for (const strike& one : strikes()) {
            if (one.count != strikes_to_be_out) continue;
            make_room(banned_by_filters_);
            banned_by_filters_.insert(one.sender);
        }
        compare(packets, verdicts, truths);
    }
    return {};
}

/// All at once: keyed hashes of several addresses take less than half of the time side by side.
void gate::hash_senders(std::span<const packet> packets) {
    keys_.resize(packets.size());
    std::array<std::string_view, batch_items> bytes;
    std::array<digest, batch_items> hashed;
    for (std::size_t from = 0; from < packets.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, packets.size() - from);
        for (std::size_t i = 0; i < count; ++i) bytes[i] = packets[from + i].sender.key();
        hash_(std::span<const std::string_view>(bytes).first(count), std::span(hashed).first(count));
        for (std::size_t i = 0; i < count; ++i) keys_[from + i] = {packets[from + i].sender, hashed[i]};
    }
}

void gate::compare(std::span<const packet> packets, std::span<const verdict> verdicts,
                   std::span<const verdict> truths) {
    const std::uint64_t bad = filters_->sets().bad_count();
    if (compared_.model_is_stale(bad)) compared_.take_model(model_of_bad_ips(), bad);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        compared_.note(packets[i].sender, verdicts[i], truths[i], banned_by_filters_);
    }
}

result<void> gate::ban(const ip_address& address) {
    const sender_key sender = sender_key::of(address, hash_);
    if (filters_) {
        if (auto banned = filters_->ban(sender); !banned) return banned;
    }
    return exact_ ? exact_->ban(sender) : result<void>{};
}

standing gate::ask(const ip_address& address) const {
    const sender_key sender = sender_key::of(address, hash_);
    return filters_ ? filters_->ask(sender) : exact_->ask(sender);
}

std::optional<standing> gate::truth(const ip_address& address) const {
    if (!filters_ || !exact_) return std::nullopt;
    return exact_->ask(sender_key::of(address, hash_));
}

const gate_counters& gate::counters() const noexcept { return filters_ ? filters_->counters() : exact_->counters(); }

std::span<const strike> gate::strikes() const noexcept { return filters_ ? filters_->strikes() : exact_->strikes(); }

const flow_table& gate::flows() const noexcept {
    return filters_ ? std::as_const(*filters_).flows() : std::as_const(*exact_).flows();
}

const sender_table& gate::senders() const noexcept {
    return filters_ ? std::as_const(*filters_).senders() : std::as_const(*exact_).senders();
}

double gate::model_of_bad_ips() const {
    return model_fpr(filters_->sets().bad_ips().filter(), filters_->sets().bad_count());
}

double gate::model_of_good_ips() const {
    return model_fpr(filters_->sets().good_ips().filter(), filters_->sets().good_count());
}

double gate::model_of_bad_data() const { return filters_->sets().bad_data().model_fpr(); }

double gate::expected_strikes() const { return model_of_bad_data() * static_cast<double>(filters_->counters().tests); }

} // namespace everbloom::cli
