// collector: listens to Google Benchmark and keeps every repetition.
//
// Hands on what it hears to Google Benchmark's own reporter if somebody asked for that format.
#pragma once

#include "report/results.hpp"

#include <benchmark/benchmark.h>

namespace everbloom::bench {

class collector final : public benchmark::BenchmarkReporter {
public:
    /// `listener` may be null; it is not owned.
    explicit collector(benchmark::BenchmarkReporter* listener) noexcept : listener_(listener) {}

    bool ReportContext(const Context& context) override {
        return listener_ == nullptr || listener_->ReportContext(context);
    }
    void ReportRuns(const std::vector<Run>& runs) override;
    void Finalize() override {
        collected_.sort_as_added();
        if (listener_ != nullptr) listener_->Finalize();
    }

    [[nodiscard]] const results& collected() const noexcept { return collected_; }

private:
    benchmark::BenchmarkReporter* listener_;
    results collected_;
};

} // namespace everbloom::bench
