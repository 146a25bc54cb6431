#include "object_keys.h"

#include "one_key.h"

/* Keys per piece. Objects lie anywhere in memory, so that each may need a page of its own: with more of them, the processor has forgotten
   where the first are (its TLB has one or two thousand entries) before their bytes are hashed. Giving back the GIL and taking it again
   costs nothing beside 512 keys. */
enum { piece_keys = 512 };

/* Objects further on in a list are prefetched, header and first characters, which makes a list twice as fast. */
enum { prefetch_distance = 32 };

static inline void prefetch(const PyObject* object) {
    __builtin_prefetch(object, 1); /* its reference count will be changed */
    __builtin_prefetch((const char*)object + 64);
}

/* Where objects come from. `next` returns a new reference, or NULL at the end, or NULL with an exception set. */
typedef struct object_source {
    PyObject* (*next)(struct object_source* source);
    PyObject* from;        /* list, tuple or iterator */
    const Py_buffer* view; /* or array */
    Py_ssize_t at;
    Py_ssize_t count; /* known, or -1 */
} object_source;

static PyObject* next_of_list(object_source* source) {
    /* Asked each time: the list may have become shorter when we did not hold the GIL. */
    const Py_ssize_t count = PyList_Size(source->from);
    if (source->at >= count) return NULL;
    if (count - source->at > prefetch_distance) prefetch(PyList_GetItem(source->from, source->at + prefetch_distance));
    PyObject* const object = PyList_GetItem(source->from, source->at++);
    Py_XINCREF(object);
    return object;
}

static PyObject* next_of_tuple(object_source* source) {
    if (source->at >= source->count) return NULL;
    if (source->count - source->at > prefetch_distance) {
        prefetch(PyTuple_GetItem(source->from, source->at + prefetch_distance));
    }
    PyObject* const object = PyTuple_GetItem(source->from, source->at++);
    Py_XINCREF(object);
    return object;
}

static PyObject* array_element(const object_source* source, Py_ssize_t index) {
    PyObject* object = NULL;
    memcpy(&object, (const char*)source->view->buf + index * source->view->strides[0], sizeof object);
    return object;
}

static PyObject* next_of_array(object_source* source) {
    if (source->at >= source->count) return NULL;
    if (source->count - source->at > prefetch_distance) prefetch(array_element(source, source->at + prefetch_distance));
    PyObject* object = array_element(source, source->at++);
    if (object == NULL) object = Py_None; /* as numpy sees it */
    Py_INCREF(object);
    return object;
}

static PyObject* next_of_iterator(object_source* source) { return PyIter_Next(source->from); }

/* Objects of a piece, and where their bytes are. */
typedef struct object_piece {
    size_t room;
    size_t count;
    PyObject** objects;
    const void** pointers; /* or numbers: both have eight bytes */
    size_t* lengths;
    arena copies;
} object_piece;

static int piece_init(object_piece* piece, size_t room, bool numbers) {
    memset(piece, 0, sizeof *piece);
    piece->room = room;
    const size_t slot = sizeof(PyObject*) + (numbers ? sizeof(uint64_t) : sizeof(void*) + sizeof(size_t));
    char* const memory = (char*)malloc(room * slot);
    if (memory == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    piece->objects = (PyObject**)memory;
    piece->pointers = (const void**)(memory + room * sizeof(PyObject*));
    piece->lengths = (size_t*)(memory + room * (sizeof(PyObject*) + sizeof(void*)));
    return 0;
}

static void piece_clear(object_piece* piece) {
    for (size_t i = 0; i < piece->count; ++i) Py_DECREF(piece->objects[i]);
    piece->count = 0;
    arena_reset(&piece->copies);
}

static void piece_free(object_piece* piece) {
    piece_clear(piece);
    arena_free(&piece->copies);
    free(piece->objects);
}

/* Says which key it was. The type of the exception stays. */
static void name_position(uint64_t position) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
        return;
    }
    if (PyErr_ExceptionMatches(PyExc_UnicodeError)) return; /* has five arguments, and names the character */
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject* const text = value == NULL ? NULL : PyObject_Str(value);
    PyObject* const named =
        text == NULL ? NULL : PyUnicode_FromFormat("key %llu: %U", (unsigned long long)position, text);
    PyObject* const args = named == NULL ? NULL : PyTuple_Pack(1, named);
    if (args == NULL || PyObject_SetAttrString(value, "args", args) < 0) PyErr_Clear(); /* then without */
    Py_XDECREF(args);
    Py_XDECREF(named);
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
}

/* Fills the piece. Returns 0, or -1 with an exception set. */
static int piece_fill(object_piece* piece, const filter_object* self, object_source* source, uint64_t first) {
    uint64_t* const numbers = (uint64_t*)piece->pointers;
    const bool is_number = self->key_type == EB_KEYS_U64;
    while (piece->count < piece->room) {
        PyObject* const object = source->next(source);
        if (object == NULL) return PyErr_Occurred() ? -1 : 0;
        const size_t at = piece->count++;
        piece->objects[at] = object;
        one_key key;
        int done = one_key_read_plain(self, object, &key);
        if (done == 0) done = one_key_read(self, object, &piece->copies, &key) < 0 ? -1 : 1;
        if (done < 0) {
            name_position(first + at);
            return -1;
        }
        if (is_number) {
            numbers[at] = key.number;
        } else {
            piece->pointers[at] = key.data;
            piece->lengths[at] = key.bytes;
        }
    }
    return 0;
}

static int64_t use_source(filter_object* self, object_source* source, key_use* use) {
    object_piece piece;
    const bool small = source->count >= 0 && source->count < piece_keys;
    if (piece_init(&piece, small ? (size_t)source->count + 1 : piece_keys, self->key_type == EB_KEYS_U64) < 0)
        return -1;
    uint64_t used = 0;
    bool failed = false;
    while (!failed) {
        failed = piece_fill(&piece, self, source, used) < 0;
        if (failed || piece.count == 0) break;
        const eb_keys keys = self->key_type == EB_KEYS_U64
                                 ? eb_u64_keys((const uint64_t*)piece.pointers, piece.count)
                                 : eb_pointer_keys(piece.pointers, piece.lengths, piece.count);
        failed = use_piece(self, &keys, used, use) < 0;
        used += piece.count;
        piece_clear(&piece);
    }
    piece_free(&piece);
    return failed ? -1 : (int64_t)used;
}

int64_t use_objects(filter_object* self, PyObject* keys, key_use* use) {
    if (PyList_Check(keys)) {
        object_source source = {next_of_list, keys, NULL, 0, PyList_Size(keys)};
        return use_source(self, &source, use);
    }
    if (PyTuple_Check(keys)) {
        object_source source = {next_of_tuple, keys, NULL, 0, PyTuple_Size(keys)};
        return use_source(self, &source, use);
    }
    PyObject* const iterator = PyObject_GetIter(keys);
    if (iterator == NULL) return -1;
    object_source source = {next_of_iterator, iterator, NULL, 0, -1};
    const int64_t used = use_source(self, &source, use);
    Py_DECREF(iterator);
    return used;
}

int64_t use_object_array(filter_object* self, const Py_buffer* view, key_use* use) {
    object_source source = {next_of_array, NULL, view, 0, view->shape[0]};
    return use_source(self, &source, use);
}
