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

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    void* made = nullptr;
    if (must_refuse()) return nullptr;
    return ::posix_memalign(&made, alignment, bytes == 0 ? 1 : bytes) == 0 ? made : nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const made = allocate(bytes, alignment);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

} // namespace

failing_new::failing_new(std::uint64_t number, refusal how) noexcept { state = {true, false, 0, number, how}; }
failing_new::~failing_new() { state.armed = false; }
bool failing_new::happened() const noexcept { return state.happened; }

} // namespace everbloom::hostile

// All forms: those left out would call these by default, but a sanitizer brings its own.
void* operator new(std::size_t bytes) {
    return everbloom::hostile::allocate_or_throw(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return everbloom::hostile::allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*how*/) noexcept {
    return everbloom::hostile::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*how*/) noexcept {
    return everbloom::hostile::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void* operator new[](std::size_t bytes, const std::nothrow_t& how) noexcept { return operator new(bytes, how); }

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*how*/) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t& /*how*/) noexcept { std::free(memory); }

// What heap_words asks for its lines, up to the size from which on it asks the system.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return everbloom::hostile::allocate(bytes, alignment);
}
