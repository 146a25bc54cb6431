// record_appender: writes records in ascending order at the end of a set of pages, as fast as they can be made.
//
// What it knows of the page it writes to stays in registers: how full the bins are, and the bits of the last word. The page is
// brought up to date when the next one begins, or by `flush`. Until then nobody else may look at it.
#pragma once

#include <everbloom/filter/elastic/records/record_pages.hpp>

namespace everbloom {

class record_appender {
public:
    explicit record_appender(record_pages<heap_words>& target) noexcept
        : target_(target), geometry_(target.geometry()) {}
    record_appender(const record_appender&) = delete;
    record_appender& operator=(const record_appender&) = delete;
    ~record_appender() { flush(); }

    /// `inserted`, or a refusal that changed nothing. The record is larger than all before.
    [[nodiscard]] insert_outcome put(std::uint64_t record, std::uint64_t copies) noexcept {
        const record_place place = geometry_.place_of(record);
        const std::uint64_t page = place.bin / record_geometry::page_bins;
        if (page != page_) [[unlikely]]
            open(page);
        const auto shift = static_cast<unsigned>(place.bin % record_geometry::page_bins * 8);
        const unsigned slots = record_page<std::uint64_t>::slots_for(copies);
        const bool fits = used_ + slots <= free_until_ &&
                          (counts_ >> shift & 0xff) + slots <= record_page<std::uint64_t>::most_bin_slots;
        if (!fits || copies > record_page<std::uint64_t>::most_copies) [[unlikely]]
            return put_slowly(record, copies);
        counts_ += std::uint64_t{slots} << shift;
        used_ += slots;
        emit(place.stored);
        if (slots > 1) [[unlikely]] {
            for (unsigned i = 1; i < std::min(slots, 3u); ++i) emit(place.stored);
            if (slots == 4) emit(copies - 3);
            words_[1] |= std::uint64_t{1} << (record_page<std::uint64_t>::link_bits + shift / 8);
        }
        return insert_outcome::inserted;
    }

    void flush() noexcept {
        if (page_ == no_page) return;
        words_[0] = counts_;
        words_[word_] = pending_;
        page_ = no_page;
    }

private:
    static constexpr std::uint64_t no_page = ~std::uint64_t{0};

    void open(std::uint64_t page) noexcept {
        flush();
        page_ = page;
        words_ = target_.words_to_write(page);
        counts_ = words_[0];
        used_ = record_page<std::uint64_t>(geometry_, words_, nullptr).used_slots();
        free_until_ = record_page<std::uint64_t>::link(words_) == 0
                          ? geometry_.slots()
                          : 0; // a page that goes on in a spare is left to the slow way
        const std::uint64_t bit = record_geometry::header_words * 64 + std::uint64_t{used_} * geometry_.slot_bits();
        word_ = std::min(bit / 64, geometry_.page_words() - 1);
        pending_bits_ = static_cast<unsigned>(bit % 64);
        pending_ = words_[word_];
    }

    void emit(std::uint64_t value) noexcept {
        pending_ |= value << pending_bits_;
        pending_bits_ += geometry_.slot_bits();
        if (pending_bits_ < 64) return;
        words_[word_++] = pending_;
        pending_bits_ -= 64;
        pending_ = value >> (geometry_.slot_bits() - pending_bits_ - 1) >> 1;
    }

    [[gnu::noinline]] insert_outcome put_slowly(std::uint64_t record, std::uint64_t copies) noexcept {
        flush();
        return target_.append(record, copies);
    }

    record_pages<heap_words>& target_;
    const record_geometry geometry_;
    std::uint64_t page_ = no_page;
    std::uint64_t* words_ = nullptr;
    std::uint64_t counts_ = 0;
    unsigned used_ = 0;
    unsigned free_until_ = 0;
    std::uint64_t word_ = 0;
    std::uint64_t pending_ = 0;
    unsigned pending_bits_ = 0;
};

} // namespace everbloom
