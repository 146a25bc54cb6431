/* object_keys: keys that are Python objects, in lists, tuples, arrays of objects, and other iterables. */
#ifndef EVERBLOOM_PYTHON_OBJECT_KEYS_H
#define EVERBLOOM_PYTHON_OBJECT_KEYS_H

#include "many_keys.h"

int use_piece(filter_object* self, const eb_keys* keys, uint64_t first, key_use* use);

int64_t use_objects(filter_object* self, PyObject* keys, key_use* use);

/* An array of pointers to objects, as numpy has it: dtype=object. */
int64_t use_object_array(filter_object* self, const Py_buffer* view, key_use* use);

#endif
