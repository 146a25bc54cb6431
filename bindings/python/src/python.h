/* Python.h, restricted to the stable ABI of Python 3.11: one binary for that version and all later ones. */
#ifndef EVERBLOOM_PYTHON_H
#define EVERBLOOM_PYTHON_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

/* Python keeps functions as void*, which ISO C leaves to the system. */
#define AS_SLOT(function) (__extension__(void*)(function))
#define AS_FUNCTION(type, pointer) (__extension__(type)(pointer))

#endif
