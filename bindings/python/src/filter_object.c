#include "filter_object.h"

#include "errors.h"

PyTypeObject* filter_base_type = NULL;

PyObject* filter_object_wrap(PyTypeObject* type, eb_filter* filter) {
    filter_object* const made = (filter_object*)PyType_GenericAlloc(type, 0);
    if (made == NULL) {
        eb_free(filter);
        return NULL;
    }
    made->filter = filter;
    made->key_type = eb_key_type_of(filter);
    lock_init(&made->lock);
    return (PyObject*)made;
}

int check_open(const filter_object* self) {
    if (self->filter != NULL) return 0;
    raise_code(EB_BAD_PARAMETER, "this filter is closed");
    return -1;
}

int filter_enter(filter_object* self, bool to_write) {
    if (lock_enter(&self->lock, to_write) < 0) return -1;
    /* Only now: somebody may have closed it while we waited. */
    if (check_open(self) == 0) return 0;
    lock_leave(&self->lock, to_write);
    return -1;
}

/* A filter of gigabytes is given back to the system without the GIL. */
static void free_filter(eb_filter* filter) {
    Py_BEGIN_ALLOW_THREADS eb_free(filter);
    Py_END_ALLOW_THREADS
}

static void filter_dealloc(PyObject* self) {
    filter_object* const filter = (filter_object*)self;
    PyTypeObject* const type = Py_TYPE(self);
    eb_free(filter->filter); /* not without the GIL: while the interpreter ends, it might not be given back */
    lock_destroy(&filter->lock);
    freefunc release = AS_FUNCTION(freefunc, PyType_GetSlot(type, Py_tp_free));
    release(self);
    Py_DECREF(type);
}

static PyObject* filter_close(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter->filter == NULL) Py_RETURN_NONE;
    if (lock_enter(&filter->lock, true) < 0) return NULL;
    eb_filter* const old = filter->filter;
    filter->filter = NULL;
    lock_leave(&filter->lock, true);
    free_filter(old);
    Py_RETURN_NONE;
}

static PyObject* filter_is_closed(PyObject* self, void* nothing) {
    (void)nothing;
    return PyBool_FromLong(((filter_object*)self)->filter == NULL);
}

/* The class is made by everbloom.Filter only, which has the arguments and their documentation. */
static PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* names) {
    (void)type;
    (void)args;
    (void)names;
    PyErr_SetString(PyExc_TypeError, "FilterBase is the inner part of everbloom.Filter; make one of those");
    return NULL;
}

static PyMethodDef methods[] = {
    {"add", filter_add, METH_O, NULL},
    {"_insert", filter_insert, METH_O, NULL},
    {"_erase", filter_erase, METH_O, NULL},
    {"_contains_many", filter_contains_many, METH_VARARGS, NULL},
    {"_insert_many", filter_insert_many, METH_VARARGS, NULL},
    {"_erase_many", filter_erase_many, METH_VARARGS, NULL},
    {"_erase_members", filter_erase_members, METH_O, NULL},
    {"_count_many", filter_count_many, METH_O, NULL},
    {"_merge", filter_merge, METH_O, NULL},
    {"_intersect", filter_intersect, METH_O, NULL},
    {"_equals", filter_equals, METH_O, NULL},
    {"_clone", filter_clone, METH_NOARGS, NULL},
    {"_export", filter_export, METH_VARARGS, NULL},
    {"_build", filter_build, METH_O, NULL},
    {"_clear", filter_clear, METH_NOARGS, NULL},
    {"_resize", filter_resize, METH_VARARGS, NULL},
    {"_exclude", filter_exclude, METH_O, NULL},
    {"_drop_exclusions", filter_drop_exclusions, METH_NOARGS, NULL},
    {"_protect", filter_protect, METH_VARARGS, NULL},
    {"_sync", filter_sync, METH_VARARGS, NULL},
    {"_save", filter_save, METH_O, NULL},
    {"_to_bytes", filter_to_bytes, METH_NOARGS, NULL},
    {"_make", filter_make, METH_VARARGS | METH_CLASS, NULL},
    {"_open", filter_open, METH_O | METH_CLASS, NULL},
    {"_map", filter_map, METH_VARARGS | METH_CLASS, NULL},
    {"_from_bytes", filter_from_bytes, METH_O | METH_CLASS, NULL},
    {"_stats", filter_stats, METH_NOARGS, NULL},
    {"_describe", filter_describe, METH_NOARGS, NULL},
    {"_census", filter_census, METH_VARARGS, NULL},
    {"_facts", filter_facts, METH_NOARGS, NULL},
    {"_key_count", filter_key_count, METH_NOARGS, NULL},
    {"_current_fpr", filter_current_fpr, METH_NOARGS, NULL},
    {"_identity", filter_identity, METH_NOARGS, NULL},
    {"_hash_key", filter_hash_key, METH_NOARGS, NULL},
    {"_close", filter_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"closed", filter_is_closed, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, AS_SLOT(filter_new)},
    {Py_tp_dealloc, AS_SLOT(filter_dealloc)},
    {Py_sq_contains, AS_SLOT(filter_contains)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "everbloom._everbloom.FilterBase",
    .basicsize = sizeof(filter_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

int add_filter_base(PyObject* module) {
    filter_base_type = (PyTypeObject*)PyType_FromSpec(&spec);
    if (filter_base_type == NULL) return -1;
    return PyModule_AddObjectRef(module, "FilterBase", (PyObject*)filter_base_type);
}
