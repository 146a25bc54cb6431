#include "collected_keys.h"

#include <stdio.h>
#include <string.h>

static int no_memory(eb_error* error) {
    error->code = EB_OUT_OF_MEMORY;
    snprintf(error->sentence, sizeof error->sentence, "not enough memory for a copy of the keys");
    return EB_OUT_OF_MEMORY;
}

/* Room for a number of elements, at least twice of what there was. False if there is no memory. */
static bool reserve(void** memory, size_t* room, size_t needed, size_t element_bytes) {
    if (needed <= *room) return true;
    const size_t most = PTRDIFF_MAX / element_bytes;
    if (needed > most) return false;
    size_t wanted = *room > most / 2 ? most : *room * 2;
    if (wanted < needed) wanted = needed;
    void* const grown = realloc(*memory, wanted * element_bytes);
    if (grown == NULL) return false;
    *memory = grown;
    *room = wanted;
    return true;
}

static bool add_bytes(collected_keys* into, const char* data, size_t bytes) {
    if (bytes > PTRDIFF_MAX - into->bytes_used) return false;
    if (!reserve((void**)&into->bytes, &into->bytes_room, into->bytes_used + bytes, 1)) return false;
    if (bytes != 0) memcpy(into->bytes + into->bytes_used, data, bytes);
    into->bytes_used += bytes;
    into->numbers[++into->count] = into->bytes_used;
    return true;
}

/* The shapes that pieces have here: array_keys.c, arrow_keys.c, object_keys.c. */
static bool add_key(collected_keys* into, const eb_keys* keys, uint64_t i) {
    const char* const data = (const char*)keys->data;
    switch (keys->shape) {
    case EB_POINTERS: return add_bytes(into, ((const char* const*)keys->data)[i], ((const size_t*)keys->extents)[i]);
    case EB_OFFSETS32: {
        const int32_t* const offsets = (const int32_t*)keys->extents;
        return add_bytes(into, data + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    }
    case EB_OFFSETS64: {
        const int64_t* const offsets = (const int64_t*)keys->extents;
        return add_bytes(into, data + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
    }
    default: {
        const char* const key = data + (ptrdiff_t)i * (ptrdiff_t)keys->stride;
        size_t bytes = (size_t)keys->width;
        while (keys->shape == EB_FIXED_PADDED && bytes > 0 && key[bytes - 1] == '\0') --bytes;
        return add_bytes(into, key, bytes);
    }
    }
}

static int collect(key_use* base, eb_filter* filter, const eb_keys* keys, uint64_t first, eb_error* error) {
    collected_keys* const into = (collected_keys*)base;
    (void)first;
    if (!reserve((void**)&into->numbers, &into->numbers_room, (size_t)(into->count + keys->count + 1),
                 sizeof(uint64_t))) {
        return no_memory(error);
    }
    if (keys->shape == EB_U64) {
        const ptrdiff_t stride = keys->stride == 0 ? 8 : (ptrdiff_t)keys->stride;
        for (uint64_t i = 0; i < keys->count; ++i) {
            memcpy(into->numbers + into->count++, (const char*)keys->data + (ptrdiff_t)i * stride, sizeof(uint64_t));
        }
        return 0;
    }
    into->numbers[0] = 0;
    /* Offsets of the caller are checked by the library, which is asked for nothing here but to look at them. */
    if ((keys->shape == EB_OFFSETS32 || keys->shape == EB_OFFSETS64) && eb_query(filter, keys, NULL, error) < 0) {
        return error->code;
    }
    for (uint64_t i = 0; i < keys->count; ++i) {
        if (!add_key(into, keys, i)) return no_memory(error);
    }
    return 0;
}

int collect_keys(filter_object* self, PyObject* keys, collected_keys* into) {
    memset(into, 0, sizeof *into);
    into->base.act = collect;
    return use_keys(self, keys, &into->base) < 0 ? -1 : 0;
}

eb_keys collected_as_keys(const filter_object* self, const collected_keys* keys) {
    if (self->key_type == EB_KEYS_U64) return eb_u64_keys(keys->numbers, keys->count);
    /* Every offset is below 2^63, so that signed and unsigned ones are the same. */
    return eb_offset64_keys(keys->bytes == NULL ? "" : keys->bytes, keys->bytes_used, (const int64_t*)keys->numbers,
                            keys->count);
}

void collected_free(collected_keys* keys) {
    free(keys->numbers);
    free(keys->bytes);
}
