// extent_map: which bytes of a slow file are in use. Runs, lines and log segments come and go; what is free is used again.
//
// In units of 4 KB. The first hole that is large enough is taken, otherwise the file becomes longer.
#pragma once

#include <everbloom/core/checked.hpp>

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace everbloom {

struct extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + bytes; }
    friend bool operator==(const extent&, const extent&) = default;
};

class extent_map {
public:
    static constexpr std::uint64_t unit = 4096;

    [[nodiscard]] static constexpr std::uint64_t rounded_up(std::uint64_t bytes) noexcept {
        return (bytes + unit - 1) / unit * unit;
    }

    /// Takes bytes that must be free, for one who knows what is in the file. False if some are in use, or not in whole units.
    [[nodiscard]] bool claim(const extent& wanted) {
        if (wanted.bytes == 0) return true;
        if (wanted.offset % unit != 0 || wanted.bytes % unit != 0 || !checked_add(wanted.offset, wanted.bytes))
            return false;
        if (wanted.offset >= end_) {
            if (wanted.offset > end_) holes_.emplace(end_, wanted.offset - end_);
            end_ = wanted.end();
            return true;
        }
        auto hole = holes_.upper_bound(wanted.offset);
        if (hole == holes_.begin()) return false;
        --hole;
        const extent whole{hole->first, hole->second};
        if (whole.end() < wanted.end()) return false;
        // The new holes first: what can fail must not change anything.
        if (wanted.end() < whole.end()) holes_.emplace(wanted.end(), whole.end() - wanted.end());
        if (wanted.offset > whole.offset) {
            hole->second = wanted.offset - whole.offset;
        } else {
            holes_.erase(hole);
        }
        return true;
    }

    [[nodiscard]] extent allocate(std::uint64_t bytes) {
        bytes = rounded_up(bytes);
        if (bytes == 0) return {};
        for (const auto& [offset, free] : holes_) {
            if (free < bytes) continue;
            const extent found{offset, bytes};
            (void)claim(found);
            return found;
        }
        // A hole at the very end does not exist: release lowers the end instead.
        const extent found{end_, bytes};
        end_ += bytes;
        return found;
    }

    void release(const extent& given) {
        if (given.bytes == 0) return;
        extent whole = given;
        const auto next = holes_.lower_bound(given.offset);
        if (next != holes_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == given.offset) whole = {before->first, before->second + whole.bytes};
        }
        if (next != holes_.end() && next->first == given.end()) whole.bytes += next->second;
        if (whole.end() != end_) {
            holes_[whole.offset] = whole.bytes; // may throw; nothing has been changed
            if (next != holes_.end() && next->first == given.end()) holes_.erase(next);
            return;
        }
        end_ = whole.offset;
        holes_.erase(whole.offset);
    }

    /// Where the file ends if nothing behind the last extent is kept.
    [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
    [[nodiscard]] std::uint64_t free_bytes() const noexcept {
        std::uint64_t sum = 0;
        for_each_hole([&](const extent& hole) { sum += hole.bytes; });
        return sum;
    }
    template <class Visit>
    void for_each_hole(Visit visit) const {
        for (const auto& [offset, bytes] : holes_) visit(extent{offset, bytes});
    }

private:
    std::map<std::uint64_t, std::uint64_t> holes_; // offset, bytes; no two of them touch
    std::uint64_t end_ = 0;
};

} // namespace everbloom
