#include "keys/compressed_input.hpp"

#include <algorithm>

namespace everbloom::cli {

result<bool> compressed_input::feed() {
    if (from_ != until_) return true;
    const auto got = file_->read(buffer_);
    if (!got) return fail(got.error());
    from_ = 0;
    until_ = *got;
    return until_ != 0;
}

result<bool> compressed_input::skip_zeros() {
    for (;;) {
        auto more = feed();
        if (!more || !*more) return more;
        const auto rest = unread();
        const auto other = std::find_if(rest.begin(), rest.end(), [](char byte) { return byte != '\0'; });
        use(static_cast<std::size_t>(other - rest.begin()));
        if (other != rest.end()) return true;
    }
}

failure compressed_input::damaged(std::string_view how) const {
    return {failure_reason::damaged, name_ + ": the " + std::string(format_) + " data " + std::string(how) +
                                         " at byte " + std::to_string(offset()) + "; download or copy the file again"};
}

failure compressed_input::needs_too_much(std::string_view command) const {
    return {failure_reason::out_of_memory, name_ + ": the " + std::string(format_) + " data needs more than " +
                                               std::to_string(most_decoder_bytes >> 20) +
                                               " MiB of memory to be decompressed; decompress it first (" +
                                               std::string(command) + "), or compress it with a smaller window"};
}

} // namespace everbloom::cli
