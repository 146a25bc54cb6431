// heap_words: owned, zeroed, line-aligned memory.
//
// Large stores come from the system in whole huge pages and ask for them (random access to a 15 MB array is 1.3 to
// 1.5 times as fast with 2 MiB pages: fewer address translations miss); EVERBLOOM_HUGE_PAGES=off in the environment turns that off. A request beyond the machine's memory is a failure
// at once: the system would promise it and kill the process later, when the pages are touched. A host may bring memory of its
// own (memory_hook.hpp).
#pragma once

#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/bits/word_store.hpp>
#include <everbloom/core/result.hpp>

#include <cstdint>
#include <utility>

namespace everbloom {

class heap_words {
public:
    heap_words() noexcept = default;

    /// Zeroed words for `lines` cache lines.
    [[nodiscard]] static result<heap_words> make(std::uint64_t lines);

    /// Words that are not set: their pages are first touched when they are used, not all at once.
    [[nodiscard]] static result<heap_words> make_unset(std::uint64_t lines);
    /// Words at the start of a range of whole huge pages: `extend` within them is free. The system takes pages of the usual size for them,
    /// one when it is touched, until `prefer_huge_pages`. Only where `has_huge_pages`.
    /// `room` is a number of lines of address space before the first one, which take no memory (`open_before`); there may be less.
    [[nodiscard]] static result<heap_words> make_mapped(std::uint64_t lines, std::uint64_t room = 0);
    /// The system may put huge pages in their place, when it has time.
    void prefer_huge_pages() noexcept;
    /// Has the system provide the memory of these words at once, where they are mapped: cheaper than one page after the other when it is touched.
    /// Huge pages in the place of what is whole ones of them may follow, when it has time, up to `used_end` where words have memory already.
    void provide(std::uint64_t first, std::uint64_t end, std::uint64_t used_end = 0) noexcept;
    /// Whether memory comes in huge pages, not from a host's hook.
    [[nodiscard]] static bool has_huge_pages() noexcept;
    static constexpr std::uint64_t huge_page_lines = (std::uint64_t{2} << 20) / line_bytes;

    /// Makes this many words before the first one usable, zero and not touched, where there is room for them: for `take_over`. No word of
    /// these changes. False if there is no such room.
    [[nodiscard]] bool open_before(std::uint64_t words) noexcept;
    /// Words that begin `before` words earlier, which `open_before` has made usable, and end at or before the end of these. They own the memory
    /// from then on. These words stay as they are as long as the new ones live, but for those that are written to there.
    [[nodiscard]] heap_words take_over(std::uint64_t before, std::uint64_t words) noexcept;

    /// A deep copy, which may fail; there is no copy constructor that could only throw.
    [[nodiscard]] result<heap_words> copy() const;

    /// Grows to `lines` cache lines, at least the present size; existing words are kept, new ones are zero. A failure changes nothing.
    /// Large stores are moved by the system without being copied.
    [[nodiscard]] result<void> extend(std::uint64_t lines);

    /// The same, but new words are not set.
    [[nodiscard]] result<void> extend_unset(std::uint64_t lines);

    /// Shrinks to `lines` cache lines, at most the present size, and returns the memory behind them where possible.
    void shrink(std::uint64_t lines) noexcept;

    /// Returns the memory of the words before `first` to the system where possible; they must not be read any more.
    void forget_before(std::uint64_t first) noexcept;

    /// Lets the host move the block, if it is one of its hook. Code that holds an address of these words must ask for it again.
    void relocate(const block_mover& mover) noexcept {
        void* const moved = block_ != nullptr ? mover.move(mover.context, block_) : nullptr;
        if (moved == nullptr) return;
        const auto lead = reinterpret_cast<const char*>(data_) - static_cast<const char*>(block_);
        block_ = moved;
        data_ = reinterpret_cast<std::uint64_t*>(static_cast<char*>(moved) + lead);
    }

    heap_words(heap_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), words_(std::exchange(other.words_, 0)),
          mapped_bytes_(std::exchange(other.mapped_bytes_, 0)), room_bytes_(std::exchange(other.room_bytes_, 0)),
          spent_bytes_(std::exchange(other.spent_bytes_, 0)),
          forgotten_bytes_(std::exchange(other.forgotten_bytes_, 0)), block_(std::exchange(other.block_, nullptr)),
          release_(std::exchange(other.release_, nullptr)) {}

    heap_words& operator=(heap_words&& other) noexcept {
        if (this != &other) {
            if (data_ != nullptr) release();
            data_ = std::exchange(other.data_, nullptr);
            words_ = std::exchange(other.words_, 0);
            mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
            room_bytes_ = std::exchange(other.room_bytes_, 0);
            spent_bytes_ = std::exchange(other.spent_bytes_, 0);
            forgotten_bytes_ = std::exchange(other.forgotten_bytes_, 0);
            block_ = std::exchange(other.block_, nullptr);
            release_ = std::exchange(other.release_, nullptr);
        }
        return *this;
    }

    heap_words(const heap_words&) = delete;
    heap_words& operator=(const heap_words&) = delete;
    ~heap_words() {
        if (data_ != nullptr) release();
    }

    [[nodiscard]] std::uint64_t* data() noexcept { return data_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return words_; }
    /// Cache lines that it can be extended to without being moved.
    [[nodiscard]] std::uint64_t room_lines() const noexcept {
        return mapped_bytes_ != 0 ? mapped_bytes_ / line_bytes : words_ / line_words;
    }
    /// Whether the system gives their memory when they are first used, not before.
    [[nodiscard]] bool is_mapped() const noexcept { return mapped_bytes_ != 0; }
    /// Those that were not given back to the system, and what `take_over` has left behind the last one.
    [[nodiscard]] std::uint64_t held_words() const noexcept {
        return words_ + spent_words() - forgotten_bytes_ / sizeof(std::uint64_t);
    }
    [[nodiscard]] std::uint64_t spent_words() const noexcept { return spent_bytes_ / sizeof(std::uint64_t); }

    [[nodiscard]] static std::uint64_t physical_memory_bytes() noexcept;

private:
    [[nodiscard]] bool allocate(std::uint64_t bytes) noexcept; // not set
    [[nodiscard]] bool allocate_from_hook(std::uint64_t bytes) noexcept;
    [[nodiscard]] bool allocate_huge(std::uint64_t bytes, std::uint64_t room = 0) noexcept; // zeros
    void set_to_zero() noexcept;
    /// Not one with words of other sizes before or behind its own.
    [[nodiscard]] bool is_plain_mapping() const noexcept {
        return mapped_bytes_ != 0 && room_bytes_ == 0 && spent_bytes_ == 0;
    }
    [[nodiscard]] bool extend_mapping(std::uint64_t bytes) noexcept;
    void shrink_mapping(std::uint64_t words) noexcept;
    void release() noexcept;

    std::uint64_t* data_ = nullptr;
    std::uint64_t words_ = 0;
    std::uint64_t mapped_bytes_ = 0; // from the first word on; 0: not from the system directly
    std::uint64_t room_bytes_ = 0;   // reserved before the first word
    std::uint64_t spent_bytes_ = 0;  // in use once, behind the last word
    std::uint64_t forgotten_bytes_ = 0;
    void* block_ = nullptr;            // what a hook gave, before it was aligned
    void (*release_)(void*) = nullptr; // where that goes back to
};

static_assert(WritableWordStore<heap_words>);

} // namespace everbloom
