// key_pipeline: blocks of keys are read one at a time, worked on by several threads, and finished in the order of the input.
//
//                        .-> work (cut, hash, query) -.
//   read, one at a time -+-> work                    -+-> finish, one at a time, in order
//                        '-> work                    -'
//
// There is no thread for reading and none for finishing: whoever is free reads the next block and works on it; whoever completes
// the block that is next in order finishes it, and those behind it that are waiting. One thread alone does the three steps in turn.
#pragma once

#include "frame/cancellation.hpp"
#include "frame/interruption.hpp"
#include "keys/block_reader.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace everbloom::cli {

/// What a worker says about a block, beside its product.
struct block_report {
    std::uint64_t keys = 0;         // good ones
    std::optional<failure> trouble; // the key behind them is bad
};

enum class flow { go_on, stop };

/// Blocks in flight: two for each thread keep all of them busy. On large machines one has to do, or the blocks alone (each with what is
/// made of it, a megabyte and more) would take more memory than any input may cost.
[[nodiscard]] constexpr std::size_t pipeline_slots(unsigned threads) noexcept {
    constexpr std::size_t enough = 33;
    return std::max<std::size_t>(threads + std::size_t{1}, std::min<std::size_t>(2 * std::size_t{threads} + 1, enough));
}

/// What the finishing step is told about a block, beside its product.
struct block_place {
    std::uint64_t keys;       // in this block
    std::uint64_t file_bytes; // of the key file, as it lies on the disk, since the block before
};

/// `work(std::string_view block, Product&) -> block_report` runs in any thread and must fill the whole product, which is used again;
/// `finish(const block_place&, Product&) -> result<flow>` runs in order.
template <class Product, class Work, class Finish>
class key_pipeline {
public:
    key_pipeline(const key_files& files, char separator, unsigned threads, cancellation& cancel, Work work,
                 Finish finish)
        : files_(files), cancel_(cancel), reader_(files, separator, cancel), threads_(threads),
          slots_(pipeline_slots(threads)), work_(std::move(work)), finish_(std::move(finish)) {
        for (slot& one : slots_) free_.push_back(&one);
    }

    /// Runs to the end of the input, to the first failure, or until somebody cancels.
    [[nodiscard]] result<void> run() {
        std::vector<std::thread> helpers;
        try {
            helpers.reserve(threads_);
            for (unsigned i = 1; i < threads_; ++i) helpers.emplace_back([this] { guarded_loop(); });
        } catch (const std::exception&) {
            // The system has no memory or no number for one more: those there are do the same work.
        }
        guarded_loop();
        for (std::thread& one : helpers) one.join();
        if (thrown_) std::rethrow_exception(thrown_);
        if (failed_) return fail(std::move(*failed_));
        if (cancel_.requested() && !over_) return fail(failure_reason::input_output, interruption::sentence);
        return {};
    }

private:
    struct slot {
        key_block block;
        Product product;
        block_report report;
        std::uint64_t number = 0;
    };

    void guarded_loop() noexcept {
        try {
            while (slot* taken = take_free()) {
                if (!read_into(*taken)) break;
                taken->report = work_(taken->block.text(), taken->product);
                complete(*taken);
            }
        } catch (...) {
            const std::lock_guard lock(turn_);
            if (!thrown_) thrown_ = std::current_exception();
            end();
        }
    }

    /// A slot that nobody uses; none when all is over.
    slot* take_free() {
        std::unique_lock lock(turn_);
        freed_.wait(lock, [this] { return over_ || !free_.empty(); });
        if (over_) return nullptr;
        slot* taken = free_.back();
        free_.pop_back();
        return taken;
    }

    bool read_into(slot& into) {
        const std::lock_guard lock(reading_);
        if (!reader_.next(into.block)) return false;
        into.number = blocks_read_++;
        return true;
    }

    /// Notes that a block is worked on; finishes all that are now in order, unless somebody else is at it.
    void complete(slot& done) {
        std::unique_lock lock(turn_);
        waiting_.emplace(done.number, &done);
        if (finishing_) return;
        finishing_ = true;
        for (auto next = waiting_.find(finished_); next != waiting_.end() && !over_; next = waiting_.find(finished_)) {
            slot& one = *next->second;
            waiting_.erase(next);
            lock.unlock();
            const bool more = finish_in_order(one);
            lock.lock();
            ++finished_;
            if (!more) end();
            free_.push_back(&one);
            freed_.notify_one();
        }
        finishing_ = false;
    }

    bool finish_in_order(slot& one) {
        if (one.block.file != file_) {
            file_ = one.block.file;
            keys_of_file_ = 0;
            bytes_of_file_ = 0;
        }
        const block_place place{one.report.keys, one.block.file_bytes - bytes_of_file_};
        bytes_of_file_ = one.block.file_bytes;
        const auto went = finish_(place, one.product);
        keys_of_file_ += one.report.keys;
        if (!went) {
            failed_ = went.error();
        } else if (one.report.trouble) {
            failed_ = in(place_of_next_key(), std::move(*one.report.trouble));
        } else if (one.block.trouble) {
            failed_ = one.block.trouble_is_in_a_key ? in(place_of_next_key(), std::move(*one.block.trouble))
                                                    : std::move(*one.block.trouble);
        }
        return went && *went == flow::go_on && !failed_;
    }

    [[nodiscard]] std::string place_of_next_key() const {
        return display_name(files_.names[file_]) + ", line " + std::to_string(keys_of_file_ + 1);
    }

    /// Nobody begins anything new. The lock is held.
    void end() noexcept {
        over_ = true;
        cancel_.request();
        freed_.notify_all();
    }

    const key_files& files_;
    cancellation& cancel_;

    std::mutex reading_; // guards these two
    block_reader reader_;
    std::uint64_t blocks_read_ = 0;

    std::mutex turn_; // guards these
    std::condition_variable freed_;
    std::vector<slot*> free_;
    std::map<std::uint64_t, slot*> waiting_; // worked on, not yet finished
    std::uint64_t finished_ = 0;
    bool finishing_ = false;
    bool over_ = false;
    std::exception_ptr thrown_;

    // Of whoever is finishing; there is one at a time.
    std::size_t file_ = 0;
    std::uint64_t keys_of_file_ = 0;
    std::uint64_t bytes_of_file_ = 0;
    std::optional<failure> failed_;

    unsigned threads_;
    std::vector<slot> slots_;
    Work work_;
    Finish finish_;
};

} // namespace everbloom::cli
