/* arena: memory for the bytes of some keys, freed all at once. Never moves what it gave out. */
#ifndef EVERBLOOM_PYTHON_ARENA_H
#define EVERBLOOM_PYTHON_ARENA_H

#include <stddef.h>

typedef struct arena_block arena_block;

typedef struct arena {
    arena_block* newest;
} arena;

/* Room for this number of bytes, or NULL if there is no memory; no exception is set, so that it can be used without the GIL. */
void* arena_take(arena* from, size_t bytes);

/* Frees everything but one block, for the next keys. */
void arena_reset(arena* used);
void arena_free(arena* used);

#endif
