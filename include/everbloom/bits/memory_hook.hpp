// memory_hook: where the cells of filters come from, for a host that counts and limits memory (a server with modules, a database).
#pragma once

#include <cstddef>

namespace everbloom {

/// A pair of functions, called by any thread.
struct memory_hook {
    void* (*allocate)(std::size_t bytes) =
        nullptr;                            // like malloc; null where the host refuses, which is then "out of memory"
    void (*release)(void* block) = nullptr; // like free
};

/// What a host that moves memory together (defragments) does with a block of its hook: gives it another address with the same alignment and
/// the same bytes, and frees the old one; or returns null, and it stays.
struct block_mover {
    void* (*move)(void* context, void* block) = nullptr; // the new address, or null
    void* context = nullptr;                             // what `move` gets of the host's own
};

/// All cells that are allocated from now on come from the hook, in any thread; those that exist go back to where they came from. An
/// empty hook: from the system again. Through a hook there are no huge pages. Kinds that grow copy their cells, except for the quotient
/// filter, whose cells come in blocks of 256 KiB.
void set_memory_hook(const memory_hook& hook) noexcept;

} // namespace everbloom
