// The deletable Bloom filter (DlBF): a Bloom filter whose array is cut into regions, with one collision flag per region.
//
// Idea        A flag per bit doubles the memory; a flag per region of s bits costs little. If any bit of a region is set twice, the
//             whole region is flagged and none of its bits is ever cleared again. An item can leave if one of its k bits lies in a
//             region without a flag.
// Source      [Rothenberg10] as described in [Kwon §II.A].
// Layout      R = bits / (s + 1) regions:   bits | s bits | s bits | ... |   flags | R bits |     the flags are part of `bits`
// Guarantees  No false negative as long as only members are removed. Refusals change nothing. Inserting a key twice flags all its
//             regions: it can never be removed.
// Cost        Queries touch the bits only. (s + 1) / s bits per cell: the cheapest way to delete some of the members; few of them
//             remain deletable when the filter is full.
// Deviation   Equal positions of one item are not a collision.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/cells/cell_filter.hpp>

namespace everbloom {

struct deletable_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t region_bits = 8;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<deletable_spec>, 4> fields() noexcept {
        return {bits_field<deletable_spec>(), hashes_field<deletable_spec>(),
                spec_field<deletable_spec>{"region_bits", &deletable_spec::region_bits, 1, 1u << 20,
                                           "bits per region, each with one collision flag"},
                probe_field<deletable_spec>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (regions() == 0) {
            return fail(failure_reason::bad_parameter, "bits is " + std::to_string(bits) +
                                                           "; one region and its flag alone need " +
                                                           std::to_string(region_bits + 1));
        }
        if (!checked_multiply(cells(), region_bits)) {
            return fail(failure_reason::bad_parameter,
                        "that many bits need smaller regions than " + std::to_string(region_bits));
        }
        return {};
    }
    [[nodiscard]] std::uint64_t regions() const noexcept { return bits / (region_bits + 1); }
    [[nodiscard]] std::uint64_t cells() const noexcept { return regions() * region_bits; }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const deletable_spec&, const deletable_spec&) = default;
};

/// Division by the size of a region, by multiplication. Exact as long as index * divisor < 2^64 (the spec checks that).
class region_index {
public:
    explicit region_index(std::uint64_t region_bits) noexcept
        : factor_(region_bits == 1 ? 0 : ~std::uint64_t{0} / region_bits + 1) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t at) const noexcept {
        return factor_ == 0 ? at : multiply_wide(at, factor_).high;
    }

private:
    std::uint64_t factor_; // ceil(2^64 / region_bits); 0 for 1
};

template <class Word>
class region_cells {
public:
    region_cells(Word* bits, Word* flags, region_index region_of) noexcept
        : bits_(bits), flags_(flags), region_of_(region_of) {}

    [[nodiscard]] static std::uint64_t tag(const digest&) noexcept { return 0; }
    void prefetch(std::uint64_t at) const noexcept { bits_.prefetch(at); }
    void prefetch_flags(std::uint64_t at) const noexcept { flags_.prefetch(region_of_(at)); }
    /// 0 clear, 1 set in a clean region, 2 set in a flagged one.
    [[nodiscard]] std::uint64_t cell(std::uint64_t at) const noexcept {
        if (!bits_.test(at)) return 0;
        return flags_.test(region_of_(at)) ? 2 : 1;
    }

    [[nodiscard]] bool may_hold(std::uint64_t at, std::uint64_t) const noexcept { return bits_.test(at); }
    bool ask_all(std::span<const digest> items, std::span<std::uint8_t> answers, const probing& how) const noexcept {
        return kernel::cell_batches::ask_bits(bits_.words(), items, answers, how);
    }

    // Without branches: which bits are set already is a matter of chance.
    bool put(std::uint64_t at, std::uint64_t) const noexcept {
        const std::uint64_t region = region_of_(at);
        flags_.set(region, bits_.test(at));
        bits_.set(at);
        return flags_.test(region);
    }

    [[nodiscard]] cell_state judge(std::uint64_t at, std::uint64_t) const noexcept {
        return bit_state(bits_.test(at), flags_.test(region_of_(at)));
    }

    void take(std::uint64_t at, std::uint64_t) const noexcept { bits_.reset(at, !flags_.test(region_of_(at))); }

    template <class Other>
    void absorb(std::uint64_t at, const Other& other) const noexcept {
        if (other.is_flagged(at)) flags_.set(region_of_(at));
        if (other.may_hold(at, 0)) put(at, 0);
    }
    [[nodiscard]] bool is_flagged(std::uint64_t at) const noexcept { return flags_.test(region_of_(at)); }

private:
    bit_view<Word> bits_;
    bit_view<Word> flags_;
    region_index region_of_;
};

struct deletable_kind {
    using spec_type = deletable_spec;
    static constexpr std::string_view name = "deletable";
    static constexpr std::string_view summary = "deletes some members; hardly larger than bloom";
    static constexpr std::array<std::string_view, 2> section_names{"bits", "flags"};

    [[nodiscard]] static std::array<std::uint64_t, 2> section_lines(const spec_type& spec) noexcept {
        return {lines_for_bits(spec.cells()), lines_for_bits(spec.regions())};
    }

    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 2>& sections) {
        if (auto tail = check_tail(sections[0], spec.cells(), "bits"); !tail) return tail;
        if (auto tail = check_tail(sections[1], spec.regions(), "flags"); !tail) return tail;
        // A collision leaves its bit set permanently: a flagged region cannot be empty.
        const bit_view<const std::uint64_t> bits(sections[0].data());
        const bit_view<const std::uint64_t> flags(sections[1].data());
        for (std::uint64_t region = 0; region < spec.regions(); ++region) {
            if (!flags.test(region)) continue;
            bool occupied = false;
            for (std::uint64_t i = 0; i < spec.region_bits && !occupied; ++i) {
                occupied = bits.test(region * spec.region_bits + i);
            }
            if (!occupied) {
                return fail(failure_reason::damaged, "region " + std::to_string(region) + " is flagged but empty");
            }
        }
        return {};
    }

    template <class Word, class Body>
    static auto with_cells(const spec_type& spec, const std::array<Word*, 2>& words, Body body) {
        return body(region_cells<Word>(words[0], words[1], region_index(spec.region_bits)));
    }
};

template <class Store>
using basic_deletable_filter = cell_filter<deletable_kind, Store>;
using deletable_filter = basic_deletable_filter<heap_words>;

} // namespace everbloom
