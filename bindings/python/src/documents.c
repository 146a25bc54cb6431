/* Facts about filters and kinds, and the laboratory: documents of JSON, which the Python part reads. */
#include "documents.h"

#include "errors.h"
#include "filter_object.h"

/* Asks with a buffer of this size first; most documents fit. */
enum { usual_bytes = 8192 };

/* What is asked for a document. Runs without the GIL. */
typedef struct question {
    int64_t (*ask)(struct question* what, char* buffer, size_t size, eb_error* error);
    const eb_filter* filter;
    const char* request;
    uint32_t slices;
    uint32_t values;
    size_t first_bytes;
} question;

static PyObject* document_of(question* what) {
    size_t size = what->first_bytes == 0 ? usual_bytes : what->first_bytes;
    while (true) {
        char* const buffer = (char*)malloc(size);
        if (buffer == NULL) return PyErr_NoMemory();
        eb_error error;
        int64_t length = 0;
        Py_BEGIN_ALLOW_THREADS length = what->ask(what, buffer, size, &error);
        Py_END_ALLOW_THREADS PyObject* const made = length < 0 ? raise_error(&error)
                                                    : (size_t)length < size
                                                        ? PyUnicode_DecodeUTF8(buffer, (Py_ssize_t)length, "strict")
                                                        : NULL;
        free(buffer);
        if (length < 0 || (size_t)length < size) return made;
        size = (size_t)length + 1;
    }
}

static PyObject* document_about(PyObject* self, question* what) {
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    what->filter = filter->filter;
    PyObject* const made = document_of(what);
    filter_leave(filter, false);
    return made;
}

static int64_t ask_stats(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_stats(what->filter, buffer, size, error);
}
static int64_t ask_description(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_describe(what->filter, buffer, size, error);
}
static int64_t ask_census(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_census(what->filter, what->slices, what->values, buffer, size, error);
}
static int64_t ask_kinds(question* what, char* buffer, size_t size, eb_error* error) {
    (void)what;
    return eb_kinds(buffer, size, error);
}
static int64_t ask_plan(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_plan(what->request, buffer, size, error);
}
static int64_t ask_model(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_model(what->request, buffer, size, error);
}
static int64_t ask_simulation(question* what, char* buffer, size_t size, eb_error* error) {
    return eb_simulate(what->request, buffer, size, error);
}

PyObject* filter_stats(PyObject* self, PyObject* nothing) {
    (void)nothing;
    question what = {ask_stats, NULL, NULL, 0, 0, 0};
    return document_about(self, &what);
}

PyObject* filter_describe(PyObject* self, PyObject* nothing) {
    (void)nothing;
    question what = {ask_description, NULL, NULL, 0, 0, 0};
    return document_about(self, &what);
}

/* (slices, values) */
PyObject* filter_census(PyObject* self, PyObject* args) {
    question what = {ask_census, NULL, NULL, 0, 0, 0};
    unsigned slices = 0, values = 0;
    if (!PyArg_ParseTuple(args, "II", &slices, &values)) return NULL;
    what.slices = slices;
    what.values = values;
    return document_about(self, &what);
}

PyObject* module_kinds(PyObject* module, PyObject* nothing) {
    (void)module;
    (void)nothing;
    question what = {ask_kinds, NULL, NULL, 0, 0, 65536};
    return document_of(&what);
}

static PyObject* answer_request(PyObject* text, question* what) {
    what->request = PyUnicode_AsUTF8AndSize(text, NULL);
    return what->request == NULL ? NULL : document_of(what);
}

PyObject* module_plan(PyObject* module, PyObject* request) {
    (void)module;
    question what = {ask_plan, NULL, NULL, 0, 0, 0};
    return answer_request(request, &what);
}
PyObject* module_model(PyObject* module, PyObject* request) {
    (void)module;
    question what = {ask_model, NULL, NULL, 0, 0, 0};
    return answer_request(request, &what);
}
PyObject* module_simulate(PyObject* module, PyObject* request) {
    (void)module;
    question what = {ask_simulation, NULL, NULL, 0, 0, EB_SIMULATION_BYTES};
    return answer_request(request, &what);
}

/* kind, key type, hash, capacity, target FPR, memory in bytes, capabilities, can insert_new: none of them reads a cell. */
PyObject* filter_facts(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    const eb_filter* const from = filter->filter;
    PyObject* const made = Py_BuildValue("siiKdKIi", eb_kind(from), eb_key_type_of(from), eb_hash_of(from),
                                         (unsigned long long)eb_capacity(from), eb_target_fpr(from),
                                         (unsigned long long)eb_memory_bytes(from), (unsigned)eb_capabilities(from),
                                         eb_can_insert_new(from));
    filter_leave(filter, false);
    return made;
}

PyObject* filter_key_count(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    int64_t count = 0;
    Py_BEGIN_ALLOW_THREADS count = eb_key_count(filter->filter, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    return count < 0 ? raise_error(&error) : PyLong_FromLongLong(count);
}

PyObject* filter_current_fpr(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    double fpr = 0;
    Py_BEGIN_ALLOW_THREADS fpr = eb_current_fpr(filter->filter, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    return fpr < 0 ? raise_error(&error) : PyFloat_FromDouble(fpr);
}

PyObject* filter_identity(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    uint64_t identity = 0;
    int code = EB_OK;
    Py_BEGIN_ALLOW_THREADS code = eb_identity(filter->filter, &identity, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    return code != EB_OK ? raise_error(&error) : PyLong_FromUnsignedLongLong(identity);
}

PyObject* filter_hash_key(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    uint8_t key[16];
    eb_error error;
    const int code = eb_hash_key_of(filter->filter, key, &error);
    filter_leave(filter, false);
    return code != EB_OK ? raise_error(&error) : PyBytes_FromStringAndSize((const char*)key, sizeof key);
}
