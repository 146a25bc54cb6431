#include "absent_filter.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/slow/slow_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

namespace everbloom {
namespace {

/// What is not overridden, a slow filter cannot do.
class slow_handle final : public absent_filter {
public:
    slow_handle(std::shared_ptr<slow_elastic> filter, slow_queries queries,
                std::shared_ptr<std::optional<failure>> failed) noexcept
        : filter_(std::move(filter)), queries_(queries), failed_(std::move(failed)) {}

    [[nodiscard]] void* object() noexcept override { return this; }
    [[nodiscard]] any_filter::key_calls calls() const noexcept override { return {ask_one, insert_one, erase_one}; }
    [[nodiscard]] bool writable() const noexcept override { return filter_->is_writable(); }
    [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept override {
        const slow_statistics seen = filter_->statistics();
        return seen.pending == 0 ? std::optional(seen.keys) : std::nullopt;
    }
    [[nodiscard]] std::uint64_t memory_words() const noexcept override {
        const slow_statistics seen = filter_->statistics();
        return (seen.fast_bytes + seen.buffer_bytes) / sizeof(std::uint64_t);
    }
    [[nodiscard]] std::string_view kind() const noexcept override { return "slow"; }
    [[nodiscard]] capability_set capabilities() const noexcept override {
        const capability_set basic{capability::query, capability::erase};
        const capability_set changes = filter_->is_writable() ? capability_set{capability::insert} : capability_set{};
        const capability_set reads = queries_ == slow_queries::verified
                                         ? capability_set{capability::confirm, capability::count}
                                         : capability_set{};
        return basic | changes | reads;
    }
    [[nodiscard]] std::vector<geometry_value> geometry() const override {
        const slow_state& state = filter_->state();
        const record_geometry& records = filter_->identity().geometry;
        return {{"hashes", state.hashes},
                {"line_keys", state.line_keys, {}, field_form::millionths},
                {"word_bits", records.word_bits},
                {"parts", records.parts()}};
    }
    [[nodiscard]] std::uint64_t structure_bits() const noexcept override {
        return 8 * filter_->statistics().fast_bytes;
    }
    [[nodiscard]] std::uint64_t cells() const noexcept override { return structure_bits(); }
    [[nodiscard]] std::uint64_t payload_words() const noexcept override { return structure_bits() / word_bits; }

    [[nodiscard]] bool may_contain(digest item) const noexcept override { return filter_->may_contain(item); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept override {
        filter_->may_contain(items, answers);
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept override {
        filter_->insert(items, outcomes);
        if (filter_->last_error()) note(*filter_->last_error());
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept override {
        for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = erase(items[i]);
    }
    [[nodiscard]] bool can_erase(std::span<const digest> items,
                                 std::span<erase_outcome> outcomes) const noexcept override {
        for (std::size_t i = 0; i < items.size(); ++i) {
            outcomes[i] = count(items[i]).value_or(0) != 0 ? erase_outcome::removed : erase_outcome::not_present;
        }
        return true;
    }
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept override {
        return count(item).value_or(may_contain(item) ? 1 : 0);
    }
    void confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept override {
        for (std::size_t i = 0; i < items.size(); ++i) answers[i] = estimate_count(items[i]) != 0 ? 1 : 0;
    }
    [[nodiscard]] measurement measure() const override { return filter_->measure(); }
    [[nodiscard]] std::optional<growth_statistics> growth() const override {
        const slow_statistics seen = filter_->statistics();
        growth_statistics made;
        made.fast_bits = 8 * seen.fast_bytes;
        made.slow_bits = 8 * seen.run_bytes;
        made.most_keys = static_cast<double>(filter_->identity().geometry.most_keys());
        made.sure_keys = static_cast<double>(filter_->identity().geometry.sure_keys());
        return made;
    }

private:
    /// Threads that ask share one buffer for blocks of the file.
    [[nodiscard]] result<std::uint64_t> count(digest item) const noexcept {
        const std::lock_guard alone(lock_);
        auto counted = filter_->may_contain(item) ? filter_->count(item) : result<std::uint64_t>(0);
        if (!counted) note(counted.error());
        return counted;
    }
    [[nodiscard]] erase_outcome erase(digest item) noexcept {
        if (!filter_->is_writable()) return erase_dry(item);
        auto done = filter_->erase(item);
        if (!done) note(done.error());
        return done.value_or(erase_outcome::not_deletable);
    }
    /// What `erase` would say after the removals before.
    [[nodiscard]] erase_outcome erase_dry(digest item) noexcept {
        const auto counted = count(item);
        if (!counted) return erase_outcome::not_deletable;
        try {
            std::uint64_t& gone = removed_[item.low >> (64 - filter_->identity().geometry.word_bits)];
            return gone < *counted ? (++gone, erase_outcome::removed) : erase_outcome::not_present;
        } catch (const std::bad_alloc&) {
            return erase_outcome::not_deletable;
        }
    }
    void note(const failure& why) const noexcept {
        try {
            if (!*failed_) *failed_ = why;
        } catch (const std::bad_alloc&) { // NOLINT(bugprone-empty-catch): the outcome says that it failed
        }
    }

    static bool ask_one(const void* filter, std::uint64_t low, std::uint64_t high) noexcept {
        return static_cast<const slow_handle*>(filter)->may_contain({low, high});
    }
    static insert_outcome insert_one(void* filter, std::uint64_t low, std::uint64_t high) noexcept {
        const digest item{low, high};
        insert_outcome outcome{};
        static_cast<slow_handle*>(filter)->insert(std::span(&item, 1), std::span(&outcome, 1));
        return outcome;
    }
    static erase_outcome erase_one(void* filter, std::uint64_t low, std::uint64_t high) noexcept {
        return static_cast<slow_handle*>(filter)->erase(digest{low, high});
    }

    std::shared_ptr<slow_elastic> filter_;
    slow_queries queries_;
    std::shared_ptr<std::optional<failure>> failed_;
    std::map<std::uint64_t, std::uint64_t> removed_; // by a dry run
    mutable std::mutex lock_;
};

} // namespace

result<slow_filter_file> as_slow_filter_file(slow_elastic filter, slow_queries queries) {
    return or_out_of_memory([&]() -> result<slow_filter_file> {
        slow_filter_file made;
        made.slow = std::make_shared<slow_elastic>(std::move(filter));
        made.failed = std::make_shared<std::optional<failure>>();
        const slow_identity& identity = made.slow->identity();
        made.file.handle =
            keyed(any_filter(std::make_unique<slow_handle>(made.slow, queries, made.failed)), identity.hasher);
        made.file.keys = identity.keys;
        made.file.target = {made.slow->state().capacity, made.slow->state().fpr};
        made.file.attached = made.slow->state().attached;
        return made;
    });
}

result<slow_filter_file> open_slow_filter(const std::string& path, slow_access how, slow_queries queries) {
    return or_out_of_memory([&]() -> result<slow_filter_file> {
        auto file = open_slow_file(path, how);
        if (!file) return fail(in(path, std::move(file.error())));
        auto opened = slow_elastic::open(std::move(*file), how);
        if (!opened) return fail(in(path, std::move(opened.error())));
        return as_slow_filter_file(std::move(*opened), queries);
    });
}

result<void> slow_filter_file::close() {
    if (*failed) return fail(**failed);
    if (auto noted = slow->attach(file.attached); !noted) return noted;
    return slow->close();
}

bool is_slow_filter(const std::string& path) {
    struct stat found {};
    // Opening a pipe would consume its contents, or wait.
    if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    std::array<std::byte, slow_layout::magic.size()> start{};
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    ::close(file);
    return got == static_cast<ssize_t>(start.size()) && slow_layout::has_magic(start);
}

} // namespace everbloom
