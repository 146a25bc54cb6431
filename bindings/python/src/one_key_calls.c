/* Calls for one key. They keep the GIL, so that they need no entry into the lock unless a bulk call is running (filter_lock.h). */
#include "errors.h"
#include "one_key.h"

typedef int (*call_bytes)(eb_filter* filter, const void* key, size_t bytes);
typedef int (*call_number)(eb_filter* filter, uint64_t key);

static int query_bytes(eb_filter* filter, const void* key, size_t bytes) { return eb_query_bytes(filter, key, bytes); }
static int query_number(eb_filter* filter, uint64_t key) { return eb_query_u64(filter, key); }

/* All but the usual case: another sort of key, or a bulk call inside. Returns the outcome, or -1 with an exception set. */
static int call_slowly(filter_object* self, PyObject* object, bool to_write, call_bytes on_bytes,
                       call_number on_number) {
    arena copies = {NULL};
    one_key key = {NULL, 0, 0};
    int outcome = -1;
    if (one_key_read(self, object, &copies, &key) == 0) {
        const bool may = to_write ? lock_allows_change(&self->lock) : lock_allows_query(&self->lock);
        if (may ? check_open(self) == 0 : filter_enter(self, to_write) == 0) {
            outcome = self->key_type == EB_KEYS_U64 ? on_number(self->filter, key.number)
                                                    : on_bytes(self->filter, key.data, key.bytes);
            if (!may) filter_leave(self, to_write);
            if (outcome < 0) {
                raise_code(EB_INTERNAL, "a key was refused that had been checked");
                outcome = -1;
            }
        }
    }
    arena_free(&copies);
    return outcome;
}

/* `key in filter` */
int filter_contains(PyObject* self, PyObject* object) {
    filter_object* const filter = (filter_object*)self;
    if (filter->filter != NULL && lock_allows_query(&filter->lock)) {
        one_key key;
        const int plain = one_key_read_plain(filter, object, &key);
        if (plain > 0) return eb_query_bytes(filter->filter, key.data, key.bytes);
        if (plain < 0) return -1;
        if (filter->key_type == EB_KEYS_U64 && Py_TYPE(object) == &PyLong_Type) {
            const uint64_t number = PyLong_AsUnsignedLongLong(object);
            if (number != UINT64_MAX || !PyErr_Occurred()) return eb_query_u64(filter->filter, number);
            PyErr_Clear();
        }
    }
    return call_slowly(filter, object, false, query_bytes, query_number);
}

static int insert_outcome(filter_object* filter, PyObject* object) {
    if (filter->filter != NULL && lock_allows_change(&filter->lock)) {
        one_key key;
        const int plain = one_key_read_plain(filter, object, &key);
        if (plain > 0) return eb_insert_bytes(filter->filter, key.data, key.bytes);
        if (plain < 0) return -1;
    }
    return call_slowly(filter, object, true, eb_insert_bytes, eb_insert_u64);
}

/* Adds a key, as set.add; a key that is refused is an exception. */
PyObject* filter_add(PyObject* self, PyObject* object) {
    const int outcome = insert_outcome((filter_object*)self, object);
    if (outcome < 0) return NULL;
    if (outcome <= EB_INSERTED_UNPROTECTED) Py_RETURN_NONE;
    return PyObject_CallMethod(self, "_raise_refused", "i", outcome);
}

PyObject* filter_insert(PyObject* self, PyObject* object) {
    const int outcome = insert_outcome((filter_object*)self, object);
    return outcome < 0 ? NULL : PyLong_FromLong(outcome);
}

PyObject* filter_erase(PyObject* self, PyObject* object) {
    const int outcome = call_slowly((filter_object*)self, object, true, eb_erase_bytes, eb_erase_u64);
    return outcome < 0 ? NULL : PyLong_FromLong(outcome);
}
