// counted_memory: a memory hook that counts what it gives, and can refuse it. One at a time.
#pragma once

#include <everbloom/bits/memory_hook.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>

namespace everbloom::support {

class counted_memory {
public:
    /// `offset`: how far blocks are from the start of a cache line.
    explicit counted_memory(std::size_t offset = 0) {
        now() = {};
        now().offset = offset;
        set_memory_hook({allocate, release});
    }
    ~counted_memory() { set_memory_hook({}); }
    counted_memory(const counted_memory&) = delete;
    counted_memory& operator=(const counted_memory&) = delete;

    [[nodiscard]] std::uint64_t held_bytes() const { return now().held; }
    [[nodiscard]] std::uint64_t blocks() const { return blocks_now().size(); }
    [[nodiscard]] std::uint64_t calls() const { return now().calls; }
    [[nodiscard]] std::uint64_t largest_block() const { return now().largest; }
    /// Bytes given since the last call of this.
    [[nodiscard]] std::uint64_t taken_bytes() const { return std::exchange(now().taken, 0); }
    /// From now on every request is refused; or only the one with this number, the next is 1.
    void refuse_all() const { now().refuses_all = true; }
    void refuse(std::uint64_t number) const { now().refused_call = now().calls + number; }
    void refuse_none() const {
        now().refuses_all = false;
        now().refused_call = 0;
    }

private:
    struct counts {
        std::uint64_t held = 0;
        std::uint64_t taken = 0;
        std::uint64_t largest = 0;
        std::uint64_t calls = 0;
        std::uint64_t refused_call = 0;
        std::size_t offset = 0;
        bool refuses_all = false;
    };
    static counts& now() {
        static counts all;
        return all;
    }
    static std::map<void*, std::size_t>& blocks_now() {
        static std::map<void*, std::size_t> all;
        return all;
    }
    static void* allocate(std::size_t bytes) {
        ++now().calls;
        if (now().refuses_all || now().calls == now().refused_call) return nullptr;
        constexpr std::size_t line = 64;
        auto* const made = static_cast<char*>(std::aligned_alloc(line, (bytes + 2 * line) / line * line));
        if (made == nullptr) return nullptr;
        now().held += bytes;
        now().taken += bytes;
        now().largest = std::max<std::uint64_t>(now().largest, bytes);
        blocks_now().emplace(made + now().offset, bytes);
        return made + now().offset;
    }
    static void release(void* block) {
        const auto found = blocks_now().find(block);
        now().held -= found->second;
        blocks_now().erase(found);
        std::free(static_cast<char*>(block) - reinterpret_cast<std::uintptr_t>(block) % 64);
    }
};

} // namespace everbloom::support
