#include "keys/skipped_lines.hpp"

#include "output/message.hpp"
#include "output/wording.hpp"

namespace everbloom::cli {

void skipped_lines::take(const std::string& file, std::uint64_t first_line, const line_account& account) {
    invalid_ += account.invalid;
    left_out_ += account.left_out;
    if (!shown_) return;
    for (const line_account::bad_line& one : account.first) {
        if (named_ == line_account::most_named) break;
        ++named_;
        say("everbloom: {}, line {}: {}\n", file, first_line + one.line, one.why.sentence);
    }
}

void skipped_lines::report() const {
    if (!shown_) return;
    if (invalid_ > 0) {
        say("everbloom: {} without a valid key {} skipped{}\n", counted(invalid_, "line"),
            invalid_ == 1 ? "was" : "were", invalid_ > named_ ? fmt::format("; the first {} are above", named_) : "");
    }
    if (left_out_ > 0) {
        say("everbloom: {} of the list {} not block a whole domain and {} left out\n", counted(left_out_, "rule"),
            left_out_ == 1 ? "does" : "do", left_out_ == 1 ? "was" : "were");
    }
}

} // namespace everbloom::cli
