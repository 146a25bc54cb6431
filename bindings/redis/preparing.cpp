#include "preparing.hpp"

#include "job.hpp"
#include "server_memory.hpp"
#include "settings.hpp"

#include <everbloom/core/units.hpp>

#include <algorithm>

namespace everbloom::redis {
namespace {

/// The least that a step makes: a unit of a table's memory.
constexpr std::uint64_t least_step_bytes = chunked_words::unit_lines * line_bytes;

bool is_one_step(std::uint64_t bytes) noexcept {
    return bytes <= std::max(current_settings.step_bytes, least_step_bytes);
}
bool may_prepare(const call& now) { return may_wait(now) && !now.has_flag(context_replica); }

/// A filter, and then the command again.
class preparation : public work {
public:
    explicit preparation(const call& now) noexcept : again_(now.body()) {}

    [[nodiscard]] progress advance(const call& now, std::uint64_t bytes) final {
        if (is_over_maxmemory(now)) fail_with(over_maxmemory_text);
        if (!has_failed()) make_some(std::max(bytes, least_step_bytes));
        if (has_failed()) return progress::failed;
        return is_complete() ? progress::done : progress::under_way;
    }
    void end(const call&, job_reply& reply) final {
        const counted_objects objects;
        reply.prepared = take();
        reply.prepared->object_bytes += objects.bytes();
        reply.again = again_;
    }

protected:
    void fail_for(const failure& why) {
        fail_with(why.reason == failure_reason::out_of_memory ? no_memory_text : error_text(why));
    }

private:
    virtual void make_some(std::uint64_t bytes) = 0;
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;
    [[nodiscard]] virtual std::unique_ptr<stored_filter> take() = 0;

    command_body again_;
};

/// An empty table.
class empty_table final : public preparation {
public:
    empty_table(const call& now, const creation& wanted) : preparation(now), wanted_(wanted) {}

private:
    void make_some(std::uint64_t bytes) override {
        if (!table_) return begin();
        const std::uint64_t lines = std::min(table_->spec().lines() - emptied_, bytes / line_bytes);
        table_->empty_lines(emptied_, emptied_ + lines);
        emptied_ += lines;
    }
    /// Its memory, which nothing has touched.
    void begin() {
        const auto said = predict(wanted_.request, {});
        if (!said) return fail_for(said.error());
        quotient_spec spec;
        for (const geometry_value& one : said->geometry) {
            for (const auto& field : quotient_spec::fields()) {
                if (field.name == one.name) spec.*field.value = one.value;
            }
        }
        auto made = quotient::filter::make_without_lines(spec);
        if (!made) return fail_for(made.error());
        table_ = std::move(*made);
    }
    [[nodiscard]] bool is_complete() const noexcept override { return table_ && emptied_ == table_->spec().lines(); }
    [[nodiscard]] std::unique_ptr<stored_filter> take() override {
        auto filter = filter_around(std::move(*table_));
        if (!filter) throw std::bad_alloc();
        return stored(std::move(*filter), wanted_);
    }

    creation wanted_;
    std::optional<quotient::filter> table_;
    std::uint64_t emptied_ = 0;
};

/// A filter from the bytes of its file. The server keeps the arguments of a client that waits.
class arriving_file final : public preparation {
public:
    arriving_file(const call& now, filter_arrival arrival, std::span<const std::byte> bytes) noexcept
        : preparation(now), arrival_(std::move(arrival)), rest_(bytes) {}

private:
    void make_some(std::uint64_t bytes) override {
        if (rest_.empty()) {
            auto read = arrival_.finish();
            if (!read) return fail_for(read.error());
            file_ = std::move(*read);
            return;
        }
        const auto piece = rest_.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, rest_.size())));
        if (const auto taken = arrival_.take(piece); !taken) return fail_for(taken.error());
        rest_ = rest_.subspan(piece.size());
    }
    [[nodiscard]] bool is_complete() const noexcept override { return file_.has_value(); }
    [[nodiscard]] std::unique_ptr<stored_filter> take() override { return stored(std::move(*file_)); }

    filter_arrival arrival_;
    std::span<const std::byte> rest_;
    std::optional<filter_file> file_;
};

} // namespace

bool prepare(const call& now, const creation& wanted, std::uint64_t bytes) {
    // Other kinds are zeros, which the system makes when they are needed.
    if (is_one_step(bytes) || wanted.request.kind != quotient::filter::kind_name || !may_prepare(now)) return false;
    begin_job(now, std::make_unique<empty_table>(now, wanted));
    return true;
}

bool prepare_from_file(const call& now, std::size_t argument) {
    const std::string_view bytes = now.text(argument);
    if (is_one_step(bytes.size()) || !may_prepare(now)) return false;
    auto arrival = filter_arrival::of(bytes.size());
    if (!arrival) return false;
    begin_job(now, std::make_unique<arriving_file>(now, std::move(*arrival), std::as_bytes(std::span(bytes))));
    return true;
}

} // namespace everbloom::redis
