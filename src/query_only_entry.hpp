// query_only_entry: the row of functions of a kind for programs that load filters and ask them, and do nothing else.
//
// Instead of make_entry.hpp: no planning, no models, no operation that changes a filter, and so a fraction of the code. For the small
// module in browsers (cmake/wasm.cmake), where what is not called must not be downloaded.
#pragma once

#include "absent_filter.hpp"
#include "kind_entry.hpp"
#include "loaded_sections.hpp"

#include <everbloom/runtime/kind.hpp>

namespace everbloom {

/// A filter that answers. All else is as for a handle without a filter.
template <class Kind, class F>
class query_only_filter final : public absent_filter {
public:
    explicit query_only_filter(F filter) : filter_(std::move(filter)) {}

    [[nodiscard]] void* object() noexcept override { return &filter_; }
    [[nodiscard]] any_filter::key_calls calls() const noexcept override {
        return {ask, refuse_insertion, refuse_removal};
    }
    [[nodiscard]] std::string_view kind() const noexcept override { return F::kind_name; }
    [[nodiscard]] std::uint32_t kind_id() const noexcept override { return Kind::id; }
    [[nodiscard]] bool may_contain(digest item) const noexcept override { return filter_.may_contain(item); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept override {
        ask_each(ask, &filter_, items, answers);
    }

private:
    static bool ask(const void* filter, std::uint64_t low, std::uint64_t high) noexcept {
        return static_cast<const F*>(filter)->may_contain(digest{low, high});
    }
    static insert_outcome refuse_insertion(void*, std::uint64_t, std::uint64_t) noexcept {
        return insert_outcome::not_writable;
    }
    static erase_outcome refuse_removal(void*, std::uint64_t, std::uint64_t) noexcept {
        return erase_outcome::unsupported;
    }

    F filter_;
};

template <class Kind, class F, class Store>
result<any_filter> assemble_query_only(const parameter_values& values, std::vector<Store> stores) {
    auto made = assemble_filter<F>(values, std::move(stores));
    if (!made) return fail(std::move(made.error()));
    return any_filter(std::make_unique<query_only_filter<Kind, F>>(std::move(*made)));
}

template <class Kind>
kind_entry make_query_only_entry() {
    using filter = typename Kind::filter;
    using spec_type = typename filter::spec_type;
    kind_entry entry{};
    entry.info.id = Kind::id;
    entry.info.name = Kind::name;
    entry.info.parameters.resize(spec_type::fields().size());
    entry.check = [](const parameter_values& values) { return spec_of<spec_type>(values).check(); };
    entry.section_lines = [](const parameter_values& values) {
        const auto lines = filter::section_lines(spec_of<spec_type>(values));
        return std::vector<std::uint64_t>(lines.begin(), lines.end());
    };
    entry.assemble = &assemble_query_only<Kind, filter, chunked_words>;
    return entry;
}

} // namespace everbloom
