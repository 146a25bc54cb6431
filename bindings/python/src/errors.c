#include "errors.h"

PyObject* filter_error_type = NULL;

static const char filter_error_doc[] =
    "What everbloom refuses: a ValueError whose text says what was wrong and what to do.\n\n"
    "The attribute `code` is a word for programs: 'bad_parameter', 'unsupported', 'mismatch', 'damaged', 'no_room',\n"
    "'refused' or 'internal'. Failing system calls are an OSError, and too little memory is a MemoryError.";

int add_errors(PyObject* module) {
    filter_error_type = PyErr_NewExceptionWithDoc("everbloom.FilterError", filter_error_doc, PyExc_ValueError, NULL);
    if (filter_error_type == NULL) return -1;
    return PyModule_AddObjectRef(module, "FilterError", filter_error_type);
}

/* The class of a code. A file that another process writes, or that may not be durable, is a matter of the system, too. */
static PyObject* class_of(int code) {
    switch (code) {
    case EB_OUT_OF_MEMORY: return PyExc_MemoryError;
    case EB_INPUT_OUTPUT:
    case EB_BUSY:
    case EB_NOT_DURABLE: return PyExc_OSError;
    default: return filter_error_type;
    }
}

PyObject* raise_code(int code, const char* sentence) {
    PyObject* const type = class_of(code);
    PyObject* const text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    if (text == NULL) return NULL;
    PyObject* const made = PyObject_CallFunctionObjArgs(type, text, NULL);
    Py_DECREF(text);
    if (made == NULL) return NULL;
    PyObject* const word = PyUnicode_FromString(eb_code_name(code));
    if (word == NULL || PyObject_SetAttrString(made, "code", word) < 0) {
        Py_XDECREF(word);
        Py_DECREF(made);
        return NULL;
    }
    Py_DECREF(word);
    PyErr_SetObject(type, made);
    Py_DECREF(made);
    return NULL;
}

PyObject* raise_error(const eb_error* error) { return raise_code(error->code, error->sentence); }
