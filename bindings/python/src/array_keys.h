/* array_keys: keys in arrays, as the buffer protocol describes them. */
#ifndef EVERBLOOM_PYTHON_ARRAY_KEYS_H
#define EVERBLOOM_PYTHON_ARRAY_KEYS_H

#include "many_keys.h"

int64_t use_array(filter_object* self, PyObject* array, const Py_buffer* view, key_use* use);

#endif
