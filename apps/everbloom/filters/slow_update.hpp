// slow_update: what commands say about a slow filter that they change.
#pragma once

#include "filters/filter_update.hpp"
#include "frame/interruption.hpp"

#include <string>

namespace everbloom::cli {

/// A command on a slow filter has failed, or was interrupted, after `done` ("12 keys added"): makes that durable, and says so.
[[nodiscard]] inline failure keep_keys_before(filter_update& update, const std::string& done, const failure& why) {
    const bool is_interrupted = interruption::caught() != 0;
    if (auto saved = update.save(); !saved) return saved.error();
    return {why.reason, (is_interrupted ? "interrupted" : why.sentence) + "; " + done + " before, which stay so"};
}

} // namespace everbloom::cli
