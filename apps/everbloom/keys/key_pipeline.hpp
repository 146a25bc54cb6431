// key_pipeline: processes blocks of keys with several threads, and finishes them in the order of the input.
//
//                        .-> work (cut, hash, query) -.
//   read, one at a time -+-> work                    -+-> finish, one at a time, in order
//                        '-> work                    -'
//
// There is no extra thread for reading or finishing: a free thread reads the next block and works on it; the thread that completes the
// next block in order finishes it and those waiting after it. A single thread does the three steps in turn.
#pragma once

#include "frame/cancellation.hpp"
#include "frame/interruption.hpp"
#include "keys/block_reader.hpp"
#include "keys/key_batches.hpp"

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

/// The report of a worker about a block, besides its product.
struct block_report {
    std::uint64_t keys = 0;       // valid ones
    std::optional<failure> error; // of the line after those of the account
    line_account account = {};
};

enum class flow { go_on, stop };

/// Blocks in flight: two per thread keep all threads busy. On large machines one has to be enough: a block with its product takes a
/// megabyte and more.
[[nodiscard]] constexpr std::size_t pipeline_slots(unsigned threads) noexcept {
    constexpr std::size_t enough = 33;
    return std::max<std::size_t>(threads + std::size_t{1}, std::min<std::size_t>(2 * std::size_t{threads} + 1, enough));
}

/// The input of the finishing step, besides the product.
struct block_place {
    std::uint64_t keys;       // in this block
    std::uint64_t file_bytes; // of the key file on disk, since the block before
    std::size_t file;         // which of the key files
    std::uint64_t first_line; // of this block, in the file, from 1
    const line_account& account;
};

/// `work(const key_block&, Product&) -> block_report` runs in any thread and must fill the whole product, which is reused;
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

    /// Runs to the end of the input, to the first failure, or to a cancellation.
    [[nodiscard]] result<void> run() {
        std::vector<std::thread> helpers;
        try {
            helpers.reserve(threads_);
            for (unsigned i = 1; i < threads_; ++i) helpers.emplace_back([this] { loop(); });
        } catch (const std::exception&) {
            // The system cannot start one more: the others do the work.
        }
        loop();
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

    void loop() noexcept {
        try {
            while (slot* taken = take_free()) {
                if (!read_into(*taken)) break;
                taken->report = work_(taken->block, taken->product);
                complete(*taken);
            }
        } catch (...) {
            const std::lock_guard lock(turn_);
            if (!thrown_) thrown_ = std::current_exception();
            end();
        }
    }

    /// A free slot; null at the end.
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

    /// Marks a block as processed; finishes all that are now in order, unless another thread does.
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
            lines_of_file_ = 0;
            bytes_of_file_ = 0;
        }
        const block_place place{one.report.keys, one.block.file_bytes - bytes_of_file_, file_, lines_of_file_ + 1,
                                one.report.account};
        bytes_of_file_ = one.block.file_bytes;
        const auto went = finish_(place, one.product);
        lines_of_file_ += one.report.account.lines;
        if (!went) {
            failed_ = went.error();
        } else if (one.report.error) {
            failed_ = in(place_of_next_line(), std::move(*one.report.error));
        } else if (one.block.error) {
            failed_ = one.block.error_is_in_a_key ? in(place_of_next_line(), std::move(*one.block.error))
                                                  : std::move(*one.block.error);
        }
        return went && *went == flow::go_on && !failed_;
    }

    [[nodiscard]] std::string place_of_next_line() const {
        return display_name(files_.names[file_]) + ", line " + std::to_string(lines_of_file_ + 1);
    }

    /// Stops all threads. The lock is held.
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
    std::map<std::uint64_t, slot*> waiting_; // processed, not yet finished
    std::uint64_t finished_ = 0;
    bool finishing_ = false;
    bool over_ = false;
    std::exception_ptr thrown_;

    // Of the thread that is finishing; there is one at a time.
    std::size_t file_ = 0;
    std::uint64_t lines_of_file_ = 0;
    std::uint64_t bytes_of_file_ = 0;
    std::optional<failure> failed_;

    unsigned threads_;
    std::vector<slot> slots_;
    Work work_;
    Finish finish_;
};

} // namespace everbloom::cli
