#include "gate/filter_sets.hpp"

#include "filters/kind_names.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

result<filter_file> address_filter(std::string_view name, const std::string& kind, std::uint64_t items, double fpr,
                                   const any_hasher& hash) {
    auto built = build({kind, std::max<std::uint64_t>(items, 1), fpr, {}});
    if (!built) return fail(in(name, std::move(built.error())));
    if (!built->can(capability::insert)) {
        return fail(
            failure_reason::unsupported,
            fmt::format("{}: {} filters are built once, from all of their keys, and take no addresses", name, kind));
    }
    filter_file file;
    file.handle = keyed(std::move(*built), hash);
    file.keys = key_type::ip;
    file.target = {std::max<std::uint64_t>(items, 1), fpr};
    return file;
}

/// Inserts, growing the filter if necessary. `advice` says what to do about a full filter that cannot grow.
result<void> insert_or_grow(any_filter& filter, digest item, std::string_view name, std::string_view advice) {
    for (;;) {
        const auto outcome = filter.insert(item);
        if (!outcome) return fail(in(name, outcome.error()));
        // A key whose counter is saturated stays in the filter.
        if (succeeded(*outcome) || *outcome == insert_outcome::full_counter) return {};
        if (!filter.can(capability::grow)) {
            return fail(failure_reason::no_room,
                        fmt::format("{}: the {} filter is full and cannot grow; {}", name, filter.kind(), advice));
        }
        if (auto grown = filter.grow(); !grown) return fail(in(name, std::move(grown.error())));
    }
}

} // namespace

result<filter_sets> filter_sets::make(const filter_options& options, const any_hasher& hash,
                                      const pattern_list& patterns) {
    auto bad = address_filter("--bad-kind", options.bad_kind, options.bad_addresses, options.fpr, hash);
    if (!bad) return fail(std::move(bad.error()));
    auto good = address_filter("--good-kind", options.good_kind, options.senders, options.fpr, hash);
    if (!good) return fail(std::move(good.error()));
    if (!good->filter().can(capability::erase)) {
        return fail(failure_reason::unsupported,
                    fmt::format("--good-kind: {} filters do not support deletion, which a ban needs; {} do",
                                options.good_kind, names_of_kinds_that_can(capability::erase)));
    }
    auto data = pattern_filter::make(patterns, options.pattern_fpr, hash);
    if (!data) return fail(std::move(data.error()));
    return from(std::move(*bad), std::move(*good), std::move(*data));
}

filter_sets filter_sets::from(filter_file bad, filter_file good, pattern_filter patterns) {
    filter_sets made;
    made.bad_ = std::move(bad);
    made.good_ = std::move(good);
    made.patterns_.emplace(std::move(patterns));
    return made;
}

void filter_sets::are_bad(std::span<const sender_key> senders, std::span<std::uint8_t> answers) const noexcept {
    std::array<digest, batch_items> digests;
    for (std::size_t from = 0; from < senders.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, senders.size() - from);
        for (std::size_t i = 0; i < count; ++i) digests[i] = senders[from + i].hashed;
        bad_.filter().may_contain(std::span(digests).first(count), answers.subspan(from, count));
    }
}

result<void> filter_sets::add_bad(const sender_key& sender) {
    if (auto added = insert_or_grow(bad_.filter(), sender.hashed, "bad_ips", "use a --bad-kind that can grow"); !added)
        return added;
    ++bad_count_;
    return {};
}

result<void> filter_sets::add_good(const sender_key& sender) {
    if (auto added = insert_or_grow(good_.filter(), sender.hashed, "good_ips",
                                    "use a larger --senders, or a --good-kind that can grow");
        !added)
        return added;
    ++good_count_;
    return {};
}

result<bool> filter_sets::remove_good(const sender_key& sender) {
    const auto outcome = good_.filter().erase(sender.hashed);
    if (!outcome) return fail(in("good_ips", outcome.error()));
    if (!succeeded(*outcome)) return false;
    --good_count_;
    return true;
}

std::size_t filter_sets::bytes() const noexcept {
    return bad_.filter().payload_bytes() + good_.filter().payload_bytes() + patterns_->bytes();
}

} // namespace everbloom::cli
