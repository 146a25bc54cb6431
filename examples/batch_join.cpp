// A semi-join: drop the rows of a large table that cannot find a partner.
//
// The job: orders (large) join customers of one country (small). Before rows are sorted, shuffled or sent over a network, a filter of the
// small table's keys drops nearly all that cannot match. The kind is fixed, `blocked`: the fastest insert-only filter, one cache line per
// query. The keys are numbers of our own, so the fast hash for integers is safe; for keys that an attacker may choose keep the default,
// SipHash. Batches hash and prefetch many keys together.
//
// The output: how many rows were dropped before the join. The program fails if the join of the rest differs from the exact join.
#include <everbloom/everbloom.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <unordered_set>
#include <vector>

namespace {

struct order {
    std::uint64_t customer;
    std::uint64_t cents;
};

/// Scatters row numbers over the customers: an odd factor of 64 bits, of which the high half is used.
std::uint64_t scattered(std::uint64_t row) { return (row * 0x9e3779b97f4a7c15u) >> 32; }

struct joined {
    std::uint64_t rows = 0;
    std::uint64_t cents = 0;
    friend bool operator==(const joined&, const joined&) = default;
};

joined join(const std::vector<order>& orders, const std::unordered_set<std::uint64_t>& customers) {
    joined sum;
    for (const order& one : orders) {
        if (!customers.contains(one.customer)) continue;
        ++sum.rows;
        sum.cents += one.cents;
    }
    return sum;
}

} // namespace

int main() {
    constexpr std::uint64_t all_customers = 200'000;
    constexpr std::size_t rows = 500'000;
    constexpr std::size_t batch = 4096;

    std::unordered_set<std::uint64_t> small;
    for (std::uint64_t id = 0; id < all_customers; id += 100) small.insert(id);
    std::vector<order> orders(rows);
    for (std::size_t i = 0; i < rows; ++i) orders[i] = {scattered(i) % all_customers, i % 1000};

    everbloom::filter<std::uint64_t, everbloom::blocked> keys(
        {.capacity = small.size(), .fpr = 0.01, .hash = everbloom::hash_id::integer});
    const everbloom::insert_tally inserted = keys.insert(small); // any range of keys

    // The large table, a batch at a time: one column of keys in, one answer for each out.
    std::vector<order> kept;
    std::vector<std::uint64_t> column;
    std::vector<std::uint8_t> answers;
    for (std::size_t first = 0; first < rows; first += batch) {
        const std::size_t count = std::min(batch, rows - first);
        column.clear();
        for (std::size_t i = 0; i < count; ++i) column.push_back(orders[first + i].customer);
        answers.resize(count);
        keys.may_contain(column, std::span(answers));
        for (std::size_t i = 0; i < count; ++i) {
            if (answers[i] != 0) kept.push_back(orders[first + i]);
        }
    }

    const joined exact = join(orders, small);
    const joined filtered = join(kept, small);
    const std::size_t absent = rows - exact.rows;
    const std::size_t in_vain = kept.size() - exact.rows;
    std::printf("%zu of %zu rows dropped before the join, with a filter of %d bytes\n", rows - kept.size(), rows,
                static_cast<int>(keys.memory_bytes()));
    std::printf("%zu of %zu rows without a partner were kept (%.2f %%, target 1 %%)\n", in_vain, absent,
                100.0 * static_cast<double>(in_vain) / static_cast<double>(absent));
    std::printf("the join: %d rows, %s\n", static_cast<int>(filtered.rows), filtered == exact ? "exact" : "WRONG");
    return filtered == exact && inserted.successes() == small.size() && in_vain < absent / 50 ? 0 : 1;
}
