// A filter in front of a slow store.
//
// The job: a cache tier gets many requests for keys that the store does not have. Each would cost a round trip just to learn "not found".
// A filter in memory answers most of them at once. The set changes all the time, so the filter must delete: `filter<std::string>` without
// a kind takes the planner's choice for sets that grow, shrink and change, and gives a verdict for every removed key.
//
// The output: how many look-ups the filter saved, how many it let through in vain (false positives), and what became of the removals. A
// wrong "surely not" would make the program fail: it would hide a record that exists.
#include <everbloom/everbloom.hpp>

#include <cstdio>
#include <string>
#include <unordered_map>

namespace {

/// Stands for a database on another machine; counts what it is asked.
class slow_store {
public:
    void put(const std::string& key, int value) { records_[key] = value; }
    void remove(const std::string& key) { records_.erase(key); }
    bool has(const std::string& key) {
        ++lookups_;
        return records_.contains(key);
    }
    int lookups() const { return lookups_; }

private:
    std::unordered_map<std::string, int> records_;
    int lookups_ = 0;
};

std::string user(int number) { return "user:" + std::to_string(number); }

} // namespace

int main() {
    constexpr int users = 20'000;
    constexpr int leavers = 5'000;
    constexpr int requests = 100'000;

    slow_store store;
    everbloom::filter<std::string> guard({.capacity = users, .fpr = 0.01});
    for (int i = 0; i < users; ++i) {
        store.put(user(i), i);
        guard.insert(user(i));
    }

    // Users leave. A filter without removal would go on sending requests for them to the store.
    everbloom::erase_tally verdicts;
    for (int i = 0; i < leavers; ++i) {
        store.remove(user(i));
        verdicts.add(guard.erase(user(i)));
    }
    // Removing a key that was never inserted is an error of the caller; this kind notices it.
    const everbloom::erase_outcome never_added = guard.erase("user:nobody");

    int found = 0;
    int saved = 0;
    int in_vain = 0;
    for (int i = 0; i < requests; ++i) {
        if (!guard.may_contain(user(i))) {
            ++saved;
        } else if (store.has(user(i))) {
            ++found;
        } else {
            ++in_vain;
        }
    }

    const int absent = requests - (users - leavers);
    std::printf("%s filter: %d of %d look-ups saved, %d asked the store\n", std::string(guard.kind()).c_str(), saved,
                requests, store.lookups());
    std::printf("false positives: %d of %d absent keys (%.2f %%, target 1 %%)\n", in_vain, absent,
                100.0 * in_vain / absent);
    std::printf("removals: %d removed; a key that was never added: %s\n",
                static_cast<int>(verdicts.of(everbloom::erase_outcome::removed)),
                std::string(name_of(never_added)).c_str());

    const bool complete = found == users - leavers; // no false negatives
    const bool removed = verdicts.successes() == leavers && never_added == everbloom::erase_outcome::not_present;
    return complete && removed && in_vain < absent / 50 ? 0 : 1;
}
