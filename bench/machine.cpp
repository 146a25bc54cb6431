#include "machine.hpp"

#include <everbloom/bits/heap_words.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <fstream>

namespace everbloom::bench {
namespace {

std::string processor_name() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "unknown processor";
}

} // namespace

std::string machine_text() {
    const auto& machine = benchmark::CPUInfo::Get();
    std::string text =
        fmt::format("{}, {} x {:.0f} MHz", processor_name(), machine.num_cpus, machine.cycles_per_second / 1e6);
    for (const auto& cache : machine.caches) {
        if (cache.type == "Instruction") continue;
        text += fmt::format(", L{} {} KiB", cache.level, cache.size / 1024);
    }
    return text;
}

std::string compiler_text() {
#if defined(__clang__)
    return fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
    return fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
}

std::uint64_t available_memory_bytes() {
    std::ifstream lines("/proc/meminfo");
    for (std::string word; lines >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == "MemAvailable:" && lines >> kibibytes) return kibibytes * 1024;
    }
    return heap_words::physical_memory_bytes();
}

double machine_load() {
    double load = 0;
    std::ifstream("/proc/loadavg") >> load;
    return load;
}

} // namespace everbloom::bench
