#include "gate/patterns/gate_patterns.hpp"

#include "gate/list_lines.hpp"
#include "gate/patterns/pattern_line.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

/// Removes duplicates each time the list has doubled, so that a file of equal lines costs little memory.
template <class List>
class bounded_list {
public:
    template <class Pattern>
    void add(const Pattern& one) {
        if (list_.count() == limit_) {
            list_.remove_duplicates();
            limit_ = std::max(least, 2 * list_.count());
        }
        list_.add(one);
    }
    [[nodiscard]] List finish() && {
        list_.remove_duplicates();
        return std::move(list_);
    }

private:
    static constexpr std::size_t least = std::size_t{1} << 16;

    List list_;
    std::size_t limit_ = least;
};

} // namespace

result<gate_patterns> read_patterns(const std::string& file, const cancellation& cancel) {
    bounded_list<pattern_list> words;
    bounded_list<byte_pattern_list> bytes;
    pattern_line parsed;
    auto read = read_lines(file, "a list of patterns", cancel, [&](std::string_view line) -> result<void> {
        if (auto understood = parse_pattern_line(line, parsed); !understood) return understood;
        if (!parsed.words.empty()) words.add(parsed.words);
        if (!parsed.bytes.empty()) bytes.add(byte_pattern{parsed.bytes, parsed.mask});
        return {};
    });
    if (!read) return fail(std::move(read.error()));
    return gate_patterns{std::move(words).finish(), std::move(bytes).finish()};
}

} // namespace everbloom::cli
