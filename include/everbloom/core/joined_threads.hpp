// joined_threads: threads that have ended when it goes out of scope, whatever else happens. std::jthread would be that, but libc++ has it
// only as an experiment.
#pragma once

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace everbloom {

class joined_threads {
public:
    joined_threads() = default;
    joined_threads(const joined_threads&) = delete;
    joined_threads& operator=(const joined_threads&) = delete;
    ~joined_threads() {
        for (std::thread& one : all_) one.join();
    }

    void reserve(std::size_t count) { all_.reserve(count); }
    /// As std::thread, throws if the system gives no more threads or no memory for them.
    template <class... Work>
    void start(Work&&... work) {
        all_.emplace_back(std::forward<Work>(work)...);
    }

private:
    std::vector<std::thread> all_;
};

} // namespace everbloom
