// The usual way from page to page is vector code, and needs no more than one copy of each hash (hash_pages::read_page). This is the other one.
#include <everbloom/filter/elastic/stored_hashes/stored_hashes.hpp>

#include <algorithm>

namespace everbloom {
namespace {

/// Writes hashes in ascending order at the end of a set of pages, as fast as they can be made.
///
/// What it knows of the page it writes to stays in registers: how full the bins are, and the bits of the last word. The page is
/// up to date when the next one begins, or after `flush`; it must not be read in between.
class hash_appender {
public:
    explicit hash_appender(hash_pages<heap_words>& target) noexcept : target_(target), geometry_(target.geometry()) {}
    hash_appender(const hash_appender&) = delete;
    hash_appender& operator=(const hash_appender&) = delete;
    ~hash_appender() { flush(); }

    /// `inserted`, or a refusal that changed nothing. The hash is larger than all before.
    [[nodiscard]] insert_outcome put(std::uint64_t hash, std::uint64_t copies) noexcept {
        const hash_place place = geometry_.place_of(hash);
        if (place.page() != page_) [[unlikely]]
            open(place.page());
        const unsigned shift = place.bin_in_page() * 8;
        const unsigned slots = hash_page<std::uint64_t>::slots_for(copies);
        const bool fits = used_ + slots <= free_until_ &&
                          (counts_ >> shift & 0xff) + slots <= hash_page<std::uint64_t>::most_bin_slots;
        if (!fits || copies > hash_page<std::uint64_t>::most_copies) [[unlikely]]
            return put_slowly(hash, copies);
        counts_ += std::uint64_t{slots} << shift;
        used_ += slots;
        emit(place.remainder);
        if (slots > 1) [[unlikely]] {
            for (unsigned i = 1; i < std::min(slots, 3u); ++i) emit(place.remainder);
            if (slots == 4) emit(copies - 3);
            words_[1] |= std::uint64_t{1} << (hash_page<std::uint64_t>::link_bits + shift / 8);
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
        used_ = hash_page<std::uint64_t>(geometry_, words_, nullptr).used_slots();
        free_until_ = hash_page<std::uint64_t>::link(words_) == 0
                          ? geometry_.slots()
                          : 0; // a page with overflow pages is left to the slow way
        const std::uint64_t bit = hash_geometry::header_words * 64 + std::uint64_t{used_} * geometry_.slot_bits();
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

    [[gnu::noinline]] insert_outcome put_slowly(std::uint64_t hash, std::uint64_t copies) noexcept {
        flush();
        return target_.append(hash, copies);
    }

    hash_pages<heap_words>& target_;
    const hash_geometry geometry_;
    std::uint64_t page_ = no_page;
    std::uint64_t* words_ = nullptr;
    std::uint64_t counts_ = 0;
    unsigned used_ = 0;
    unsigned free_until_ = 0;
    std::uint64_t word_ = 0;
    std::uint64_t pending_ = 0;
    unsigned pending_bits_ = 0;
};

} // namespace

insert_outcome copy_hash_by_hash(const hash_pages<heap_words>& from, std::uint64_t page, hash_pages<heap_words>& to,
                                 std::uint64_t* copied, std::size_t& count) noexcept {
    insert_outcome failed = insert_outcome::inserted;
    {
        hash_appender appender(to);
        from.for_each_in_page(page, [&](std::uint64_t hash, std::uint64_t copies) {
            if (!succeeded(failed)) [[unlikely]]
                return;
            failed = appender.put(hash, copies);
            copied[count] = hash;
            count += succeeded(failed) ? 1 : 0;
        });
    }
    if (succeeded(failed)) return failed;
    from.for_each_in_page(page, [&](std::uint64_t hash, std::uint64_t copies) {
        if (count == 0) return;
        --count;
        to.remove(hash, copies);
    });
    return failed;
}

} // namespace everbloom
