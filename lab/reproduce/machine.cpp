#include "lab/reproduce/machine.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

namespace everbloom::cli {
namespace {

std::string processor_name() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    if (gmtime_r(&now, &parts) == nullptr) return "unknown date";
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
    return text.data();
}

} // namespace

machine_facts machine_facts::of_now() {
    machine_facts made{processor_name(), std::thread::hardware_concurrency(), 0, utc_now()};
    std::ifstream("/proc/loadavg") >> made.load;
    return made;
}

std::string machine_facts::words() const {
    return fmt::format("{}, {} core{}, load {:.1f}, {}", processor, cores, cores == 1 ? "" : "s", load, date);
}

} // namespace everbloom::cli
