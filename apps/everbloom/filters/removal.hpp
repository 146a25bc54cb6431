// removal: removes keys from a filter, prints the outcomes, and refuses a removal that would cost members. The estimate behind that is
// the library's (jobs/removal.hpp); it is known before the file is saved.
#pragma once

#include "keys/hash_keys.hpp"

#include <everbloom/jobs/removal.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <string>

namespace everbloom::cli {

class removal {
public:
    enum class printing { nothing, verdicts };

    /// The filter must outlive this.
    removal(any_filter& filter, printing wanted) : filter_(filter), wanted_(wanted), evidence_(filter) {}

    /// Removes the keys in order.
    [[nodiscard]] result<void> take(const hashed_keys& keys);

    /// The outcomes so far, and what they say.
    [[nodiscard]] const removal_evidence& evidence() const noexcept { return evidence_; }

    /// A failure if some of the removed keys were never added.
    [[nodiscard]] result<void> check(const std::string& path) const;

private:
    void print(std::string_view text, erase_outcome outcome);

    any_filter& filter_;
    printing wanted_;
    removal_evidence evidence_;
    std::string output_;
};

} // namespace everbloom::cli
