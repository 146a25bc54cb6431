/*
 * many_keys: a Python object with many keys becomes eb_keys, a piece at a time.
 *
 *   arrays      anything with the buffer protocol: numpy arrays of integers, of fixed-width text (U), bytes (S) and void (V), array.array,
 *               memoryview; any stride, any byte order. One piece, or pieces that are converted without the GIL
 *   ArrowKeys   bytes and offsets
 *   objects     list, tuple, numpy arrays of objects, and every other iterable: pieces of some thousand keys, read with the GIL, used
 *               without it
 *
 * A piece is used while the filter is entered and the GIL released. Between pieces of objects others may use the filter.
 */
#ifndef EVERBLOOM_PYTHON_MANY_KEYS_H
#define EVERBLOOM_PYTHON_MANY_KEYS_H

#include "filter_object.h"

/* What is done with the keys. */
typedef struct key_use {
    /* Called with the GIL before keys [first, first + count) are used, to make room for their answers; may be NULL. Returns 0, or -1
       with an exception set. */
    int (*prepare)(struct key_use* use, uint64_t first, uint64_t count);
    /* Called without the GIL. Returns 0, or anything else after it filled the error. */
    int (*act)(struct key_use* use, eb_filter* filter, const eb_keys* keys, uint64_t first, eb_error* error);
    bool to_write; /* does `act` change the filter? */
} key_use;

/* Uses all keys. Returns their number, or -1 with an exception set. */
int64_t use_keys(filter_object* self, PyObject* keys, key_use* use);

#endif
