// dcso_bits: queries and insertions on a `.bloom` file of DCSO as it is (jobs/dcso_file.hpp), without a conversion.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_facts.hpp>
#include <everbloom/jobs/dcso_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace everbloom {

class dcso_bits {
public:
    explicit dcso_bits(dcso_file file) noexcept : file_(std::move(file)) {}

    /// An empty filter of the size that `bloom create` gives it, or one bit more if that is a power of two.
    [[nodiscard]] static result<dcso_bits> plan(std::uint64_t items, double fpr);

    [[nodiscard]] std::vector<std::byte> write() const;

    [[nodiscard]] static digest hash(std::string_view key) noexcept;
    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void prefetch(digest item) const noexcept;
    /// Counts the key if it sets at least one new bit, as the program `bloom` does.
    void insert(digest item) noexcept;

    [[nodiscard]] const dcso_file& file() const noexcept { return file_; }
    [[nodiscard]] foreign_facts facts() const;

private:
    [[nodiscard]] double sampled_fpr() const noexcept;

    dcso_file file_;
};

} // namespace everbloom
