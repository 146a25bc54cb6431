// Documents about filters and kinds.
#include "document_parts.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <span>

namespace everbloom::capi {
namespace {

std::string stats_document(const filter_stats& now) {
    json_writer out;
    out.open('{');
    out.member("kind", now.kind);
    out.member("keys", now.keys);
    out.member("keys_are_exact", now.keys_are_exact);
    out.member("capacity", now.capacity);
    out.member("fill", now.fill);
    out.member("fpr", now.fpr);
    out.member("target_fpr", now.target_fpr);
    out.member("deletable_share", now.deletable_share);
    out.member("memory_bytes", now.memory_bytes);
    out.member("bits_per_key", now.bits_per_key);
    out.close('}');
    return out.text();
}

void write_growth(json_writer& out, const std::optional<growth_statistics>& growth) {
    out.name("growth");
    if (!growth) {
        out.null();
        return;
    }
    out.open('{');
    out.member("filters", growth->filters);
    out.member("expansions", growth->expansions);
    out.member("fast_bits", growth->fast_bits);
    out.member("slow_bits", growth->slow_bits);
    out.member("most_keys", growth->most_keys);
    out.member("planned_keys", growth->planned_keys);
    out.close('}');
}

std::string description(const filter_file& file) {
    const any_filter& filter = file.filter();
    const kind_info* const kind = find_kind(filter.kind());
    json_writer out;
    out.open('{');
    out.member("kind", filter.kind());
    out.member("summary", kind == nullptr ? std::string_view() : kind->summary);
    write_capabilities(out, filter.capabilities());
    write_geometry(out, "geometry", filter.geometry());
    out.member("hash", name_of(file.hasher().id()));
    out.member("key_type", name_of(file.keys));
    out.member("capacity", file.target.items);
    out.member("target_fpr", file.target.fpr);
    out.member("mapped", filter.is_mapped());
    out.member("cells", filter.cells());
    out.member("structure_bits", filter.structure_bits());
    out.member("memory_bytes", filter.memory_bytes());
    out.member("file_bytes", saved_bytes(file));
    out.member("attached_bytes", static_cast<std::uint64_t>(file.attached.size()));
    out.name("exclusions");
    if (const auto& exclusions = filter.exclusions()) {
        out.open('{');
        out.member("bits", exclusions->size().bits);
        out.member("hashes", exclusions->size().hashes);
        out.close('}');
    } else {
        out.null();
    }
    write_growth(out, filter.growth());
    out.close('}');
    return out.text();
}

std::string census_document(const any_filter& filter, std::uint32_t slices, std::uint32_t values) {
    const cell_census seen = filter.census(slices, values);
    json_writer out;
    out.open('{');
    out.member("cells", seen.cells);
    out.list("values", seen.values);
    out.list("occupied_shares", seen.occupied_shares);
    if (const auto buckets = filter.buckets()) {
        out.list("bucket_load_at_least", buckets->load_at_least);
        out.member("potential_overflows", buckets->potential_overflows);
        out.member("largest_count", buckets->largest_count);
    }
    out.close('}');
    return out.text();
}

void write_parameter(json_writer& out, const parameter_info& one) {
    const auto number = [&](std::uint64_t value) {
        if (one.form == field_form::millionths) {
            out.value(static_cast<double>(value) / field_million);
        } else {
            out.value(value);
        }
    };
    out.open('{');
    out.member("name", one.name);
    out.member("meaning", one.meaning);
    out.name("least");
    number(one.least);
    out.name("most");
    number(one.most);
    out.name("default"); // below the least value: it must be given or planned
    if (one.default_value < one.least) {
        out.null();
    } else {
        number(one.default_value);
    }
    out.list("words", one.words);
    out.close('}');
}

std::string kinds_document() {
    json_writer out;
    out.open('[');
    for (const kind_info& kind : known_kinds()) {
        out.open('{');
        out.member("id", kind.id);
        out.member("name", kind.name);
        out.member("summary", kind.summary);
        write_capabilities(out, kind.capabilities);
        out.member("grows_by_itself", kind.grows_by_itself);
        out.member("may_refuse_keys", kind.may_refuse_keys);
        out.member("loses_members", kind.loses_members);
        out.name("parameters").open('[');
        for (const parameter_info& one : kind.parameters) {
            if (one.role == field_role::choice) write_parameter(out, one);
        }
        out.close(']').close('}');
    }
    out.close(']');
    return out.text();
}

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

int64_t eb_stats(const eb_filter* filter, char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return hand_out(stats_document(filter->core.stats()), buffer, size);
    });
}

int64_t eb_describe(const eb_filter* filter, char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return hand_out(description(filter->core.file()), buffer, size);
    });
}

int64_t eb_census(const eb_filter* filter, uint32_t slices, uint32_t values, char* buffer, size_t size,
                  eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        constexpr std::uint32_t most = 65536;
        if (slices == 0 || slices > most || values == 0 || values > most) {
            return fail(failure_reason::bad_parameter, "slices and values must lie between 1 and 65536");
        }
        return hand_out(census_document(filter->core.filter(), slices, values), buffer, size);
    });
}

int64_t eb_cells(const eb_filter* filter, uint64_t first, uint64_t count, uint64_t* values, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        if (values == nullptr && count != 0) return null_pointer("values");
        const std::uint64_t cells = filter->core.filter().cells();
        const std::uint64_t read = first < cells ? std::min(count, cells - first) : 0;
        filter->core.filter().read_cells(first, std::span(values, static_cast<std::size_t>(read)));
        return static_cast<std::int64_t>(read);
    });
}

int64_t eb_kinds(char* buffer, size_t size, eb_error* error) {
    return number_of(error, [&] { return hand_out(kinds_document(), buffer, size); });
}
