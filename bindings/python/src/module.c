/*
 * The extension module everbloom._everbloom: the C interface of everbloom, as Python sees it.
 *
 * Written in C and not in C++ on purpose. A daemon thread that comes back from a bulk call while the interpreter ends is ended inside
 * Py_END_ALLOW_THREADS; in C nothing is unwound there that would touch Python objects without the GIL.
 */
#include "arrow_keys.h"
#include "documents.h"
#include "errors.h"
#include "filter_object.h"
#include "shards.h"

static PyMethodDef functions[] = {
    {"kinds", module_kinds, METH_NOARGS, NULL},
    {"plan", module_plan, METH_O, NULL},
    {"model", module_model, METH_O, NULL},
    {"simulate", module_simulate, METH_O, NULL},
    {"shard", module_shard, METH_VARARGS, NULL},
    {"shards", module_shards, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Types and locks belong to the one interpreter of the process, whose GIL the locks rely on. */
static int check_interpreter(void) {
    static PyInterpreterState* only = NULL;
    PyInterpreterState* const here = PyInterpreterState_Get();
    if (only == NULL) only = here;
    if (only == here) return 0;
    PyErr_SetString(PyExc_ImportError, "everbloom can be used in one interpreter of a process only");
    return -1;
}

static int fill_module(PyObject* module) {
    if (check_interpreter() < 0 || watch_forks() < 0) return -1;
    if (add_errors(module) < 0 || add_filter_base(module) < 0 || add_arrow_keys(module) < 0) return -1;
    if (PyModule_AddStringConstant(module, "version", eb_version()) < 0) return -1;
    PyObject* const inserts = PyList_New(0);
    PyObject* const erasures = PyList_New(0);
    int done = inserts == NULL || erasures == NULL ? -1 : 0;
    for (int outcome = 0; done == 0 && outcome <= EB_NOT_WRITABLE; ++outcome) {
        PyObject* const name = PyUnicode_FromString(eb_insert_outcome_name(outcome));
        done = name == NULL ? -1 : PyList_Append(inserts, name);
        Py_XDECREF(name);
    }
    for (int outcome = 0; done == 0 && outcome <= EB_CANNOT_ERASE; ++outcome) {
        PyObject* const name = PyUnicode_FromString(eb_erase_outcome_name(outcome));
        done = name == NULL ? -1 : PyList_Append(erasures, name);
        Py_XDECREF(name);
    }
    if (done == 0) done = PyModule_AddObjectRef(module, "insert_outcomes", inserts);
    if (done == 0) done = PyModule_AddObjectRef(module, "erase_outcomes", erasures);
    Py_XDECREF(inserts);
    Py_XDECREF(erasures);
    return done;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, AS_SLOT(fill_module)},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_everbloom",
    "The inner part of the package everbloom.",
    0,
    functions,
    slots,
    NULL,
    NULL,
    NULL,
};

__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__everbloom(void);

PyMODINIT_FUNC PyInit__everbloom(void) { return PyModuleDef_Init(&definition); }
