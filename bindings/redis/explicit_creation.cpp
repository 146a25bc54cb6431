#include "explicit_creation.hpp"

#include "settings.hpp"

#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/runtime/geometry_text.hpp>

#include <charconv>
#include <cstring>

namespace everbloom::redis {
namespace {

std::string exact_text(double value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

/// Strings of the server, freed together.
class string_list {
public:
    explicit string_list(module_context* context) noexcept : context_(context) {}
    string_list(const string_list&) = delete;
    string_list& operator=(const string_list&) = delete;
    ~string_list() {
        for (module_string* const one : strings_) api.FreeString(context_, one);
    }
    void add(std::string_view text) {
        strings_.reserve(strings_.size() + 1); // so that the string is not lost if there is no memory
        strings_.push_back(api.CreateString(context_, text.data(), text.size()));
    }
    [[nodiscard]] std::vector<module_string*>& strings() noexcept { return strings_; }

private:
    module_context* context_;
    std::vector<module_string*> strings_;
};

/// One option of EB.CREATE; the number of arguments it took, or a failure.
result<std::size_t> take_option(const call& now, std::size_t at, creation& wanted, hash_id& hash, hash_key& key) {
    const auto bad = [](std::string text) { return fail(failure_reason::bad_parameter, std::move(text)); };
    const std::string_view word = now.text(at);
    const std::size_t values = is_word(word, "SET") || is_word(word, "TARGET") ? 2 : 1;
    if (at + values >= now.count()) return bad("syntax error: " + std::string(word) + " needs a value");
    const std::string_view value = now.text(at + 1);
    if (is_word(word, "KIND")) {
        const kind_info* const kind = find_kind(value);
        if (kind == nullptr) return fail(unknown_kind(value));
        if (!kind->capabilities.has(capability::insert)) {
            return bad(
                "a " + std::string(value) +
                " filter is built once, from all of its keys, and takes no others; make its file with 'everbloom "
                "create' or 'everbloom export', and load it with EB.IMPORT");
        }
        wanted.request.kind = value;
    } else if (is_word(word, "CAPACITY")) {
        const auto items = now.integer(at + 1);
        if (!items || *items < 1) return bad("CAPACITY must be a whole number from 1 on");
        wanted.request.items = static_cast<std::uint64_t>(*items);
    } else if (is_word(word, "ERROR")) {
        const auto rate = now.number(at + 1);
        if (!rate || !(*rate > 0) || !(*rate < 1)) return bad("ERROR must be a rate between 0 and 1");
        wanted.request.fpr = *rate;
    } else if (is_word(word, "KEYS")) {
        const auto type = key_type_named(value);
        if (!type) return fail(type.error());
        wanted.keys = *type;
    } else if (is_word(word, "HASH")) {
        const auto id = hash_named(value);
        if (!id) return bad("HASH must be siphash, xxh3, murmur3, integer or dcso");
        hash = *id;
    } else if (is_word(word, "HASHKEY")) {
        const auto given = key_of_hex(value);
        if (!given) return bad("HASHKEY must be 32 hexadecimal digits");
        key = *given;
    } else if (is_word(word, "SET")) {
        wanted.request.parameters.push_back({std::string(value), std::string(now.text(at + 2))});
    } else if (is_word(word, "TARGET")) {
        const auto items = now.integer(at + 1);
        const auto rate = now.number(at + 2);
        if (!items || *items < 0 || !rate || !(*rate >= 0) || !(*rate < 1))
            return bad("TARGET must be keys and a rate");
        wanted.target = {static_cast<std::uint64_t>(*items), *rate};
    } else if (is_word(word, "FACTS")) {
        const auto bytes = bytes_of_hex(value);
        const auto facts = bytes ? filter_facts::from(*bytes) : std::nullopt;
        if (!facts) return bad("FACTS are not those of a filter");
        wanted.facts = *facts;
    } else {
        return bad("syntax error: unknown option '" + std::string(word) + "'");
    }
    return values + 1;
}

} // namespace

void replicate_creation(const call& now, module_string* name, const stored_filter& value) {
    string_list words(now.context());
    words.add("KIND");
    words.add(value.filter().kind());
    for (const geometry_value& one : value.filter().geometry()) {
        if (one.role != field_role::choice) continue;
        words.add("SET");
        words.add(one.name);
        words.add(value_text(one));
    }
    words.add("KEYS");
    words.add(everbloom::name_of(value.file.keys));
    words.add("HASH");
    words.add(everbloom::name_of(value.file.hasher().id()));
    words.add("HASHKEY");
    const hash_key key = value.file.hasher().key();
    words.add(hex_of(std::as_bytes(std::span(key.bytes))));
    words.add("TARGET");
    words.add(std::to_string(value.file.target.items));
    words.add(exact_text(value.file.target.fpr));
    words.add("FACTS");
    words.add(hex_of(value.facts.bytes()));
    api.Replicate(now.context(), "EB.CREATE", "sv", name, words.strings().data(), words.strings().size());
}

int eb_create(const call& now) {
    if (now.count() < 4) return now.wrong_arity();
    creation wanted;
    hash_id hash = hash_id::siphash;
    hash_key key = current_settings.key;
    for (std::size_t at = 2; at < now.count();) {
        const auto taken = take_option(now, at, wanted, hash, key);
        if (!taken) return now.error(taken.error());
        at += *taken;
    }
    if (wanted.request.kind.empty()) return now.error("ERR say which KIND of filter");
    wanted.hasher = any_hasher(hash, key);
    const auto& parameters = wanted.request.parameters;
    const bool says_probe =
        std::any_of(parameters.begin(), parameters.end(), [](const auto& one) { return one.name == "probe"; });
    // That hash is for filters of the program of the same name, which have their own positions.
    if (hash == hash_id::dcso && !says_probe) wanted.request.parameters.push_back({"probe", "dcso"});
    if (wanted.request.items && wanted.target.items == 0) {
        if (!wanted.request.fpr) wanted.request.fpr = current_settings.error_rate;
        wanted.target = {*wanted.request.items, *wanted.request.fpr};
        wanted.facts.capacity = wanted.target.items;
    }
    const opened_key opened(now, now.argument(1), open_for_reading | open_for_writing);
    if (!opened.is_absent()) return now.error(opened.any() != nullptr ? exists_text : wrong_type_text);
    if (create_value(now, opened, now.argument(1), wanted) == nullptr) return api_ok;
    now.notify("eb.create", now.argument(1));
    return now.ok();
}

std::string hex_of(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte one : bytes) {
        text += digits[static_cast<std::size_t>(one >> 4)];
        text += digits[static_cast<std::size_t>(one & std::byte{15})];
    }
    return text;
}

std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        if (error != std::errc{} || end != digits.data() + i + 2) return std::nullopt;
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

std::optional<hash_key> key_of_hex(std::string_view digits) {
    hash_key key;
    const auto bytes = bytes_of_hex(digits);
    if (!bytes || bytes->size() != key.bytes.size()) return std::nullopt;
    std::memcpy(key.bytes.data(), bytes->data(), key.bytes.size());
    return key;
}

} // namespace everbloom::redis
