// power_cut_disk: a file in memory that behaves like a disk on a bad day. Writes fail when they are told to, and after a power cut only
// what was synced is certain: of every other write each sector of 512 bytes is old or new, by chance.
#pragma once

#include "support/dice.hpp"

#include <everbloom/runtime/slow/random_access_file.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace everbloom::support {

class power_cut_disk {
public:
    /// The file, as often as it is opened.
    [[nodiscard]] std::unique_ptr<random_access_file> file() { return std::make_unique<handle>(contents_); }

    /// The next calls succeed; the one behind them, and all that follow, do not.
    void cut_after(std::uint64_t calls) { contents_->calls_left = calls; }
    [[nodiscard]] bool is_cut() const { return contents_->calls_left == 0; }
    /// From now on writes beyond this many bytes fail: the disk is full.
    void limit_to(std::uint64_t bytes) { contents_->most_bytes = bytes; }
    void fail_syncs(bool fail) { contents_->syncs_fail = fail; }
    void fail_reads(bool fail) { contents_->reads_fail = fail; }

    /// Like a file system that cannot give back bytes within a file.
    void keep_discarded() { contents_->keeps_discarded = true; }

    /// What is found after the power cut.
    [[nodiscard]] std::vector<std::byte> after_power_cut(dice& random) const {
        std::vector<std::byte> image = contents_->durable;
        for (const write_call& one : contents_->unsynced) {
            constexpr std::size_t sector = 512;
            for (std::size_t at = 0; at < one.bytes.size();) {
                const std::size_t until_next = sector - static_cast<std::size_t>((one.offset + at) % sector);
                const std::size_t count = std::min(until_next, one.bytes.size() - at);
                if (random.below(4) != 0) {
                    image.resize(
                        std::max<std::size_t>(image.size(), static_cast<std::size_t>(one.offset) + at + count));
                    std::memcpy(image.data() + one.offset + at, one.bytes.data() + at, count);
                }
                at += count;
            }
        }
        return image;
    }
    /// A new disk with these contents, all of them durable.
    void become(std::vector<std::byte> image) {
        contents_ = std::make_shared<disk>();
        contents_->now = image;
        contents_->durable = std::move(image);
    }
    [[nodiscard]] std::vector<std::byte>& bytes() { return contents_->now; }
    [[nodiscard]] std::uint64_t bytes_read() const { return contents_->bytes_read; }
    [[nodiscard]] std::uint64_t bytes_discarded() const { return contents_->bytes_discarded; }

private:
    struct write_call {
        std::uint64_t offset;
        std::vector<std::byte> bytes;
    };
    struct disk {
        std::vector<std::byte> now;
        std::vector<std::byte> durable;
        std::vector<write_call> unsynced;
        std::uint64_t calls_left = ~std::uint64_t{0};
        std::uint64_t most_bytes = ~std::uint64_t{0};
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_discarded = 0;
        bool keeps_discarded = false;
        bool syncs_fail = false;
        bool reads_fail = false;

        [[nodiscard]] bool takes_call() {
            if (calls_left == 0) return false;
            --calls_left;
            return true;
        }
    };

    class handle final : public random_access_file {
    public:
        explicit handle(std::shared_ptr<disk> contents) : disk_(std::move(contents)) {}

        [[nodiscard]] result<std::uint64_t> bytes() override { return disk_->now.size(); }
        [[nodiscard]] result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
            if (disk_->reads_fail) return fail(failure_reason::input_output, "cannot read it: simulated");
            if (offset >= disk_->now.size()) return std::size_t{0};
            const auto count = std::min<std::size_t>(into.size(), disk_->now.size() - static_cast<std::size_t>(offset));
            std::memcpy(into.data(), disk_->now.data() + offset, count);
            disk_->bytes_read += count;
            return count;
        }
        [[nodiscard]] result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
            if (!disk_->takes_call()) return failed("write");
            // A full disk takes what still fits.
            const std::uint64_t room = disk_->most_bytes > offset ? disk_->most_bytes - offset : 0;
            const auto taken = from.first(static_cast<std::size_t>(std::min<std::uint64_t>(room, from.size())));
            disk_->now.resize(
                std::max<std::size_t>(disk_->now.size(), static_cast<std::size_t>(offset) + taken.size()));
            std::copy(taken.begin(), taken.end(), disk_->now.begin() + static_cast<std::ptrdiff_t>(offset));
            disk_->unsynced.push_back({offset, {taken.begin(), taken.end()}});
            if (taken.size() != from.size()) return failed("write");
            return {};
        }
        [[nodiscard]] result<void> sync() override {
            if (disk_->syncs_fail || !disk_->takes_call()) return failed("sync");
            for (const write_call& one : disk_->unsynced) {
                disk_->durable.resize(std::max<std::size_t>(disk_->durable.size(),
                                                            static_cast<std::size_t>(one.offset) + one.bytes.size()));
                std::copy(one.bytes.begin(), one.bytes.end(),
                          disk_->durable.begin() + static_cast<std::ptrdiff_t>(one.offset));
            }
            disk_->unsynced.clear();
            return {};
        }
        [[nodiscard]] result<void> shorten(std::uint64_t bytes) override {
            if (!disk_->takes_call()) return failed("shorten");
            disk_->now.resize(static_cast<std::size_t>(bytes));
            if (disk_->durable.size() > bytes) disk_->durable.resize(static_cast<std::size_t>(bytes));
            return {};
        }
        void discard(std::uint64_t offset, std::uint64_t bytes) noexcept override {
            if (disk_->keeps_discarded || !disk_->takes_call()) return;
            disk_->bytes_discarded += bytes;
            for (std::vector<std::byte>* one : {&disk_->now, &disk_->durable}) {
                const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, one->size()));
                const auto to = static_cast<std::size_t>(std::min<std::uint64_t>(offset + bytes, one->size()));
                std::fill(one->begin() + static_cast<std::ptrdiff_t>(from),
                          one->begin() + static_cast<std::ptrdiff_t>(to), std::byte{0xdb});
            }
        }
        [[nodiscard]] result<void> check_name() override { return {}; }

    private:
        [[nodiscard]] static unexpected<failure> failed(const std::string& what) {
            return fail(failure_reason::input_output, "cannot " + what + " it: simulated");
        }
        std::shared_ptr<disk> disk_;
    };

    std::shared_ptr<disk> contents_ = std::make_shared<disk>();
};

} // namespace everbloom::support
