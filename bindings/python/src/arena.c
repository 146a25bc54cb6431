#include "arena.h"

#include "python.h"

#include <stdint.h>

struct arena_block {
    arena_block* older;
    size_t used;
    size_t bytes;
};

static char* content(arena_block* block) { return (char*)(block + 1); }

void* arena_take(arena* from, size_t bytes) {
    arena_block* block = from->newest;
    if (block == NULL || block->bytes - block->used < bytes) {
        const size_t usual = 64 * 1024;
        const size_t wanted = bytes > usual ? bytes : usual;
        if (wanted > PTRDIFF_MAX - sizeof *block) return NULL;
        block = (arena_block*)malloc(sizeof *block + wanted);
        if (block == NULL) return NULL;
        block->older = from->newest;
        block->used = 0;
        block->bytes = wanted;
        from->newest = block;
    }
    char* const made = content(block) + block->used;
    block->used += bytes;
    return made;
}

void arena_reset(arena* used) {
    if (used->newest == NULL) return;
    arena older = {used->newest->older};
    arena_free(&older);
    used->newest->older = NULL;
    used->newest->used = 0;
}

void arena_free(arena* used) {
    while (used->newest != NULL) {
        arena_block* const block = used->newest;
        used->newest = block->older;
        free(block);
    }
}
