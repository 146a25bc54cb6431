/* collected_keys: a copy of many keys, for calls that need all of them at once: exclusions, sync. */
#ifndef EVERBLOOM_PYTHON_COLLECTED_KEYS_H
#define EVERBLOOM_PYTHON_COLLECTED_KEYS_H

#include "many_keys.h"

typedef struct collected_keys {
    key_use base;
    uint64_t count;
    uint64_t* numbers; /* keys, or offsets: count + 1 */
    size_t numbers_room;
    char* bytes;
    size_t bytes_used;
    size_t bytes_room;
} collected_keys;

/* Copies all keys. Returns 0, or -1 with an exception set; collected_free in both cases. */
int collect_keys(filter_object* self, PyObject* keys, collected_keys* into);
eb_keys collected_as_keys(const filter_object* self, const collected_keys* keys);
void collected_free(collected_keys* keys);

#endif
