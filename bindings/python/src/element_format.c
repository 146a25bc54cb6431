#include "element_format.h"

#include <ctype.h>
#include <string.h>

static bool is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

bool read_element_format(const Py_buffer* view, element_format* format) {
    const char* text = view->format == NULL ? "B" : view->format;
    format->bytes = (size_t)view->itemsize;
    format->is_signed = false;
    format->swapped = false;
    if (*text == '@' || *text == '=' || *text == '<' || *text == '>' || *text == '!') {
        if (*text == '<') format->swapped = !is_little_endian();
        if (*text == '>' || *text == '!') format->swapped = is_little_endian();
        ++text;
    }
    const bool has_count = isdigit((unsigned char)*text) != 0; /* of characters; the size of an element says the same */
    while (isdigit((unsigned char)*text)) ++text;
    if (text[0] == '\0' || text[1] != '\0') return false;
    switch (*text) {
    case 's': format->shape = element_padded; return true;
    case 'x': format->shape = element_bytes; return true;
    case 'w': format->shape = element_text; return format->bytes % 4 == 0;
    case 'O': format->shape = element_object; return !has_count && format->bytes == sizeof(PyObject*);
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': format->is_signed = true; break;
    case '?':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': break;
    default: return false;
    }
    format->shape = element_number_shape;
    return !has_count && (format->bytes == 1 || format->bytes == 2 || format->bytes == 4 || format->bytes == 8);
}

static uint64_t sign_extend(uint64_t value, size_t bytes) {
    const unsigned shift = (unsigned)(64 - 8 * bytes);
    return shift == 0 ? value : (uint64_t)((int64_t)(value << shift) >> shift);
}

uint64_t element_number(const element_format* format, const char* element) {
    unsigned char bytes[8] = {0};
    memcpy(bytes, element, format->bytes);
    const bool little = is_little_endian() != format->swapped;
    uint64_t value = 0;
    for (size_t i = 0; i < format->bytes; ++i) {
        const size_t at = little ? format->bytes - 1 - i : i;
        value = value << 8 | bytes[at];
    }
    return format->is_signed ? sign_extend(value, format->bytes) : value;
}

size_t element_most_utf8(const element_format* format) { return format->bytes; /* four bytes per character at most */ }

static uint32_t character(const element_format* format, const char* at) {
    uint32_t value = 0;
    memcpy(&value, at, sizeof value);
    return format->swapped ? __builtin_bswap32(value) : value;
}

ptrdiff_t element_utf8(const element_format* format, const char* element, char* room) {
    size_t count = format->bytes / 4;
    while (count > 0 && character(format, element + 4 * (count - 1)) == 0) --count;
    unsigned char* to = (unsigned char*)room;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t c = character(format, element + 4 * i);
        if (c < 0x80) {
            *to++ = (unsigned char)c;
        } else if (c < 0x800) {
            *to++ = (unsigned char)(0xC0 | c >> 6);
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            if (c >= 0xD800 && c < 0xE000) return -1;
            *to++ = (unsigned char)(0xE0 | c >> 12);
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        } else {
            if (c > 0x10FFFF) return -1;
            *to++ = (unsigned char)(0xF0 | c >> 18);
            *to++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        }
    }
    return (char*)to - room;
}
