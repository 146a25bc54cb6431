// A vector of bytes is one key, not a batch of numbers.
#include <everbloom/everbloom.hpp>

#include <span>
#include <vector>

bool ask(everbloom::filter<std::vector<std::byte>>& seen, const std::vector<std::byte>& bytes) {
    const everbloom::insert_outcome outcome = seen.insert(bytes);
    return succeeded(outcome) && seen.may_contain(std::span<const std::byte>(bytes));
}
