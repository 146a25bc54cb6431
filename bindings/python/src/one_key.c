#include "one_key.h"

#include "errors.h"

#include <string.h>

static const char* type_name(const filter_object* self) {
    switch (self->key_type) {
    case EB_KEYS_U64: return "int (key type u64)";
    case EB_KEYS_IP: return "addresses (key type ip)";
    case EB_KEYS_HEX: return "bytes (key type hex)";
    case EB_KEYS_DOMAIN: return "domain names (key type domain)";
    case EB_KEYS_CIDR: return "addresses and networks (key type cidr)";
    default: return "str or bytes (key type text)";
    }
}

/* "an int is no key of this filter, whose keys are ..."; with advice where there is some. */
static int refuse(const filter_object* self, PyObject* object) {
    PyObject* const name = PyType_GetName(Py_TYPE(object));
    if (name == NULL) return -1;
    const char* advice = "";
    if (PyFloat_Check(object)) {
        advice = "; floating-point numbers are never keys, because equal ones may have different bytes: round them to "
                 "int, or use "
                 "str; a missing value (NaN) has to be dropped";
    } else if (object == Py_None) {
        advice = "; drop missing values first";
    } else if (PyIndex_Check(object)) {
        advice = "; make the filter with keys=int for whole numbers";
    } else if (PyUnicode_Check(object) || PyBytes_Check(object)) {
        advice = "; make the filter with keys=str for text";
    }
    PyErr_Format(PyExc_TypeError, "%U is no key of this filter, whose keys are %s%s", name, type_name(self), advice);
    Py_DECREF(name);
    return -1;
}

static int copy_bytes(const void* data, size_t bytes, arena* copies, one_key* key) {
    void* const room = arena_take(copies, bytes);
    if (room == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (bytes != 0) memcpy(room, data, bytes);
    key->data = room;
    key->bytes = bytes;
    return 0;
}

static int read_number(PyObject* object, uint64_t* number) {
    PyObject* const whole = PyNumber_Index(object);
    if (whole == NULL) return -1;
    *number = PyLong_AsUnsignedLongLong(whole);
    if (*number == UINT64_MAX && PyErr_Occurred()) {
        /* Negative, or too large; a failure of another sort fails again. */
        PyErr_Clear();
        *number = (uint64_t)PyLong_AsLongLong(whole);
        if (*number == UINT64_MAX && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
                PyErr_SetString(PyExc_OverflowError,
                                "a key must be an int from -2**63 to 2**64 - 1, because keys have 64 "
                                "bits; use str for larger ones");
            }
            Py_DECREF(whole);
            return -1;
        }
    }
    Py_DECREF(whole);
    return 0;
}

/* A key as the command line reads it. */
static int read_text(const filter_object* self, const char* text, size_t bytes, arena* copies, one_key* key) {
    /* A name stays as long as it is; an address becomes 17 bytes at most. */
    const size_t room = bytes + 17;
    void* const made = arena_take(copies, room);
    if (made == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    eb_error error;
    const int64_t length = eb_key_from_text(self->key_type, text, bytes, made, room, &error);
    if (length < 0) {
        raise_error(&error);
        return -1;
    }
    if ((uint64_t)length > room) {
        PyErr_SetString(PyExc_SystemError, "everbloom: a key is longer than its text");
        return -1;
    }
    key->data = made;
    key->bytes = (size_t)length;
    return 0;
}

/* A str of a filter of hex, ip, domain or cidr. */
static int read_spelling(const filter_object* self, PyObject* object, arena* copies, one_key* key) {
    Py_ssize_t bytes = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(object, &bytes);
    return text == NULL ? -1 : read_text(self, text, (size_t)bytes, copies, key);
}

static int check_address(const filter_object* self, const one_key* key) {
    const size_t more = self->key_type == EB_KEYS_CIDR ? 1 : 0; /* the length of the prefix */
    if ((self->key_type != EB_KEYS_IP && more == 0) || key->bytes == 4 + more || key->bytes == 16 + more) return 0;
    PyErr_Format(PyExc_ValueError, "%s has %zu or %zu bytes, not %zu", more == 0 ? "an address" : "a network", 4 + more,
                 16 + more, key->bytes);
    return -1;
}

/* Bytes of an object with the buffer protocol. Copied, because a bytearray may change when we do not look. */
static int read_buffer(const filter_object* self, PyObject* object, arena* copies, one_key* key) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_ND) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_BufferError)) return -1;
        PyErr_Clear();
        PyErr_SetString(PyExc_ValueError, "a key of bytes must be contiguous; bytes(key) makes a contiguous copy");
        return -1;
    }
    const bool is_bytes = view.ndim == 1 && view.itemsize == 1 &&
                          (view.format == NULL || (strchr("Bbc", view.format[0]) != NULL && view.format[1] == '\0'));
    const int done = is_bytes ? copy_bytes(view.buf, (size_t)view.len, copies, key) : refuse(self, object);
    PyBuffer_Release(&view);
    return done;
}

