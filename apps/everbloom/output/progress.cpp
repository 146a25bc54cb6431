#include "output/progress.hpp"

#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace everbloom::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto first_after = 1s;
constexpr auto then_every = 200ms;
constexpr std::string_view wipe = "\r\x1b[K"; // back to the first column, clear the line

std::string time_left(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 60) return fmt::format("{} s left", whole);
    if (whole < 3600) return fmt::format("{} min {} s left", whole / 60, whole % 60);
    return fmt::format("{} h {} min left", whole / 3600, whole / 60 % 60);
}

} // namespace

progress::progress(mode wanted, std::uint64_t total_bytes, std::string_view noun)
    : shown_(wanted == mode::shown && messages_are_on_terminal()), total_bytes_(total_bytes), noun_(noun),
      begun_(clock::now()), next_(begun_ + first_after) {}

progress::~progress() {
    if (visible_) say_text(wipe);
}

void progress::advance(std::uint64_t keys, std::uint64_t bytes) {
    keys_ += keys;
    bytes_ += bytes;
    if (!shown_) return;
    const auto now = clock::now();
    if (now < next_) return;
    next_ = now + then_every;
    visible_ = true;
    say("{}{}", wipe, line(std::chrono::duration<double>(now - begun_).count()));
}

std::string progress::line(double seconds) const {
    std::string text = fmt::format("{} {}, {} {}/s", short_count(static_cast<double>(keys_)), noun_,
                                   short_count(static_cast<double>(keys_) / seconds), noun_);
    if (total_bytes_ == 0 || bytes_ == 0) return text;
    const double done = std::min(1.0, static_cast<double>(bytes_) / static_cast<double>(total_bytes_));
    return text + fmt::format(", {:.0f} %, {}", 100 * done, time_left(seconds / done - seconds));
}

} // namespace everbloom::cli
