#include "frame/summary.hpp"

namespace everbloom::cli {

void summary_flags::declare(command_flags& command) {
    auto json_flag = command.add_flag("--json", as_json, "print one JSON document instead of text");
    command.add_flag("-q,--quiet", quiet, "print errors only")->excludes(json_flag);
}

json to_json(const capacity_target& target) {
    if (target.items == 0) return nullptr;
    return {{"items", target.items}, {"fpr", target.fpr}};
}

} // namespace everbloom::cli
