#include "hostile/failing_new.hpp"

#include <cstdlib>
#include <new>

namespace everbloom::hostile {
namespace {

struct refusal_state {
    bool armed = false;
    bool happened = false;
    std::uint64_t seen = 0;
    std::uint64_t number = 0;
    refusal how = refusal::once;
};
thread_local refusal_state state;

bool must_refuse() noexcept {
    if (!state.armed) return false;
    ++state.seen;
    const bool refused = state.how == refusal::once ? state.seen == state.number : state.seen >= state.number;
    state.happened |= refused;
    return refused;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    void* made = nullptr;
    if (!must_refuse()) {
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        made = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    }
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

} // namespace

failing_new::failing_new(std::uint64_t number, refusal how) noexcept { state = {true, false, 0, number, how}; }
failing_new::~failing_new() { state.armed = false; }
bool failing_new::happened() const noexcept { return state.happened; }

} // namespace everbloom::hostile

// The other forms of new and delete call these by default.
void* operator new(std::size_t bytes) { return everbloom::hostile::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return everbloom::hostile::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
