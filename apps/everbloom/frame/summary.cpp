#include "frame/summary.hpp"

namespace everbloom::cli {

void summary_flags::declare(command_flags& command) {
    auto json_flag = command.add_flag("--json", as_json, "print one JSON document instead of words");
    command.add_flag("-q,--quiet", quiet, "print nothing but errors")->excludes(json_flag);
}

json to_json(const agreement& agreed) {
    if (agreed.items == 0) return nullptr;
    return {{"items", agreed.items}, {"fpr", agreed.fpr}};
}

} // namespace everbloom::cli
