#include "reporting.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace everbloom::capi {
namespace {

constexpr int code_of_reason(failure_reason reason) noexcept { return static_cast<int>(reason) + 1; }
static_assert(code_of_reason(failure_reason::bad_parameter) == EB_BAD_PARAMETER);
static_assert(code_of_reason(failure_reason::unsupported) == EB_UNSUPPORTED);
static_assert(code_of_reason(failure_reason::mismatch) == EB_MISMATCH);
static_assert(code_of_reason(failure_reason::damaged) == EB_DAMAGED);
static_assert(code_of_reason(failure_reason::out_of_memory) == EB_OUT_OF_MEMORY);
static_assert(code_of_reason(failure_reason::input_output) == EB_INPUT_OUTPUT);
static_assert(code_of_reason(failure_reason::busy) == EB_BUSY);
static_assert(code_of_reason(failure_reason::no_room) == EB_NO_ROOM);
static_assert(code_of_reason(failure_reason::not_durable) == EB_NOT_DURABLE);

/// How much of a text may stay, so that no character of several bytes is cut in two.
std::size_t whole_characters(std::string_view text, std::size_t most) noexcept {
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
    while (most > 0 && continues(most)) --most;
    return most;
}

} // namespace

int report(eb_error* error, int code, std::string_view sentence) noexcept {
    if (error == nullptr) return code;
    constexpr std::string_view cut_off = "...";
    constexpr std::size_t room = sizeof error->sentence - 1;
    error->code = code;
    std::size_t length = sentence.size();
    if (length > room) length = whole_characters(sentence, room - cut_off.size());
    std::memcpy(error->sentence, sentence.data(), length);
    if (length < sentence.size()) {
        std::memcpy(error->sentence + length, cut_off.data(), cut_off.size());
        length += cut_off.size();
    }
    error->sentence[length] = '\0';
    return code;
}

int report(eb_error* error, const failure& what) noexcept {
    return report(error, code_of_reason(what.reason), what.sentence);
}

int report_exception(eb_error* error) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return report(error, EB_OUT_OF_MEMORY, "out of memory");
    } catch (const std::length_error&) {
        return report(error, EB_OUT_OF_MEMORY, "out of memory: more than any program can have was asked for");
    } catch (const std::exception& what) {
        return report(error, EB_INTERNAL, what.what());
    } catch (...) {
        return report(error, EB_INTERNAL, "an unknown exception");
    }
}

unexpected<failure> null_pointer(std::string_view name) {
    return fail(failure_reason::bad_parameter, std::string(name) + " is NULL");
}

} // namespace everbloom::capi

const char* eb_code_name(int code) {
    using everbloom::failure_reason;
    if (code == EB_OK) return "ok";
    if (code == EB_INTERNAL) return "internal";
    // The names are literals, and so end with a NUL.
    return everbloom::name_of(static_cast<failure_reason>(code - 1)).data();
}
