#include "shards.h"

#include <everbloom.h>

/* Reads the number of shards as a Python int, so that numbers out of range are named in words. Returns 0, or -1 with an exception set. */
static int read_shards(PyObject* number, uint32_t* shards) {
    PyObject* const whole = PyNumber_Index(number);
    if (whole == NULL) return -1;
    const unsigned long long value = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_OverflowError)) return -1;
    if (PyErr_Occurred() || value == 0 || value > UINT32_MAX) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "the number of shards must be from 1 to 2**32 - 1, not %S", number);
        return -1;
    }
    *shards = (uint32_t)value;
    return 0;
}

/* The shard of a str or bytes object. Runs no Python code, so a list that is walked meanwhile does not change. Returns it, or -1 with an
   exception set. */
static int64_t shard_of(PyObject* key, uint32_t shards) {
    if (PyBytes_Check(key)) return eb_shard(PyBytes_AsString(key), (size_t)PyBytes_Size(key), shards);
    if (PyUnicode_Check(key)) {
        Py_ssize_t bytes = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(key, &bytes);
        return text == NULL ? -1 : eb_shard(text, (size_t)bytes, shards);
    }
    PyObject* const name = PyType_GetName(Py_TYPE(key));
    if (name == NULL) return -1;
    PyErr_Format(PyExc_TypeError, "%U is no key of a spread filter, whose keys are str or bytes; write numbers as text, as on the server",
                 name);
    Py_DECREF(name);
    return -1;
}

PyObject* module_shard(PyObject* module, PyObject* args) {
    (void)module;
    PyObject *key = NULL, *number = NULL;
    uint32_t shards = 0;
    if (!PyArg_ParseTuple(args, "OO", &key, &number) || read_shards(number, &shards) < 0) return NULL;
    const int64_t found = shard_of(key, shards);
    return found < 0 ? NULL : PyLong_FromLongLong(found);
}

PyObject* module_shards(PyObject* module, PyObject* args) {
    (void)module;
    PyObject *keys = NULL, *number = NULL;
    uint32_t shards = 0;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &keys, &number) || read_shards(number, &shards) < 0) return NULL;
    const Py_ssize_t count = PyList_Size(keys);
    if (count > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(uint32_t)) return PyErr_NoMemory();
    PyObject* const made = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
    if (made == NULL) return NULL;
    char* to = PyBytes_AsString(made);
    for (Py_ssize_t i = 0; i < count; ++i, to += sizeof(uint32_t)) {
        const int64_t found = shard_of(PyList_GetItem(keys, i), shards);
        if (found < 0) {
            Py_DECREF(made);
            return NULL;
        }
        const uint32_t shard = (uint32_t)found;
        memcpy(to, &shard, sizeof shard);
    }
    return made;
}
