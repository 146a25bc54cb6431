#include "many_keys.h"

#include "array_keys.h"
#include "arrow_keys.h"
#include "errors.h"
#include "object_keys.h"

/* One piece. Returns 0, or -1 with an exception set. */
int use_piece(filter_object* self, const eb_keys* keys, uint64_t first, key_use* use) {
    if (use->prepare != NULL && use->prepare(use, first, keys->count) < 0) return -1;
    if (filter_enter(self, use->to_write) < 0) return -1;
    eb_error error;
    int failed = 0;
    Py_BEGIN_ALLOW_THREADS failed = use->act(use, self->filter, keys, first, &error);
    Py_END_ALLOW_THREADS filter_leave(self, use->to_write);
    if (failed == 0) return 0;
    raise_error(&error);
    return -1;
}

static int64_t use_arrow(filter_object* self, PyObject* keys, key_use* use) {
    eb_keys piece;
    if (arrow_keys_read(keys, &piece) < 0) return -1;
    return use_piece(self, &piece, 0, use) < 0 ? -1 : (int64_t)piece.count;
}

/* set.update("anna") adds four letters; nobody means that here. */
static int refuse_single_key(PyObject* keys) {
    if (!PyUnicode_Check(keys) && !PyBytes_Check(keys) && !PyByteArray_Check(keys)) return 0;
    PyErr_SetString(PyExc_TypeError,
                    "this is one key, but an iterable of keys is expected: add(key) takes one, [key] is a list of one");
    return -1;
}

int64_t use_keys(filter_object* self, PyObject* keys, key_use* use) {
    if (check_open(self) < 0 || refuse_single_key(keys) < 0) return -1;
    if (PyList_Check(keys) || PyTuple_Check(keys)) return use_objects(self, keys, use);
    if (is_arrow_keys(keys)) return use_arrow(self, keys, use);
    if (PyObject_CheckBuffer(keys)) {
        Py_buffer view;
        if (PyObject_GetBuffer(keys, &view, PyBUF_FULL_RO) == 0) {
            const int64_t used = use_array(self, keys, &view, use);
            PyBuffer_Release(&view);
            return used;
        }
        /* numpy's dates, for example, have no buffer, but can be iterated over. */
        if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
            !PyErr_ExceptionMatches(PyExc_TypeError)) {
            return -1;
        }
        PyErr_Clear();
    }
    return use_objects(self, keys, use);
}
