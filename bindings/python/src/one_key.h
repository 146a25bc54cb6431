/*
 * one_key: a Python object becomes a key, as docs/python.md says under "Keys".
 *
 *   filters of numbers      int, and whatever has __index__, from -2**63 to 2**64 - 1; negative ones as two's complement, as in C++
 *   filters of text         str (its UTF-8 bytes), bytes, bytearray, memoryview, tuples of keys
 *   filters of hex          the same, but a str is hexadecimal digits, as on the command line
 *   filters of ip           str ("10.0.0.1"), 4 or 16 bytes, objects of the module ipaddress
 */
#ifndef EVERBLOOM_PYTHON_ONE_KEY_H
#define EVERBLOOM_PYTHON_ONE_KEY_H

#include "arena.h"
#include "filter_object.h"

typedef struct one_key {
    const void* data; /* of a key of bytes; of the object, or in the arena */
    size_t bytes;
    uint64_t number; /* of a key that is a number */
} one_key;

/* Reads a key. Bytes that may change while the caller does not hold the GIL, or that have no owner, are copied to the arena. Returns 0,
   or -1 with an exception set. May run Python code, so no filter may be entered. */
int one_key_read(const filter_object* self, PyObject* object, arena* copies, one_key* key);

/* The part of it that is called for most keys: a str or bytes object for a filter of text. Returns 1, or 0 if one_key_read is needed, or
   -1 with an exception set. */
static inline int one_key_read_plain(const filter_object* self, PyObject* object, one_key* key) {
    if (self->key_type == EB_KEYS_U64) return 0;
    PyTypeObject* const type = Py_TYPE(object);
    if (type == &PyUnicode_Type && self->key_type == EB_KEYS_TEXT) {
        Py_ssize_t bytes = 0;
        key->data = PyUnicode_AsUTF8AndSize(object, &bytes);
        key->bytes = (size_t)bytes;
        return key->data == NULL ? -1 : 1;
    }
    if (type == &PyBytes_Type && self->key_type != EB_KEYS_IP) {
        key->data = PyBytes_AsString(object);
        key->bytes = (size_t)PyBytes_Size(object);
        return 1;
    }
    return 0;
}

#endif
