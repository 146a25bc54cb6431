// key_batches: splits a block into batches of keys, for the batch calls of hash functions and filters.
#pragma once

#include "keys/key_block.hpp"

#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <array>
#include <cstring>

namespace everbloom::cli {

/// The format of keys in their files.
struct key_format {
    char separator = '\n';
    bool strip_cr = false; // the last byte of a key, if it is a carriage return
    key_type type = key_type::text;
};

/// The flag that sets the type, for messages.
inline constexpr std::string_view key_type_flag = "--key-type";

class key_batches {
public:
    key_batches(std::string_view block, const key_format& format)
        : rest_(block), format_(format), decoder_(format.type) {}

    /// Reads the next batch. False at the end, and at a malformed key.
    [[nodiscard]] bool next() {
        if (malformed_) return false;
        std::size_t count = 0;
        const char* from = rest_.data();
        const char* const end = from + rest_.size();
        while (count < batch_items && from != end) {
            const auto* to =
                static_cast<const char*>(std::memchr(from, format_.separator, static_cast<std::size_t>(end - from)));
            const char* const stop = to == nullptr ? end : to;
            texts_[count++] = without_cr({from, static_cast<std::size_t>(stop - from)});
            from = to == nullptr ? end : to + 1;
        }
        rest_ = {from, static_cast<std::size_t>(end - from)};
        count_ = decoder_.decode(std::span(texts_).first(count), keys_);
        malformed_ = count_ != count;
        total_ += count_;
        return count_ != 0;
    }

    /// The keys of the batch as in the file, and as the bytes that are hashed.
    [[nodiscard]] std::span<const std::string_view> texts() const noexcept { return std::span(texts_).first(count_); }
    [[nodiscard]] std::span<const std::string_view> keys() const noexcept { return std::span(keys_).first(count_); }

    /// Keys in all batches so far.
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    /// The error of a malformed key, if there is one.
    [[nodiscard]] std::optional<failure> error() const {
        if (!malformed_) return std::nullopt;
        return malformed_key(format_.type, texts_[count_], key_type_flag);
    }

private:
    [[nodiscard]] std::string_view without_cr(std::string_view key) const noexcept {
        if (format_.strip_cr && key.ends_with('\r')) key.remove_suffix(1);
        return key;
    }

    std::string_view rest_;
    key_format format_;
    key_decoder decoder_;
    std::array<std::string_view, batch_items> texts_;
    std::array<std::string_view, batch_items> keys_;
    std::size_t count_ = 0;
    std::uint64_t total_ = 0;
    bool malformed_ = false;
};

} // namespace everbloom::cli
