/* Documents that need no filter: functions of the module. */
#ifndef EVERBLOOM_PYTHON_DOCUMENTS_H
#define EVERBLOOM_PYTHON_DOCUMENTS_H

#include "python.h"

PyObject* module_kinds(PyObject* module, PyObject* nothing);
PyObject* module_plan(PyObject* module, PyObject* request);
PyObject* module_model(PyObject* module, PyObject* request);
PyObject* module_simulate(PyObject* module, PyObject* request);

#endif
