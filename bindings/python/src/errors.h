/* Errors: codes and sentences of the C interface become exceptions. */
#ifndef EVERBLOOM_PYTHON_ERRORS_H
#define EVERBLOOM_PYTHON_ERRORS_H

#include "python.h"

#include <everbloom.h>

/* everbloom.FilterError, a ValueError with an attribute `code`. */
extern PyObject* filter_error_type;

/* Makes the exception class and adds it to the module. Returns 0, or -1 with an exception set. */
int add_errors(PyObject* module);

/* Sets the exception for this error. Always returns NULL. */
PyObject* raise_error(const eb_error* error);

/* Sets a FilterError, or whatever suits the code. Always returns NULL. */
PyObject* raise_code(int code, const char* sentence);

#endif
