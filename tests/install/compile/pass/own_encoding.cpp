// A type of your own says which of its members are its key.
#include <everbloom/everbloom.hpp>

#include <tuple>

struct visit {
    std::string page;
    double seconds;
};

template <>
struct everbloom::key_encoding<visit> {
    static auto encode(const visit& one) { return std::string_view(one.page); }
};

bool ask(everbloom::filter<visit>& seen, const std::vector<visit>& visits) {
    seen.insert(visit{"home", 1.5});
    return seen.insert(visits).successes() == visits.size() && seen.may_contain(visit{"home", 2.5});
}
