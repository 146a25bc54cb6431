// absent_filter: what an any_filter without a filter refers to, default-constructed or moved from.
//
// It can do nothing, so every operation with a result fails with a message. A query has no way to fail and answers "maybe": "surely
// not" would be a false claim.
#pragma once

#include "erased_filter.hpp"

#include <algorithm>

namespace everbloom {

class absent_filter : public any_filter::interface {
public:
    [[nodiscard]] void* object() noexcept override { return nullptr; }
    [[nodiscard]] any_filter::key_calls calls() const noexcept override { return {}; } // any_filter has its own
    [[nodiscard]] bool writable() const noexcept override { return false; }
    [[nodiscard]] std::optional<std::uint64_t> keys() const noexcept override { return std::nullopt; }
    [[nodiscard]] std::uint64_t memory_words() const noexcept override { return 0; }
    [[nodiscard]] std::string_view kind() const noexcept override { return "absent"; }
    [[nodiscard]] std::uint32_t kind_id() const noexcept override { return 0; } // of no kind
    [[nodiscard]] capability_set capabilities() const noexcept override { return {}; }
    [[nodiscard]] std::vector<geometry_value> geometry() const override { return {}; }
    [[nodiscard]] std::uint64_t structure_bits() const noexcept override { return 0; }
    [[nodiscard]] std::uint64_t cells() const noexcept override { return 0; }
    void read_cells(std::uint64_t, std::span<std::uint64_t>) const noexcept override {}
    [[nodiscard]] std::uint64_t payload_words() const noexcept override { return 0; }
    [[nodiscard]] bool may_contain(digest) const noexcept override { return true; }
    void may_contain(std::span<const digest>, std::span<std::uint8_t> answers) const noexcept override {
        std::fill(answers.begin(), answers.end(), std::uint8_t{1});
    }
    [[nodiscard]] bool may_contain(const any_hasher&, std::span<const std::uint64_t>,
                                   std::span<std::uint8_t>) const noexcept override {
        return false;
    }
    [[nodiscard]] bool insert(const any_hasher&, std::span<const std::uint64_t>) noexcept override { return false; }
    void insert(std::span<const digest>, std::span<insert_outcome>) noexcept override {}
    void erase(std::span<const digest>, std::span<erase_outcome>) noexcept override {}
    [[nodiscard]] bool can_erase(std::span<const digest>, std::span<erase_outcome>) const noexcept override {
        return false;
    }
    [[nodiscard]] std::uint64_t estimate_count(digest) const noexcept override { return 0; }
    [[nodiscard]] result<query_copy_geometry> query_copy(double) const override { return refuse(); }
    [[nodiscard]] result<query_copy_geometry> fuse_copy(double) const override { return refuse(); }
    [[nodiscard]] result<void> build(std::span<const digest>) override { return refuse(); }
    void for_each_digest(const std::function<void(digest, std::uint64_t)>&) const override {}
    [[nodiscard]] result<void> merge(const interface&) override { return refuse(); }
    [[nodiscard]] result<void> grow() override { return refuse(); }
    [[nodiscard]] result<void> shrink() override { return refuse(); }
    [[nodiscard]] result<void> resize(const interface&) override { return refuse(); }
    [[nodiscard]] result<void> intersect(const interface&) override { return refuse(); }
    void confirm(std::span<const digest>, std::span<std::uint8_t>) const noexcept override {}
    [[nodiscard]] result<protection> protect(std::span<const digest>, std::span<const digest>,
                                             const protection_options&) override {
        return refuse();
    }
    void clear() noexcept override {}
    [[nodiscard]] measurement measure() const override { return {.fpr = 1, .deletable_share = {}}; }
    [[nodiscard]] prediction predict(const lifetime&) const override { return {}; }
    [[nodiscard]] std::optional<bucket_statistics> buckets() const override { return std::nullopt; }
    [[nodiscard]] std::vector<double> predict_buckets(const lifetime&) const override { return {}; }
    [[nodiscard]] std::optional<growth_statistics> growth() const override { return std::nullopt; }
    [[nodiscard]] std::vector<word_pieces> sections() const override { return {}; }

    [[nodiscard]] static unexpected<failure> refuse() {
        return fail(failure_reason::unsupported,
                    "this handle holds no filter: it was default-constructed or moved from; assign a filter first");
    }
};

} // namespace everbloom
