#include <everbloom/hash/checksum.hpp>
#include <everbloom/runtime/slow/update_log.hpp>

#include <algorithm>

namespace everbloom {
namespace {

constexpr std::uint64_t link_bytes = (update_log::header_words + 1) * sizeof(std::uint64_t);

[[nodiscard]] std::uint64_t sum_of(std::span<const std::uint64_t> frame) noexcept {
    return checksum(frame.data() + 1, (frame.size() - 1) * sizeof(std::uint64_t));
}

} // namespace

result<void> update_log::put_frame(random_access_file& file, std::uint64_t segment, std::span<std::uint64_t> frame,
                                   bool is_link) {
    const std::uint64_t entries = frame.size() - header_words;
    frame[1] = file_number_;
    frame[2] = next_frame_;
    frame[3] = epoch_ << 32 | entries << 1 | (is_link ? 1 : 0);
    frame[0] = sum_of(frame);
    if (auto written = file.write(segment + used_bytes_, std::as_bytes(frame)); !written) return written;
    used_bytes_ += frame.size_bytes();
    ++next_frame_;
    return {};
}

result<void> update_log::write(random_access_file& file, extent_map& space) {
    // One frame, unless several threads have appended more than a frame takes.
    while (has_unwritten()) {
        const std::size_t words = std::min(frame_.size(), header_words + most_entries);
        if (used_bytes_ + words * sizeof(std::uint64_t) + link_bytes > segment_bytes) {
            // Its place in the list first: whatever needs memory must not come behind the link.
            const std::uint64_t full = segments_.back().offset;
            const extent next = space.allocate(segment_bytes);
            segments_.push_back({next.offset, next_frame_ + 1});
            std::array<std::uint64_t, header_words + 1> link{};
            link[header_words] = next.offset;
            if (auto linked = put_frame(file, full, link, true); !linked) {
                segments_.pop_back();
                space.release(next);
                return linked;
            }
            used_bytes_ = 0;
        }
        const auto frame = std::span(frame_).first(words);
        if (auto written = put_frame(file, segments_.back().offset, frame, false); !written) return written;
        frame_.erase(frame_.begin() + header_words, frame_.begin() + static_cast<std::ptrdiff_t>(words));
        claimed_ -= words - header_words;
    }
    return {};
}

result<void> update_log::replay(random_access_file& file, position first,
                                const std::function<result<void>(std::uint64_t, std::span<const std::uint64_t>)>& use) {
    begin(first);
    std::vector<std::uint64_t> segment(segment_bytes / sizeof(std::uint64_t));
    std::uint64_t last_epoch = 0;
    for (;;) {
        const auto got = file.read(segments_.back().offset, std::as_writable_bytes(std::span(segment)));
        if (!got) return fail(got.error());
        const auto words = std::span<const std::uint64_t>(segment).first(*got / sizeof(std::uint64_t));
        std::uint64_t next_segment = 0;
        for (std::size_t at = 0; at + header_words <= words.size() && next_segment == 0;) {
            const std::uint64_t entries = words[at + 3] >> 1 & 0x7fffffff;
            const std::uint64_t epoch = words[at + 3] >> 32;
            const bool is_link = (words[at + 3] & 1) != 0;
            if (words[at + 1] != file_number_ || words[at + 2] != next_frame_ || entries == 0 ||
                entries > most_entries || header_words + entries > words.size() - at || epoch < last_epoch ||
                epoch > epoch_ || (is_link && entries != 1)) {
                return {};
            }
            const auto frame = words.subspan(at, header_words + entries);
            if (frame[0] != sum_of(frame)) return {};
            at += frame.size();
            used_bytes_ = at * sizeof(std::uint64_t);
            last_epoch = epoch;
            if (is_link) {
                next_segment = frame[header_words];
            } else if (auto used = use(next_frame_, frame.subspan(header_words)); !used) {
                return used;
            }
            ++next_frame_;
        }
        if (next_segment == 0) return {};
        for (const position& one : segments_) {
            if (one.offset == next_segment) return fail(failure_reason::damaged, "the log leads back to itself");
        }
        segments_.push_back({next_segment, next_frame_});
        used_bytes_ = 0;
    }
}

void update_log::forget_before(std::uint64_t frame, std::vector<extent>& gone) {
    std::size_t count = 0;
    while (count + 1 < segments_.size() && segments_[count + 1].frame <= frame) ++count;
    gone.reserve(gone.size() + count); // may throw; what follows does not
    for (std::size_t i = 0; i < count; ++i) gone.push_back({segments_[i].offset, segment_bytes});
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
}

} // namespace everbloom
