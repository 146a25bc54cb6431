#include "lab/reproduce/machine.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace everbloom::cli {
namespace {

std::string processor_name() {
#if defined(__APPLE__)
    std::array<char, 256> name{};
    std::size_t bytes = name.size() - 1;
    if (::sysctlbyname("machdep.cpu.brand_string", name.data(), &bytes, nullptr, 0) == 0) return name.data();
#endif
    // Where there is no such file, there is no line.
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
    // Of the last minute; the systems that have no such number leave 0.
    if (double load = 0; ::getloadavg(&load, 1) == 1) made.load = load;
    return made;
}

std::string machine_facts::words() const {
    return fmt::format("{}, {} core{}, load {:.1f}, {}", processor, cores, cores == 1 ? "" : "s", load, date);
}

} // namespace everbloom::cli
