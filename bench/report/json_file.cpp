#include "report/json_file.hpp"

#include "machine.hpp"
#include "report/comparison.hpp"
#include "settings.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace everbloom::bench {
namespace {

nlohmann::ordered_json json_of(const measured& one, const results& all) {
    nlohmann::ordered_json made{
        {"question", one.name.question}, {"variant", one.name.variant}, {"contestant", one.name.contestant}};
    if (!one.error.empty()) {
        made["error"] = one.error;
        return made;
    }
    if (!one.speeds.empty()) {
        made["best_per_second"] = one.best();
        made["median_per_second"] = one.median();
        made["per_second"] = one.speeds;
    }
    for (const auto& [name, value] : one.counters) made[name] = value;
    for (const ratio& compared : ratios_of(one, all)) made["ratios"][compared.to] = compared.value;
    return made;
}

} // namespace

result<void> write_json(const results& all, const std::string& path) {
    nlohmann::ordered_json document{{"items", run_settings().items}, {"fpr", run_settings().fpr},
                                    {"machine", machine_text()},     {"compiler", compiler_text()},
                                    {"load", machine_load()},        {"measurements", nlohmann::ordered_json::array()}};
    for (const measured& one : all.all()) document["measurements"].push_back(json_of(one, all));
    std::ofstream file(path);
    file << document.dump(2) << '\n';
    file.close();
    if (!file) return fail(failure_reason::input_output, path + ": cannot write it: " + std::strerror(errno));
    return {};
}

} // namespace everbloom::bench
