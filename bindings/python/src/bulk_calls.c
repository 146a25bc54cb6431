/* Calls for many keys: answers and outcomes arrive in a bytearray, one element per key. */
#include "errors.h"
#include "many_keys.h"

typedef int64_t (*bytes_function)(eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error);

/* A use of keys that leaves an element per key. */
typedef struct answering_use {
    key_use base;
    bytes_function ask;   /* for elements of one byte */
    size_t element_bytes; /* 1, or 8 for counts */
    PyObject* answers;    /* a bytearray, or NULL if nobody wants them */
    uint8_t* at;          /* its memory, while `act` runs */
    int64_t sum;
} answering_use;

static int make_room(key_use* base, uint64_t first, uint64_t count) {
    answering_use* const use = (answering_use*)base;
    if (use->answers == NULL) return 0;
    if (first + count > (uint64_t)PY_SSIZE_T_MAX / use->element_bytes) {
        PyErr_NoMemory();
        return -1;
    }
    const Py_ssize_t needed = (Py_ssize_t)((first + count) * use->element_bytes);
    if (PyByteArray_Size(use->answers) < needed && PyByteArray_Resize(use->answers, needed) < 0) return -1;
    use->at = (uint8_t*)PyByteArray_AsString(use->answers);
    return 0;
}

static int ask_bytes(key_use* base, eb_filter* filter, const eb_keys* keys, uint64_t first, eb_error* error) {
    answering_use* const use = (answering_use*)base;
    const int64_t found = use->ask(filter, keys, use->answers == NULL ? NULL : use->at + first, error);
    if (found < 0) return (int)-found;
    use->sum += found;
    return 0;
}

static int ask_counts(key_use* base, eb_filter* filter, const eb_keys* keys, uint64_t first, eb_error* error) {
    answering_use* const use = (answering_use*)base;
    const int64_t found = eb_count(filter, keys, (uint64_t*)(void*)use->at + first, error);
    return found < 0 ? (int)-found : 0;
}

/* Runs it. Returns the sum and the answers (a bytearray, or None), or NULL with an exception set. */
static PyObject* answer(PyObject* self, PyObject* keys, answering_use* use, bool wants_answers) {
    use->base.prepare = make_room;
    if (wants_answers) {
        use->answers = PyByteArray_FromStringAndSize(NULL, 0);
        if (use->answers == NULL) return NULL;
    }
    const int64_t count = use_keys((filter_object*)self, keys, &use->base);
    if (count < 0) {
        Py_XDECREF(use->answers);
        return NULL;
    }
    PyObject* const answers = use->answers == NULL ? Py_NewRef(Py_None) : use->answers;
    return Py_BuildValue("LLN", (long long)count, (long long)use->sum, answers);
}

static int64_t query(eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error) {
    return eb_query(filter, keys, answers, error);
}
static int64_t query_verified(eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error) {
    return eb_query_verified(filter, keys, answers, error);
}
static int64_t can_erase(eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error) {
    return eb_can_erase(filter, keys, answers, error);
}
/* (keys, verified, wants_answers) */
PyObject* filter_contains_many(PyObject* self, PyObject* args) {
    PyObject* keys = NULL;
    int verified = 0, wants_answers = 1;
    if (!PyArg_ParseTuple(args, "Opp", &keys, &verified, &wants_answers)) return NULL;
    answering_use use = {{NULL, ask_bytes, false}, verified ? query_verified : query, 1, NULL, NULL, 0};
    return answer(self, keys, &use, wants_answers);
}

/* (keys, only new ones, wants_answers) */
PyObject* filter_insert_many(PyObject* self, PyObject* args) {
    PyObject* keys = NULL;
    int only_new = 0, wants_answers = 1;
    if (!PyArg_ParseTuple(args, "Opp", &keys, &only_new, &wants_answers)) return NULL;
    answering_use use = {{NULL, ask_bytes, true}, only_new ? eb_insert_new : eb_insert, 1, NULL, NULL, 0};
    return answer(self, keys, &use, wants_answers);
}

/* (keys, dry run) */
PyObject* filter_erase_many(PyObject* self, PyObject* args) {
    PyObject* keys = NULL;
    int dry_run = 0;
    if (!PyArg_ParseTuple(args, "Op", &keys, &dry_run)) return NULL;
    answering_use use = {{NULL, ask_bytes, !dry_run}, dry_run ? can_erase : eb_erase, 1, NULL, NULL, 0};
    return answer(self, keys, &use, true);
}

PyObject* filter_count_many(PyObject* self, PyObject* keys) {
    answering_use use = {{NULL, ask_counts, false}, NULL, sizeof(uint64_t), NULL, NULL, 0};
    return answer(self, keys, &use, true);
}
