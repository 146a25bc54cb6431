#include "arrow_keys.h"

#include "element_format.h"

#include <string.h>

typedef struct arrow_keys {
    PyObject_HEAD Py_buffer data; /* `obj` is NULL until it is filled */
    Py_buffer offsets;
    bool is_wide; /* offsets of 64 bits */
    uint64_t first;
    uint64_t count;
} arrow_keys;

static PyTypeObject* arrow_keys_type = NULL;

static const char arrow_keys_doc[] =
    "ArrowKeys(data, offsets, first=0, count=None)\n--\n\n"
    "Keys as Apache Arrow keeps a column of text or bytes: key i is data[offsets[i]:offsets[i + 1]].\n\n"
    "`data` and `offsets` are anything with the buffer protocol; the offsets are signed, of 32 or 64 bits. `first` "
    "and\n"
    "`count` choose a part of the keys. Nothing is copied.\n\n"
    ">>> from array import array\n"
    ">>> names = Filter.of(ArrowKeys(b'annabert', array('i', [0, 4, 8])))\n"
    ">>> 'bert' in names\n"
    "True";

static void arrow_keys_dealloc(PyObject* self) {
    arrow_keys* const keys = (arrow_keys*)self;
    PyTypeObject* const type = Py_TYPE(self);
    PyBuffer_Release(&keys->data);
    PyBuffer_Release(&keys->offsets);
    freefunc release = AS_FUNCTION(freefunc, PyType_GetSlot(type, Py_tp_free));
    release(self);
    Py_DECREF(type);
}

static int read_range(arrow_keys* keys, Py_ssize_t first, PyObject* count) {
    const Py_ssize_t width = keys->is_wide ? 8 : 4;
    const Py_ssize_t offsets = keys->offsets.len / width;
    const Py_ssize_t all = offsets == 0 ? 0 : offsets - 1;
    if (first < 0 || first > all) {
        PyErr_Format(PyExc_ValueError, "first must be from 0 to the number of keys, %zd", all);
        return -1;
    }
    Py_ssize_t wanted = all - first;
    if (count != Py_None) {
        wanted = PyNumber_AsSsize_t(count, PyExc_OverflowError);
        if (wanted == -1 && PyErr_Occurred()) return -1;
        if (wanted < 0 || wanted > all - first) {
            PyErr_Format(PyExc_ValueError, "count must be from 0 to the number of keys that follow, %zd", all - first);
            return -1;
        }
    }
    keys->first = (uint64_t)first;
    keys->count = (uint64_t)wanted;
    return 0;
}

static PyObject* arrow_keys_new(PyTypeObject* type, PyObject* args, PyObject* names) {
    static char* arguments[] = {"data", "offsets", "first", "count", NULL};
    PyObject *data = NULL, *offsets = NULL, *count = Py_None;
    Py_ssize_t first = 0;
    if (!PyArg_ParseTupleAndKeywords(args, names, "OO|nO:ArrowKeys", arguments, &data, &offsets, &first, &count))
        return NULL;
    arrow_keys* const made = (arrow_keys*)PyType_GenericAlloc(type, 0);
    if (made == NULL) return NULL;
    element_format format;
    if (PyObject_GetBuffer(data, &made->data, PyBUF_SIMPLE) < 0 ||
        PyObject_GetBuffer(offsets, &made->offsets, PyBUF_FORMAT | PyBUF_ND) < 0) {
        goto failed;
    }
    if (made->offsets.ndim != 1 || !read_element_format(&made->offsets, &format) ||
        format.shape != element_number_shape || !format.is_signed || format.swapped ||
        (format.bytes != 4 && format.bytes != 8)) {
        PyErr_SetString(PyExc_TypeError, "offsets must be a contiguous array of signed integers of 32 or 64 bits");
        goto failed;
    }
    made->is_wide = format.bytes == 8;
    if (read_range(made, first, count) < 0) goto failed;
    return (PyObject*)made;
failed:
    Py_DECREF(made);
    return NULL;
}

static Py_ssize_t arrow_keys_length(PyObject* self) { return (Py_ssize_t)((arrow_keys*)self)->count; }

static PyType_Slot slots[] = {
    {Py_tp_new, AS_SLOT(arrow_keys_new)},
    {Py_tp_dealloc, AS_SLOT(arrow_keys_dealloc)},
    {Py_sq_length, AS_SLOT(arrow_keys_length)},
    {Py_tp_doc, (void*)arrow_keys_doc},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "everbloom.ArrowKeys",
    .basicsize = sizeof(arrow_keys),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};

int add_arrow_keys(PyObject* module) {
    arrow_keys_type = (PyTypeObject*)PyType_FromSpec(&spec);
    if (arrow_keys_type == NULL) return -1;
    return PyModule_AddObjectRef(module, "ArrowKeys", (PyObject*)arrow_keys_type);
}

bool is_arrow_keys(PyObject* object) { return Py_TYPE(object) == arrow_keys_type; }

int arrow_keys_read(PyObject* object, eb_keys* keys) {
    const arrow_keys* const from = (arrow_keys*)object;
    const size_t width = from->is_wide ? 8 : 4;
    const void* const offsets = (const char*)from->offsets.buf + from->first * width;
    /* A length of 0 would mean "not checked", so an empty buffer must not be asked for a byte. */
    const uint64_t bytes = (uint64_t)from->data.len;
    if (bytes == 0 && from->count != 0) {
        int64_t last = 0;
        if (from->is_wide) {
            memcpy(&last, (const char*)offsets + from->count * width, width);
        } else {
            int32_t narrow = 0;
            memcpy(&narrow, (const char*)offsets + from->count * width, width);
            last = narrow;
        }
        if (last != 0) {
            PyErr_SetString(PyExc_ValueError, "offsets lie outside of data, which is empty");
            return -1;
        }
    }
    keys->shape = from->is_wide ? EB_OFFSETS64 : EB_OFFSETS32;
    keys->reserved = 0;
    keys->count = from->count;
    keys->stride = 0;
    keys->width = bytes;
    keys->data = from->data.buf;
    keys->extents = offsets;
    return 0;
}
