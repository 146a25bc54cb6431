// The functions for many keys: a batch is hashed, the filter gets it at once, and its outcomes are counted.
#include "key_reader.hpp"
#include "reporting.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/filter/outcomes.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/jobs/removal.hpp>

#include <array>
#include <cstring>
#include <string>

namespace everbloom::capi {
namespace {

static_assert(EB_NOT_WRITABLE == static_cast<int>(insert_outcome::not_writable));
static_assert(EB_INSERTED_UNPROTECTED == static_cast<int>(insert_outcome::inserted_unprotected));
static_assert(EB_CANNOT_ERASE == static_cast<int>(erase_outcome::unsupported));
static_assert(EB_REMOVED_STILL_POSITIVE == static_cast<int>(erase_outcome::removed_still_positive));
static_assert(sizeof(insert_outcome) == 1 && sizeof(erase_outcome) == 1);

result<void> require(const eb_filter* filter, capability wanted, const char* deed) {
    if (auto checked = check_handle(filter); !checked) return checked;
    const any_filter& inner = filter->core.filter();
    if (inner.can(wanted)) return {};
    const bool built = !inner.is_mapped() && !inner.can(capability::insert);
    return fail(failure_reason::unsupported,
                with_article(inner.kind()) + (inner.is_mapped() ? " filter that is mapped" : " filter") + " cannot " +
                    deed + (built ? ": it is built once, from all of its keys" : ""));
}

/// Where a batch puts its answers: the caller's array, or one of its own.
template <class Element>
class batch_answers {
public:
    explicit batch_answers(void* array) noexcept : array_(static_cast<std::uint8_t*>(array)) {}
    [[nodiscard]] std::span<Element> at(std::uint64_t first, std::size_t count) noexcept {
        if (array_ == nullptr) return std::span(own_).first(count);
        return {reinterpret_cast<Element*>(array_ + first), count};
    }

private:
    std::uint8_t* array_;
    std::array<Element, batch_items> own_;
};

/// Runs `act(digests, answers)` over all keys and counts the answers for which `counts(answer)` is true.
template <class Element, class Act, class Counts>
result<std::int64_t> run_batches(const eb_filter& filter, const eb_keys* keys, void* array, Act act, Counts counts) {
    const auto reader = key_reader::over(filter, keys);
    if (!reader) return fail(reader.error());
    batch_answers<Element> answers(array);
    std::int64_t counted = 0;
    auto done = reader->for_each_batch([&](std::span<const digest> items, std::uint64_t first) -> result<void> {
        const auto some = answers.at(first, items.size());
        if (result<void> acted = act(items, some); !acted) return acted;
        for (const Element one : some) counted += counts(one) ? 1 : 0;
        return {};
    });
    if (!done) return fail(std::move(done.error()));
    return counted;
}

constexpr auto is_one = [](std::uint8_t answer) { return answer != 0; };
constexpr auto is_success = [](auto outcome) { return succeeded(outcome); };

void insert_batch(door::filter_core& core, std::span<const digest> items, std::span<insert_outcome> outcomes) {
    // Near the capacity key by key, so that each is refused for itself.
    if (core.has_room(items.size())) {
        static_cast<void>(core.filter().insert(items, outcomes)); // it can: that was asked before
        return;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        outcomes[i] = core.take_room() ? core.filter().insert_one(items[i]) : insert_outcome::over_capacity;
    }
}

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

int64_t eb_query(const eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        const auto ask = [&](std::span<const digest> items, std::span<std::uint8_t> some) -> result<void> {
            filter->core.filter().may_contain(items, some);
            return {};
        };
        return run_batches<std::uint8_t>(*filter, keys, answers, ask, is_one);
    });
}

int64_t eb_query_verified(const eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::confirm, "verify its answers"); !checked)
            return fail(std::move(checked.error()));
        const auto ask = [&](std::span<const digest> items, std::span<std::uint8_t> some) {
            return filter->core.filter().confirm(items, some);
        };
        return run_batches<std::uint8_t>(*filter, keys, answers, ask, is_one);
    });
}

int64_t eb_insert(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::insert, "be changed"); !checked)
            return fail(std::move(checked.error()));
        const auto insert = [&](std::span<const digest> items, std::span<insert_outcome> some) -> result<void> {
            insert_batch(filter->core, items, some);
            return {};
        };
        return run_batches<insert_outcome>(*filter, keys, outcomes, insert, is_success);
    });
}

