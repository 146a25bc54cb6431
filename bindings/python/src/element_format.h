/* element_format: what a format string of the module struct, with numpy's additions, says about the elements of an array. */
#ifndef EVERBLOOM_PYTHON_ELEMENT_FORMAT_H
#define EVERBLOOM_PYTHON_ELEMENT_FORMAT_H

#include "python.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum element_shape {
    element_number_shape, /* a whole number */
    element_padded,       /* bytes, NULs at the end are padding: S */
    element_bytes,        /* bytes: V */
    element_text,         /* characters of 32 bits, NULs at the end are padding: U */
    element_object        /* pointers to objects: O */
} element_shape;

typedef struct element_format {
    element_shape shape;
    size_t bytes;
    bool is_signed;
    bool swapped; /* not the byte order of this machine */
} element_format;

/* False if there are no keys in such an array. */
bool read_element_format(const Py_buffer* view, element_format* format);

/* An element as a number of 64 bits; negative ones as two's complement. */
uint64_t element_number(const element_format* format, const char* element);

/* An element of text as UTF-8, written to `room`, which has element_most_utf8 bytes. Returns the number of bytes, or -1 if it cannot be
   represented. */
ptrdiff_t element_utf8(const element_format* format, const char* element, char* room);
size_t element_most_utf8(const element_format* format);

#endif
