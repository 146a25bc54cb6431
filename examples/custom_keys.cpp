// Keys of your own types.
//
// The job: a program's keys are rarely plain strings. Enums, pairs, tuples and structs without padding are keys as they are; any other
// type says once, in `key_encoding`, which of its members make it the key it is. The bytes that are hashed are written down in
// everbloom/key.hpp and the same in every language, so the files can be shared.
//
// The output: what each filter answers. The program fails if a key is missed, or if two spellings of one key differ: a lookup takes
// every type with the same bytes, so that a string_view needs no std::string to be made for it.
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shop {

enum class event : std::uint8_t { view, order, cancel };

/// Four bytes each and no padding: its bytes are its value, and it is a key without further ado.
struct endpoint {
    std::uint32_t address;
    std::uint16_t port;
    std::uint16_t protocol;
};

/// Text, and a member that is no part of the identity: it has to say what its key is.
struct visit {
    std::string customer;
    event what;
    double seconds;
};

} // namespace shop

template <>
struct everbloom::key_encoding<shop::visit> {
    static auto encode(const shop::visit& one) { return std::tuple(std::string_view(one.customer), one.what); }
};

int main() {
    using shop::event;
    int wrong = 0;
    const auto expect = [&](const char* question, bool answer, bool expected) {
        std::printf("%-52s %s\n", question, answer ? "maybe" : "surely not");
        wrong += answer == expected ? 0 : 1;
    };
    // A fixed seed and an FPR of one in a million: the same answers on every run. Use a random key (the default) in earnest.
    const everbloom::filter_options options{.capacity = 100, .fpr = 1e-6, .key = everbloom::hash_key::from_seed(1)};

    everbloom::filter<shop::visit> visits(options);
    visits.insert({"anna", event::order, 3.5});
    expect("anna orders again, at another pace?", visits.may_contain({"anna", event::order, 60}), true);
    expect("anna cancels?", visits.may_contain({"anna", event::cancel, 3.5}), false);

    everbloom::filter<shop::endpoint> endpoints(options);
    endpoints.insert({0x0a000001, 443, 6});
    expect("10.0.0.1 at port 443?", endpoints.may_contain({0x0a000001, 443, 6}), true);
    expect("10.0.0.1 at port 80?", endpoints.may_contain({0x0a000001, 80, 6}), false);

    // The elements of a pair do not run into each other.
    everbloom::filter<std::pair<std::string, std::string>> names(options);
    names.insert({"anna", "lena"});
    expect("the pair (anna, lena)?", names.may_contain({"anna", "lena"}), true);
    expect("the pair (annal, ena)?", names.may_contain({"annal", "ena"}), false);

    everbloom::filter<event> events(options);
    events.insert(event::order);
    expect("an enum by its name?", events.may_contain(event::order), true);
    expect("the same by its number?", events.may_contain(1), true);

    // One key in several types: what counts is the bytes of a text and the value of a number.
    everbloom::filter<std::string> texts(options);
    texts.insert("anna");
    expect("a string_view?", texts.may_contain(std::string_view("anna bert").substr(0, 4)), true);
    expect("the same text as a vector of characters?", texts.may_contain(std::vector<char>{'a', 'n', 'n', 'a'}), true);
    everbloom::filter<std::uint64_t> numbers(options);
    numbers.insert(std::int8_t{5});
    expect("a number of another width?", numbers.may_contain(5L), true);

    std::printf("%d wrong answers\n", wrong);
    return wrong == 0 ? 0 : 1;
}
