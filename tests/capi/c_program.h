/* What the tests call of the files that are compiled as C. */
#ifndef EVERBLOOM_TESTS_C_PROGRAM_H
#define EVERBLOOM_TESTS_C_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char* use_the_header_from_c(void);

/* Checks the vector file at `path`. Returns the number of filters that agree, or -1 with a sentence in `wrong`. */
long check_vectors_from_c(const char* path, char* wrong, size_t size);

#ifdef __cplusplus
}
#endif

#endif
