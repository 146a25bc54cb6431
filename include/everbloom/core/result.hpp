// result<T>: a T, or the failure that says why there is none.
#pragma once

#include <everbloom/core/failure.hpp>

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace everbloom {

// An alias today, so that it can become std::expected when every compiler we support has it.
template <class T>
using result = tl::expected<T, failure>;

[[nodiscard]] inline tl::unexpected<failure> fail(failure_reason reason, std::string sentence) {
    return tl::unexpected<failure>(failure{reason, std::move(sentence)});
}

[[nodiscard]] inline tl::unexpected<failure> fail(failure what) { return tl::unexpected<failure>(std::move(what)); }

} // namespace everbloom
