// Making, copying and freeing filters, and options: a structure that may be older or newer than the library.
#include "reporting.hpp"

#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/version.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace everbloom::capi {
namespace {

constexpr std::uint32_t known_flags = EB_OVERFILL | EB_LIFETIME | EB_MAY_REFUSE;

auto refuse(const std::string& what) { return fail(failure_reason::bad_parameter, what); }

/// A structure of a program that was compiled with another version of the header. What a newer one has in addition must be 0, because it
/// asks for something that this library does not know.
template <class Options>
result<Options> current_version(const Options* given, std::string_view name) {
    if (given == nullptr) return null_pointer(name);
    Options made{};
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < sizeof made) return refuse(std::string(name) + ": struct_size is too small; start from its _INIT macro");
    constexpr std::size_t most = 4096; // a size that was never set is likely to be larger
    if (size > most) return refuse(std::string(name) + ": struct_size is out of range; start from its _INIT macro");
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    if (std::any_of(bytes + sizeof made, bytes + size, [](unsigned char byte) { return byte != 0; })) {
        return refuse(std::string(name) + ": has members that this version of everbloom does not know");
    }
    std::memcpy(&made, given, sizeof made);
    return made;
}

/// "bits=65536 hashes=4", separated by spaces or commas.
result<std::vector<parameter_text>> parse_parameters(const char* text) {
    std::vector<parameter_text> made;
    if (text == nullptr) return made;
    constexpr std::string_view separators = " ,\t\n";
    std::string_view rest = text;
    while (true) {
        const std::size_t begin = rest.find_first_not_of(separators);
        if (begin == std::string_view::npos) return made;
        rest.remove_prefix(begin);
        const std::string_view word = rest.substr(0, rest.find_first_of(separators));
        rest.remove_prefix(word.size());
        const std::size_t equals = word.find('=');
        if (equals == 0 || equals == std::string_view::npos) {
            return refuse("parameters: '" + std::string(word) + "' is not of the form name=value, such as hashes=4");
        }
        made.push_back({std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))});
    }
}

result<hash_id> hash_of(std::int32_t number) {
    if (number == EB_HASH_DEFAULT) return hash_id::siphash;
    for (const hash_id one : known_hashes) {
        if (static_cast<std::int32_t>(one) == number) return one;
    }
    return refuse("hash: there is no hash function with the number " + std::to_string(number));
}

result<door::filter_core> make(const eb_options* given) {
    const auto options = current_version(given, "options");
    if (!options) return fail(options.error());
    if (options->key_type < EB_KEYS_TEXT || options->key_type > EB_KEYS_CIDR) {
        return refuse("key_type: there is no key type with the number " + std::to_string(options->key_type));
    }
    if ((options->flags & ~known_flags) != 0 || options->reserved != 0) {
        return refuse("flags, or reserved, has bits that this version of everbloom does not know");
    }
    const auto hash = hash_of(options->hash);
    if (!hash) return fail(hash.error());
    auto geometry = parse_parameters(options->parameters);
    if (!geometry) return fail(std::move(geometry.error()));
    filter_options wanted;
    wanted.capacity = options->capacity;
    if (options->fpr != 0) wanted.fpr = options->fpr;
    if (options->kind != nullptr) wanted.kind = options->kind;
    wanted.hash = *hash;
    if (options->hash_key != nullptr) {
        hash_key key;
        std::memcpy(key.bytes.data(), options->hash_key, key.bytes.size());
        wanted.key = key;
    }
    if ((options->flags & EB_LIFETIME) != 0) {
        wanted.lifetime = {options->removed, options->churn, options->growth == 0 ? 1 : options->growth,
                           (options->flags & EB_MAY_REFUSE) != 0};
    }
    wanted.negatives = options->negatives;
    wanted.overfill = (options->flags & EB_OVERFILL) != 0;
    wanted.geometry = std::move(*geometry);
    return door::filter_core::make(wanted, {static_cast<key_type>(options->key_type), 0});
}

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

const char* eb_version(void) { return version_text.data(); }

eb_filter* eb_make(const eb_options* options, eb_error* error) {
    return filter_of(error, [&] { return make(options); });
}

void eb_free(eb_filter* filter) { delete filter; }

eb_filter* eb_clone(const eb_filter* filter, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return filter->core.clone();
    });
}

eb_filter* eb_export(const eb_filter* filter, double fpr, eb_error* error) {
    return eb_export_as(filter, fpr, nullptr, error);
}

eb_filter* eb_export_as(const eb_filter* filter, double fpr, const char* kind, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return filter->core.query_copy(fpr, kind == nullptr ? std::string_view{} : kind);
    });
}

int eb_resize(eb_filter* filter, const eb_resize_options* options, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        const auto wanted = current_version(options, "options");
        if (!wanted) return fail(wanted.error());
        resize_options asked;
        if (wanted->capacity != 0) asked.capacity = wanted->capacity;
        if (wanted->fpr != 0) asked.fpr = wanted->fpr;
        if (wanted->bytes != 0) asked.bytes = wanted->bytes;
        return filter->core.resize(asked);
    });
}

int eb_set_memory_hook(void* (*allocate)(size_t bytes), void (*release)(void* block), eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if ((allocate == nullptr) != (release == nullptr)) {
            return fail(failure_reason::bad_parameter, "a memory hook needs both functions, or none");
        }
        set_memory_hook({allocate, release});
        return {};
    });
}
