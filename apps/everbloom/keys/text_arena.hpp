// text_arena: storage for keys that are not in the input as they are: joined fields, unescaped strings, names in lower case.
//
// They live as long as the block they come from; `clear` keeps the first page for the next block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace everbloom::cli {

class text_arena {
public:
    /// Bytes to be written by the caller.
    [[nodiscard]] char* room(std::size_t bytes) {
        if (bytes > left_) {
            const std::size_t page = std::max(page_bytes, bytes);
            pages_.push_back({std::make_unique_for_overwrite<char[]>(page), page});
            next_ = pages_.back().bytes.get();
            left_ = page;
        }
        char* const taken = next_;
        next_ += bytes;
        left_ -= bytes;
        return taken;
    }

    [[nodiscard]] std::string_view keep(std::string_view text) {
        char* const into = room(text.size());
        std::copy(text.begin(), text.end(), into);
        return {into, text.size()};
    }

    void clear() {
        if (pages_.size() > 1) pages_.resize(1);
        if (pages_.empty()) return;
        next_ = pages_.front().bytes.get();
        left_ = pages_.front().size;
    }

private:
    static constexpr std::size_t page_bytes = std::size_t{1} << 16;

    struct page {
        std::unique_ptr<char[]> bytes;
        std::size_t size;
    };
    std::vector<page> pages_;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

} // namespace everbloom::cli