int64_t eb_insert_new(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::insert, "be changed"); !checked)
            return fail(std::move(checked.error()));
        const auto insert = [&](std::span<const digest> items, std::span<insert_outcome> some) -> result<void> {
            for (std::size_t i = 0; i < items.size(); ++i) {
                if (!filter->core.take_room()) {
                    some[i] = insert_outcome::over_capacity;
                    continue;
                }
                const auto done = filter->core.filter().insert_new(items[i]);
                if (!done) return fail(done.error());
                some[i] = *done;
            }
            return {};
        };
        return run_batches<insert_outcome>(*filter, keys, outcomes, insert, is_success);
    });
}

int64_t eb_erase(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::erase, "remove keys"); !checked)
            return fail(std::move(checked.error()));
        const auto erase = [&](std::span<const digest> items, std::span<erase_outcome> some) {
            return filter->core.filter().erase(items, some);
        };
        const auto counts = [&](erase_outcome outcome) {
            if (succeeded(outcome)) filter->core.give_room();
            return succeeded(outcome);
        };
        return run_batches<erase_outcome>(*filter, keys, outcomes, erase, counts);
    });
}

int64_t eb_erase_members(eb_filter* filter, const eb_keys* keys, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::erase, "remove keys"); !checked)
            return fail(std::move(checked.error()));
        const auto reader = key_reader::over(*filter, keys);
        if (!reader) return fail(reader.error());
        const auto removed = remove_members(filter->core.filter(), reader->digests());
        if (!removed) return fail(removed.error());
        filter->core.give_room(removed->successes());
        return static_cast<std::int64_t>(removed->successes());
    });
}

int64_t eb_can_erase(const eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        const auto ask = [&](std::span<const digest> items, std::span<erase_outcome> some) {
            return filter->core.filter().can_erase(items, some);
        };
        return run_batches<erase_outcome>(*filter, keys, outcomes, ask, is_success);
    });
}

int64_t eb_count(const eb_filter* filter, const eb_keys* keys, uint64_t* counts, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = require(filter, capability::count, "count copies of a key"); !checked)
            return fail(std::move(checked.error()));
        const auto reader = key_reader::over(*filter, keys);
        if (!reader) return fail(reader.error());
        std::int64_t counted = 0;
        auto done = reader->for_each_batch([&](std::span<const digest> items, std::uint64_t first) -> result<void> {
            for (std::size_t i = 0; i < items.size(); ++i) {
                const auto copies = filter->core.filter().estimate_count(items[i]);
                if (!copies) return fail(copies.error());
                if (counts != nullptr) std::memcpy(counts + first + i, &*copies, sizeof *copies);
                counted += *copies != 0 ? 1 : 0;
            }
            return {};
        });
        if (!done) return fail(std::move(done.error()));
        return counted;
    });
}

int64_t eb_digests(const eb_filter* filter, const eb_keys* keys, eb_digest* digests, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        const auto reader = key_reader::over(*filter, keys);
        if (!reader) return fail(reader.error());
        if (digests == nullptr && reader->count() != 0) return null_pointer("digests");
        auto done = reader->for_each_batch([&](std::span<const digest> items, std::uint64_t first) -> result<void> {
            static_assert(sizeof(digest) == sizeof(eb_digest));
            std::memcpy(digests + first, items.data(), items.size_bytes());
            return {};
        });
        if (!done) return fail(std::move(done.error()));
        return static_cast<std::int64_t>(reader->count());
    });
}

int64_t eb_key_from_text(int key_type, const char* text, size_t text_bytes, void* key, size_t size, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (key_type < EB_KEYS_TEXT || key_type > EB_KEYS_CIDR) {
            return fail(failure_reason::bad_parameter,
                        "there is no key type with the number " + std::to_string(key_type));
        }
        if (text == nullptr && text_bytes != 0) return null_pointer("text");
        if (key == nullptr && size != 0) return null_pointer("key");
        const std::string_view spelled = text == nullptr ? std::string_view("") : std::string_view(text, text_bytes);
        const auto bytes = key_from_text(static_cast<everbloom::key_type>(key_type), spelled);
        if (!bytes) return fail(bytes.error());
        if (size != 0) std::memcpy(key, bytes->data(), std::min(size, bytes->size()));
        return static_cast<std::int64_t>(bytes->size());
    });
}
