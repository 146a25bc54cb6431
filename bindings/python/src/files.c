/* Making, opening and saving filters. What is slow releases the GIL. */
#include "errors.h"
#include "filter_object.h"

static PyObject* wrap(PyObject* type, eb_filter* made, const eb_error* error) {
    return made == NULL ? raise_error(error) : filter_object_wrap((PyTypeObject*)type, made);
}

/* (capacity, fpr, kind, parameters, hash, hash key, key type, flags, removed, churn, growth, negatives) */
PyObject* filter_make(PyObject* type, PyObject* args) {
    eb_options options = EB_OPTIONS_INIT;
    unsigned long long capacity = 0, negatives = 0;
    int hash = 0, key_type = 0;
    unsigned flags = 0;
    const char* key = NULL;
    Py_ssize_t key_bytes = 0;
    if (!PyArg_ParseTuple(args, "Kdzziz#iIdddK", &capacity, &options.fpr, &options.kind, &options.parameters, &hash,
                          &key, &key_bytes, &key_type, &flags, &options.removed, &options.churn, &options.growth,
                          &negatives)) {
        return NULL;
    }
    if (key != NULL && key_bytes != 16) {
        PyErr_Format(PyExc_ValueError, "hash_key must have 16 bytes, not %zd", key_bytes);
        return NULL;
    }
    options.capacity = capacity;
    options.hash = hash;
    options.hash_key = (const uint8_t*)key;
    options.key_type = key_type;
    options.flags = flags;
    options.negatives = negatives;
    eb_error error;
    eb_filter* made = NULL;
    Py_BEGIN_ALLOW_THREADS made = eb_make(&options, &error);
    Py_END_ALLOW_THREADS return wrap(type, made, &error);
}

/* A path as the system wants it, bytes without NUL; a new reference. */
static PyObject* path_of(PyObject* object) {
    PyObject* path = NULL;
    return PyUnicode_FSConverter(object, &path) ? path : NULL;
}

PyObject* filter_open(PyObject* type, PyObject* object) {
    PyObject* const path = path_of(object);
    if (path == NULL) return NULL;
    eb_error error;
    eb_filter* made = NULL;
    const char* const name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS made = eb_open(name, &error);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    return wrap(type, made, &error);
}

/* (path, header only) */
PyObject* filter_map(PyObject* type, PyObject* args) {
    PyObject* object = NULL;
    int header_only = 0;
    if (!PyArg_ParseTuple(args, "Op", &object, &header_only)) return NULL;
    PyObject* const path = path_of(object);
    if (path == NULL) return NULL;
    eb_error error;
    eb_filter* made = NULL;
    const char* const name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS made = eb_map(name, header_only ? EB_MAP_HEADER_ONLY : 0, &error);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    return wrap(type, made, &error);
}

PyObject* filter_from_bytes(PyObject* type, PyObject* object) {
    Py_buffer bytes;
    if (PyObject_GetBuffer(object, &bytes, PyBUF_SIMPLE) < 0) return NULL;
    eb_error error;
    eb_filter* made = NULL;
    Py_BEGIN_ALLOW_THREADS made = eb_read_memory(bytes.buf, (size_t)bytes.len, &error);
    Py_END_ALLOW_THREADS PyBuffer_Release(&bytes);
    return wrap(type, made, &error);
}

PyObject* filter_save(PyObject* self, PyObject* object) {
    filter_object* const filter = (filter_object*)self;
    PyObject* const path = path_of(object);
    if (path == NULL) return NULL;
    if (filter_enter(filter, false) < 0) {
        Py_DECREF(path);
        return NULL;
    }
    eb_error error;
    int code = EB_OK;
    const char* const name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS code = eb_save(filter->filter, name, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    Py_DECREF(path);
    if (code != EB_OK) return raise_error(&error);
    Py_RETURN_NONE;
}

PyObject* filter_to_bytes(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    const int64_t bytes = eb_saved_bytes(filter->filter, &error);
    PyObject* made = NULL;
    int64_t written = -1;
    if (bytes < 0) {
        raise_error(&error);
    } else {
        made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    }
    if (made != NULL) {
        char* const memory = PyBytes_AsString(made);
        Py_BEGIN_ALLOW_THREADS written = eb_write_memory(filter->filter, memory, (size_t)bytes, &error);
        Py_END_ALLOW_THREADS if (written < 0) {
            Py_DECREF(made);
            made = raise_error(&error);
        }
    }
    filter_leave(filter, false);
    return made;
}
