#include "checked_header.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/filter_arrival.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace everbloom {
namespace {

/// A sink that passes everything on to another arrival.
class arrival_sink final : public byte_sink {
public:
    explicit arrival_sink(filter_arrival& into) noexcept : into_(into) {}
    result<void> write(std::span<const std::byte> piece) override { return into_.take(piece); }

private:
    filter_arrival& into_;
};

} // namespace

class filter_arrival::state {
public:
    explicit state(std::uint64_t total)
        : total_(total), header_needed_(std::min<std::uint64_t>(total, v1::fixed_bytes)) {}

    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }

    [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
        std::uint64_t bytes = sizeof *this + header_.capacity();
        for (const chunked_words& store : stores_) bytes += store.held_words() * sizeof(std::uint64_t);
        return bytes;
    }

    result<void> take(std::span<const std::byte> piece) {
        if (piece.size() > total_ - arrived_) {
            return fail(failure_reason::damaged, "there are more bytes than the whole file has");
        }
        while (!piece.empty()) {
            const auto used = checked_ ? take_cells(piece) : take_header(piece);
            if (!used) return fail(used.error());
            piece = piece.subspan(*used);
            arrived_ += *used;
        }
        return {};
    }

    result<filter_file> finish() {
        if (arrived_ != total_ || !checked_) return fail(failure_reason::damaged, "bytes are missing at the end");
        const std::optional<std::uint64_t> items =
            checked_->kind->check_lines != nullptr ? std::optional(items_) : std::nullopt;
        return assemble_file(*checked_, std::move(stores_), items);
    }

    result<void> write(byte_sink& into) const {
        if (auto done = into.write(header_); !done) return done;
        for (std::size_t i = 0; i < stores_.size(); ++i) {
            const bool is_last = i + 1 == stores_.size();
            std::uint64_t bytes = is_last ? in_section_ : checked_->file.sections[i].lines * line_bytes;
            result<void> done;
            stores_[i].pieces().for_each_run([&](std::span<const std::uint64_t> run) {
                const auto there = std::as_bytes(run).first(
                    static_cast<std::size_t>(std::min<std::uint64_t>(bytes, run.size_bytes())));
                if (done && !there.empty()) done = into.write(there);
                bytes -= there.size();
            });
            if (!done) return done;
        }
        return {};
    }

