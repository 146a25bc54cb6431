// line_copier: appends chosen lines of a block to the output, those next to each other in one piece.
//
// Where most lines are printed, copying them one by one would cost as much as hashing them.
#pragma once

#include <string>
#include <string_view>

namespace everbloom::cli {

class line_copier {
public:
    /// Each line is followed by the separator.
    line_copier(char separator, std::string& output) : separator_(separator), output_(output) {}

    /// The line must stay until `finish`.

    void add(std::string_view line) {
        // In the input, too, a separator is all that is between them.
        const bool goes_on = end_ != nullptr && line.data() == end_ + 1 && *end_ == separator_;
        if (!goes_on) {
            finish();
            begin_ = line.data();
        }
        end_ = line.data() + line.size();
    }

    /// Copies what is not copied yet.
    void finish() {
        if (end_ == nullptr) return;
        output_.append(begin_, end_);
        output_ += separator_;
        end_ = nullptr;
    }

private:
    char separator_;
    std::string& output_;
    const char* begin_ = nullptr;
    const char* end_ = nullptr; // of the lines that are not copied yet
};

} // namespace everbloom::cli
