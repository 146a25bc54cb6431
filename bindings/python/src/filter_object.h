/*
 * filter_object: what a Python object of type everbloom._everbloom.FilterBase is: a handle of the C interface, and a lock.
 *
 * everbloom.Filter is a Python class on top of it. What is called for every key is here in C; what is called for a whole filter may
 * as well be written in Python.
 */
#ifndef EVERBLOOM_PYTHON_FILTER_OBJECT_H
#define EVERBLOOM_PYTHON_FILTER_OBJECT_H

#include "filter_lock.h"
#include "python.h"

#include <everbloom.h>

typedef struct filter_object {
    PyObject_HEAD eb_filter* filter; /* NULL after close() */
    int key_type;                    /* enum eb_key_type, kept here because every key asks for it */
    filter_lock lock;
} filter_object;

extern PyTypeObject* filter_base_type;

/* Makes the type and adds it to the module. Returns 0, or -1 with an exception set. */
int add_filter_base(PyObject* module);

/* A new object of this type around a filter, which it owns from now on, also on failure. NULL with an exception set. */
PyObject* filter_object_wrap(PyTypeObject* type, eb_filter* filter);

/* Returns 0 for an open filter, otherwise -1 with an exception set. */
int check_open(const filter_object* self);

/* Enters an open filter, see filter_lock.h. Returns 0, or -1 with an exception set. */
int filter_enter(filter_object* self, bool to_write);
static inline void filter_leave(filter_object* self, bool to_write) { lock_leave(&self->lock, to_write); }

/* Methods of the type; each group is in a file of its own. */
PyObject* filter_contains_many(PyObject* self, PyObject* args);
PyObject* filter_insert_many(PyObject* self, PyObject* args);
PyObject* filter_erase_many(PyObject* self, PyObject* args);
PyObject* filter_count_many(PyObject* self, PyObject* keys);
PyObject* filter_erase_members(PyObject* self, PyObject* keys);

int filter_contains(PyObject* self, PyObject* key);
PyObject* filter_add(PyObject* self, PyObject* key);
PyObject* filter_insert(PyObject* self, PyObject* key);
PyObject* filter_erase(PyObject* self, PyObject* key);

PyObject* filter_merge(PyObject* self, PyObject* other);
PyObject* filter_intersect(PyObject* self, PyObject* other);
PyObject* filter_equals(PyObject* self, PyObject* other);
PyObject* filter_clone(PyObject* self, PyObject* nothing);
PyObject* filter_export(PyObject* self, PyObject* args);
PyObject* filter_build(PyObject* self, PyObject* keys);
PyObject* filter_clear(PyObject* self, PyObject* nothing);
PyObject* filter_resize(PyObject* self, PyObject* args);
PyObject* filter_exclude(PyObject* self, PyObject* negatives);
PyObject* filter_drop_exclusions(PyObject* self, PyObject* nothing);
PyObject* filter_protect(PyObject* self, PyObject* args);
PyObject* filter_sync(PyObject* self, PyObject* args);

PyObject* filter_save(PyObject* self, PyObject* path);
PyObject* filter_to_bytes(PyObject* self, PyObject* nothing);
PyObject* filter_make(PyObject* type, PyObject* args);
PyObject* filter_open(PyObject* type, PyObject* path);
PyObject* filter_map(PyObject* type, PyObject* args);
PyObject* filter_from_bytes(PyObject* type, PyObject* bytes);

PyObject* filter_stats(PyObject* self, PyObject* nothing);
PyObject* filter_describe(PyObject* self, PyObject* nothing);
PyObject* filter_census(PyObject* self, PyObject* args);
PyObject* filter_facts(PyObject* self, PyObject* nothing);
PyObject* filter_key_count(PyObject* self, PyObject* nothing);
PyObject* filter_current_fpr(PyObject* self, PyObject* nothing);
PyObject* filter_identity(PyObject* self, PyObject* nothing);
PyObject* filter_hash_key(PyObject* self, PyObject* nothing);

#endif