static int read_bytes(const filter_object* self, PyObject* object, arena* copies, one_key* key);

/* Tuples as in C++: each element's bytes after their number, eight bytes, little-endian. A number is eight bytes. */
static int read_tuple(const filter_object* self, PyObject* tuple, arena* copies, one_key* key) {
    if (Py_EnterRecursiveCall(" in a key that is a tuple")) return -1;
    const Py_ssize_t count = PyTuple_Size(tuple);
    one_key* const parts = (one_key*)arena_take(copies, ((size_t)count + 1) * sizeof(one_key) + sizeof(void*));
    one_key* aligned = NULL;
    int done = -1;
    size_t bytes = 0;
    if (parts == NULL) {
        PyErr_NoMemory();
        goto leave;
    }
    aligned = (one_key*)(((uintptr_t)parts + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const element = PyTuple_GetItem(tuple, i);
        one_key* const part = aligned + i;
        if (PyIndex_Check(element)) {
            if (read_number(element, &part->number) < 0) goto leave;
            unsigned char little[8];
            for (int b = 0; b < 8; ++b) little[b] = (unsigned char)(part->number >> (8 * b));
            if (copy_bytes(little, sizeof little, copies, part) < 0) goto leave;
        } else if (PyUnicode_Check(element)) {
            Py_ssize_t length = 0;
            part->data = PyUnicode_AsUTF8AndSize(element, &length);
            part->bytes = (size_t)length;
            if (part->data == NULL) goto leave;
        } else if (read_bytes(self, element, copies, part) < 0) {
            goto leave;
        }
        if (part->bytes > (size_t)PTRDIFF_MAX - bytes - 8) {
            PyErr_NoMemory();
            goto leave;
        }
        bytes += 8 + part->bytes;
    }
    {
        unsigned char* to = (unsigned char*)arena_take(copies, bytes);
        if (to == NULL) {
            PyErr_NoMemory();
            goto leave;
        }
        key->data = to;
        key->bytes = bytes;
        for (Py_ssize_t i = 0; i < count; ++i) {
            for (int b = 0; b < 8; ++b) *to++ = (unsigned char)((uint64_t)aligned[i].bytes >> (8 * b));
            if (aligned[i].bytes != 0) memcpy(to, aligned[i].data, aligned[i].bytes);
            to += aligned[i].bytes;
        }
    }
    done = 0;
leave:
    Py_LeaveRecursiveCall();
    return done;
}

/* Whatever is bytes in the same way everywhere. */
static int read_bytes(const filter_object* self, PyObject* object, arena* copies, one_key* key) {
    if (PyBytes_Check(object)) {
        key->data = PyBytes_AsString(object);
        key->bytes = (size_t)PyBytes_Size(object);
        return 0;
    }
    if (PyTuple_Check(object) && self->key_type != EB_KEYS_IP) return read_tuple(self, object, copies, key);
    /* Numbers of numpy have the buffer protocol, too. */
    if (!PyIndex_Check(object) && !PyFloat_Check(object) && PyObject_CheckBuffer(object)) {
        return read_buffer(self, object, copies, key);
    }
    return refuse(self, object);
}

/* ipaddress.IPv4Address and IPv6Address. Returns 1, 0 if it is something else, or -1 with an exception set. */
static int read_packed(PyObject* object, arena* copies, one_key* key) {
    PyObject* const packed = PyObject_GetAttrString(object, "packed");
    if (packed == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
        PyErr_Clear();
        return 0;
    }
    int done = 0;
    if (PyBytes_Check(packed)) {
        done = copy_bytes(PyBytes_AsString(packed), (size_t)PyBytes_Size(packed), copies, key) < 0 ? -1 : 1;
    }
    Py_DECREF(packed);
    return done;
}

int one_key_read(const filter_object* self, PyObject* object, arena* copies, one_key* key) {
    if (self->key_type == EB_KEYS_U64) {
        return PyIndex_Check(object) ? read_number(object, &key->number) : refuse(self, object);
    }
    if (PyUnicode_Check(object)) {
        if (self->key_type != EB_KEYS_TEXT) return read_spelling(self, object, copies, key);
        Py_ssize_t bytes = 0;
        key->data = PyUnicode_AsUTF8AndSize(object, &bytes);
        key->bytes = (size_t)bytes;
        return key->data == NULL ? -1 : 0;
    }
    if (self->key_type == EB_KEYS_IP) {
        const int packed = read_packed(object, copies, key);
        if (packed != 0) return packed < 0 ? -1 : check_address(self, key);
    }
    if (read_bytes(self, object, copies, key) < 0) return -1;
    /* The bytes of a name may be in upper case; they are text of one byte a character. */
    if (self->key_type == EB_KEYS_DOMAIN) return read_text(self, key->data, key->bytes, copies, key);
    return check_address(self, key);
}
