/* arrow_keys: everbloom.ArrowKeys, a column of text or bytes as Apache Arrow keeps it: all bytes in one buffer, offsets in another. */
#ifndef EVERBLOOM_PYTHON_ARROW_KEYS_H
#define EVERBLOOM_PYTHON_ARROW_KEYS_H

#include "python.h"

#include <everbloom.h>
#include <stdbool.h>

/* Makes the type and adds it to the module. Returns 0, or -1 with an exception set. */
int add_arrow_keys(PyObject* module);

bool is_arrow_keys(PyObject* object);

/* Describes its keys. Returns 0, or -1 with an exception set. */
int arrow_keys_read(PyObject* object, eb_keys* keys);

#endif
