// reader_epochs: epoch-based reclamation: a writer frees memory that readers may still use, without either waiting for the other.
//
// A reader announces itself in the counter of the current epoch. A retired object is freed two epochs later, and the epoch
// advances only when the counter that the next epoch will use is zero: so every reader that may have seen the retired object
// is gone by then. A writer that cannot advance keeps what it retired and tries again with the next object.
//
// Announcements are spread over cache lines, a few threads to each, so that readers do not contend for one.
#pragma once

#include <everbloom/core/units.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace everbloom {

template <class Retired>
class reader_epochs {
public:
    /// Keeps everything the reader sees allocated while it lives.
    class visit {
    public:
        explicit visit(reader_epochs& epochs) noexcept {
            stripe& own = epochs.stripe_of_this_thread();
            for (;;) {
                const std::uint64_t epoch = epochs.epoch_.load();
                counter_ = &own.readers[epoch % 2];
                counter_->fetch_add(1);
                // A writer that advanced in between did not see this announcement: then it does not count.
                if (epochs.epoch_.load() == epoch) return;
                counter_->fetch_sub(1);
            }
        }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;
        ~visit() { counter_->fetch_sub(1); }

    private:
        std::atomic<std::uint64_t>* counter_ = nullptr;
    };

    /// Frees `thing` when no reader can see it any more. New readers must already be unable to reach it.
    void retire(Retired thing) noexcept {
        const std::lock_guard one_at_a_time(retiring_);
        const std::uint64_t now = epoch_.load();
        // Reserve first: an object moved into a vector that then fails to grow would be freed at once, under its readers.
        try {
            waiting_.reserve(waiting_.size() + 1);
        } catch (const std::bad_alloc&) {
            // No memory to record it: then the writer waits for the readers, which are quick.
            while (epoch_.load() < now + 2) {
                advance();
                std::this_thread::yield();
            }
            return; // and `thing` goes now
        }
        waiting_.emplace_back(now, std::move(thing));
        advance();
        const std::uint64_t epoch = epoch_.load();
        std::erase_if(waiting_, [&](const auto& one) { return one.first + 2 <= epoch; });
    }

    [[nodiscard]] std::size_t waiting() {
        const std::lock_guard one_at_a_time(retiring_);
        return waiting_.size();
    }

private:
    struct alignas(line_bytes) stripe {
        std::array<std::atomic<std::uint64_t>, 2> readers{};
    };

    [[nodiscard]] stripe& stripe_of_this_thread() noexcept {
        return stripes_[std::hash<std::thread::id>{}(std::this_thread::get_id()) % stripes_.size()];
    }

    /// As far as the readers allow, at most twice: more frees nothing.
    void advance() noexcept {
        for (int step = 0; step < 2; ++step) {
            const std::uint64_t epoch = epoch_.load();
            for (const stripe& one : stripes_) {
                if (one.readers[(epoch + 1) % 2].load() != 0) return;
            }
            epoch_.store(epoch + 1);
        }
    }

    std::atomic<std::uint64_t> epoch_ = 0;
    std::array<stripe, 16> stripes_;
    std::mutex retiring_;
    std::vector<std::pair<std::uint64_t, Retired>> waiting_;
};

} // namespace everbloom
