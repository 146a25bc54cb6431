#include "array_keys.h"

#include "element_format.h"
#include "errors.h"
#include "object_keys.h"

#include <stdio.h>
#include <string.h>

static int64_t refuse(const char* sentence) {
    PyErr_SetString(PyExc_TypeError, sentence);
    return -1;
}

static int64_t refuse_numbers(void) {
    return refuse("an array of whole numbers, but the keys of this filter are bytes; make the filter with keys=int");
}

static int64_t refuse_format(const Py_buffer* view) {
    PyErr_Format(
        PyExc_TypeError,
        "an array whose elements have the format '%s' has no keys; keys are whole numbers of up to 64 bits, text (U), "
        "bytes (S, V) or objects",
        view->format == NULL ? "B" : view->format);
    return -1;
}

/* Arrays whose elements must be converted: their keys reach `act` through this use, in pieces, without the GIL. */
enum { converted_keys = 2048 };

typedef struct converting_use {
    key_use base;
    key_use* inner;
    const Py_buffer* view;
    element_format format;
} converting_use;

static const char* element_at(const converting_use* use, uint64_t index) {
    return (const char*)use->view->buf + (Py_ssize_t)index * use->view->strides[0];
}

static int convert_numbers(converting_use* use, eb_filter* filter, uint64_t first, uint64_t count, eb_error* error) {
    uint64_t numbers[converted_keys];
    for (uint64_t i = 0; i < count; ++i) numbers[i] = element_number(&use->format, element_at(use, first + i));
    const eb_keys keys = eb_u64_keys(numbers, count);
    return use->inner->act(use->inner, filter, &keys, first, error);
}

static int fail(eb_error* error, int code, const char* sentence) {
    error->code = code;
    snprintf(error->sentence, sizeof error->sentence, "%s", sentence);
    return code;
}

static int convert_text(converting_use* use, eb_filter* filter, uint64_t first, uint64_t count, char* room,
                        eb_error* error) {
    const void* pointers[converted_keys];
    size_t lengths[converted_keys];
    for (uint64_t i = 0; i < count; ++i) {
        const ptrdiff_t length = element_utf8(&use->format, element_at(use, first + i), room);
        if (length < 0) {
            char sentence[160];
            snprintf(sentence, sizeof sentence,
                     "key %llu: has a character that UTF-8 cannot represent (a surrogate, or no character at all)",
                     (unsigned long long)(first + i));
            return fail(error, EB_BAD_PARAMETER, sentence);
        }
        pointers[i] = room;
        lengths[i] = (size_t)length;
        room += length;
    }
    const eb_keys keys = eb_pointer_keys(pointers, lengths, count);
    return use->inner->act(use->inner, filter, &keys, first, error);
}

/* `keys` is only a number of keys here. */
static int convert_pieces(key_use* base, eb_filter* filter, const eb_keys* keys, uint64_t first, eb_error* error) {
    converting_use* const use = (converting_use*)base;
    (void)first;
    /* Fewer at a time if they are long, so that the room for their text has a limit. */
    uint64_t most = converted_keys;
    char* room = NULL;
    if (use->format.shape == element_text) {
        const size_t longest = element_most_utf8(&use->format);
        const size_t limit = 4 * 1024 * 1024;
        while (most > 1 && longest > limit / most) most /= 2;
        room = (char*)malloc(longest * most + 1);
        if (room == NULL) return fail(error, EB_OUT_OF_MEMORY, "not enough memory for the text of some keys");
    }
    int failed = 0;
    for (uint64_t done = 0; done < keys->count && failed == 0; done += most) {
        const uint64_t count = keys->count - done < most ? keys->count - done : most;
        failed = room == NULL ? convert_numbers(use, filter, done, count, error)
                              : convert_text(use, filter, done, count, room, error);
    }
    free(room);
    return failed;
}

static int prepare_inner(key_use* base, uint64_t first, uint64_t count) {
    key_use* const inner = ((converting_use*)base)->inner;
    return inner->prepare == NULL ? 0 : inner->prepare(inner, first, count);
}

static int64_t use_converted(filter_object* self, const Py_buffer* view, element_format format, key_use* inner) {
    converting_use use = {{prepare_inner, convert_pieces, inner->to_write}, inner, view, format};
    const eb_keys only_count = {EB_FIXED, 0, (uint64_t)view->shape[0], 0, 0, NULL, NULL};
    return use_piece(self, &only_count, 0, &use.base) < 0 ? -1 : (int64_t)only_count.count;
}

static int64_t use_as_it_is(filter_object* self, const Py_buffer* view, uint32_t shape, key_use* use) {
    const eb_keys keys = {shape,     0,   (uint64_t)view->shape[0], view->strides[0], (uint64_t)view->itemsize,
                          view->buf, NULL};
    return use_piece(self, &keys, 0, use) < 0 ? -1 : (int64_t)keys.count;
}

/* An array that numpy makes of one value by broadcasting has a stride of 0, which means something else to the C interface. */
static bool repeats_one(const Py_buffer* view) { return view->strides[0] == 0 && view->shape[0] > 1; }

int64_t use_array(filter_object* self, PyObject* array, const Py_buffer* view, key_use* use) {
    if (PyMemoryView_Check(array) && view->itemsize == 1 && self->key_type != EB_KEYS_U64) {
        return refuse("this is one key, but many keys are expected: add(key) takes one, [key] is a list of one");
    }
    if (view->ndim != 1) {
        PyErr_Format(PyExc_ValueError, "keys must be in an array of one dimension, not %d; array.ravel() makes one",
                     view->ndim);
        return -1;
    }
    if (view->suboffsets != NULL && view->suboffsets[0] >= 0) return refuse("keys must not lie behind pointers");
    element_format format;
    if (!read_element_format(view, &format)) return refuse_format(view);
    if (format.shape == element_object) return use_object_array(self, view, use);
    const bool numbers = self->key_type == EB_KEYS_U64;
    if (format.shape == element_number_shape) {
        if (!numbers) return refuse_numbers();
        const bool ready = format.bytes == 8 && !format.swapped && !repeats_one(view);
        return ready ? use_as_it_is(self, view, EB_U64, use) : use_converted(self, view, format, use);
    }
    if (numbers) {
        return refuse(
            "an array of text or bytes, but the keys of this filter are whole numbers; make the filter with keys=str");
    }
    if (repeats_one(view)) return refuse("an array that repeats one key (stride 0); copy it first");
    if (format.shape == element_text) {
        if (self->key_type != EB_KEYS_TEXT) {
            return refuse(
                "an array of text (U), but the keys of this filter are not text; give a list of str, or bytes (V)");
        }
        return use_converted(self, view, format, use);
    }
    if (self->key_type == EB_KEYS_IP &&
        (format.shape == element_padded || (view->itemsize != 4 && view->itemsize != 16))) {
        return refuse(
            "addresses have 4 or 16 bytes, of which numpy's S would drop zeros at the end; use a dtype of V4 or V16");
    }
    if (self->key_type == EB_KEYS_DOMAIN || self->key_type == EB_KEYS_CIDR) {
        return refuse("domain names and networks come as a list of str, not as an array of bytes");
    }
    return use_as_it_is(self, view, format.shape == element_padded ? EB_FIXED_PADDED : EB_FIXED, use);
}