private:
    // These return how many bytes of the piece they have used: at least one.

    result<std::size_t> take_header(std::span<const std::byte> piece) {
        const std::size_t used = std::min(piece.size(), static_cast<std::size_t>(header_needed_ - header_.size()));
        header_.insert(header_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(used));
        if (header_.size() != header_needed_) return used;
        const auto needed = v1::header_bytes(header_, total_); // of less than a header, too: then it fails
        if (!needed) return fail(needed.error());
        header_needed_ = *needed;
        if (header_.size() < header_needed_) return used;
        auto checked = check_header(header_, total_);
        if (!checked) return fail(std::move(checked.error()));
        checked_ = std::move(*checked);
        if (auto begun = begin_sections(); !begun) return fail(std::move(begun.error()));
        return used;
    }

    result<std::size_t> take_cells(std::span<const std::byte> piece) {
        const std::size_t section = stores_.size() - 1;
        const std::uint64_t section_bytes = checked_->file.sections[section].lines * line_bytes;
        chunked_words& store = stores_.back();
        constexpr std::uint64_t unit_bytes = chunked_words::unit_lines * line_bytes;
        if (in_section_ == store.lines() * line_bytes) {
            const std::uint64_t lines =
                std::min(checked_->file.sections[section].lines, store.lines() + chunked_words::unit_lines);
            if (auto room = store.extend(lines); !room) return fail(std::move(room.error()));
        }
        const std::uint64_t in_unit = in_section_ % unit_bytes;
        const std::uint64_t room = std::min(unit_bytes - in_unit, section_bytes - in_section_);
        const std::size_t used = std::min(piece.size(), static_cast<std::size_t>(room));
        auto* const unit = reinterpret_cast<std::byte*>(store.units()[in_section_ / unit_bytes]);
        std::memcpy(unit + in_unit, piece.data(), used);
        in_section_ += used;
        const bool is_full = in_section_ == section_bytes;
        if (is_full || in_section_ % v1::page_bytes == 0) {
            if (auto intact = check_last_page(section); !intact) return fail(std::move(intact.error()));
        }
        if (is_full) {
            if (auto begun = begin_sections(); !begun) return fail(std::move(begun.error()));
        }
        return used;
    }

    /// The page that ends with what has arrived.
    result<void> check_last_page(std::size_t section) {
        const std::uint64_t from = (in_section_ - 1) / v1::page_bytes * v1::page_bytes;
        const word_pieces words = stores_[section].pieces(in_section_ / sizeof(std::uint64_t));
        if (auto intact = v1::check_page(checked_->file, section, words, from); !intact) return intact;
        if (section != 0 || checked_->kind->check_lines == nullptr) return {};
        result<void> done;
        std::uint64_t first = from / line_bytes;
        words.for_each_run(static_cast<std::size_t>(from / sizeof(std::uint64_t)), words.size(),
                           [&](std::span<const std::uint64_t> lines) {
                               if (!done) return;
                               const auto items = checked_->kind->check_lines(checked_->contents.values, first, lines);
                               if (!items) done = fail(items.error());
                               items_ += items.value_or(0);
                               first += lines.size() / line_words;
                           });
        return done;
    }

    /// The next section that has lines. One whose memory comes in chunks begins with a unit and gets more as bytes arrive: to announce a
    /// large file takes no memory.
    result<void> begin_sections() {
        const auto& sections = checked_->file.sections;
        while (stores_.size() < sections.size()) {
            const section_memory how = checked_->memory_of(stores_.size());
            const std::uint64_t lines = sections[stores_.size()].lines;
            auto store =
                make_section(how == section_memory::whole ? lines : std::min(lines, chunked_words::unit_lines), how);
            if (!store) return fail(std::move(store.error()));
            stores_.push_back(std::move(*store));
            in_section_ = 0;
            if (lines != 0) break;
        }
        return {};
    }

    std::uint64_t total_;
    std::uint64_t arrived_ = 0;
    std::uint64_t header_needed_;
    std::vector<std::byte> header_;
    std::optional<checked_header> checked_; // when the header is complete
    std::vector<chunked_words> stores_;     // the last one is arriving
    std::uint64_t in_section_ = 0;          // bytes of it
    std::uint64_t items_ = 0;
};

filter_arrival::filter_arrival(std::unique_ptr<state> begun) noexcept : state_(std::move(begun)) {}
filter_arrival::filter_arrival(filter_arrival&&) noexcept = default;
filter_arrival& filter_arrival::operator=(filter_arrival&&) noexcept = default;
filter_arrival::~filter_arrival() = default;

result<filter_arrival> filter_arrival::of(std::uint64_t total_bytes) {
    return or_out_of_memory(
        [&]() -> result<filter_arrival> { return filter_arrival(std::make_unique<state>(total_bytes)); });
}

result<void> filter_arrival::take(std::span<const std::byte> piece) {
    return or_out_of_memory([&] { return state_->take(piece); });
}
result<filter_file> filter_arrival::finish() {
    return or_out_of_memory([&] { return state_->finish(); });
}

std::uint64_t filter_arrival::total_bytes() const noexcept { return state_->total(); }
std::uint64_t filter_arrival::arrived_bytes() const noexcept { return state_->arrived(); }
std::uint64_t filter_arrival::memory_bytes() const noexcept { return state_->memory_bytes(); }

result<void> filter_arrival::write(byte_sink& into) const { return state_->write(into); }

result<filter_arrival> filter_arrival::copy() const {
    auto made = of(total_bytes());
    if (!made) return made;
    arrival_sink into(*made);
    if (auto done = write(into); !done) return fail(std::move(done.error()));
    return made;
}

} // namespace everbloom
