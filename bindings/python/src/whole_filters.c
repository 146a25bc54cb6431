/* Calls for whole filters, or with all keys at once: copying, exporting, merging, resizing, known negatives, following a list. All of them release
   the GIL. */
#include "collected_keys.h"
#include "errors.h"

/* A filter as an argument; NULL with an exception set if it is none. */
static filter_object* as_filter(PyObject* object) {
    if (PyObject_TypeCheck(object, filter_base_type)) return (filter_object*)object;
    PyErr_SetString(PyExc_TypeError, "another everbloom.Filter is expected");
    return NULL;
}

typedef int (*combination)(eb_filter* filter, const eb_filter* other, eb_error* error);

static PyObject* combine(PyObject* self, PyObject* object, combination how) {
    filter_object* const filter = (filter_object*)self;
    filter_object* const other = as_filter(object);
    if (other == NULL || check_open(filter) < 0) return NULL;
    if (other == filter) Py_RETURN_NONE; /* the union of a set with itself is the set */
    if (lock_enter_both(&filter->lock, true, &other->lock) < 0) return NULL;
    eb_error error;
    int code = -1;
    if (check_open(filter) == 0 && check_open(other) == 0) {
        Py_BEGIN_ALLOW_THREADS code = how(filter->filter, other->filter, &error);
        Py_END_ALLOW_THREADS
    }
    lock_leave_both(&filter->lock, true, &other->lock);
    if (code == EB_OK) Py_RETURN_NONE;
    return code < 0 ? NULL : raise_error(&error);
}

PyObject* filter_merge(PyObject* self, PyObject* other) { return combine(self, other, eb_merge); }
PyObject* filter_intersect(PyObject* self, PyObject* other) { return combine(self, other, eb_intersect); }

PyObject* filter_equals(PyObject* self, PyObject* object) {
    filter_object* const filter = (filter_object*)self;
    filter_object* const other = as_filter(object);
    if (other == NULL || check_open(filter) < 0) return NULL;
    if (other == filter) Py_RETURN_TRUE;
    if (lock_enter_both(&filter->lock, false, &other->lock) < 0) return NULL;
    eb_error error;
    int equal = -1;
    const bool is_open = check_open(filter) == 0 && check_open(other) == 0;
    if (is_open) {
        Py_BEGIN_ALLOW_THREADS equal = eb_equal(filter->filter, other->filter, &error);
        Py_END_ALLOW_THREADS
    }
    lock_leave_both(&filter->lock, false, &other->lock);
    if (!is_open) return NULL;
    return equal < 0 ? raise_error(&error) : PyBool_FromLong(equal);
}

PyObject* filter_clone(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    eb_filter* made = NULL;
    Py_BEGIN_ALLOW_THREADS made = eb_clone(filter->filter, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    return made == NULL ? raise_error(&error) : filter_object_wrap(Py_TYPE(self), made);
}

/* (fpr, kind or None) */
PyObject* filter_export(PyObject* self, PyObject* args) {
    double fpr = 0;
    const char* kind = NULL;
    if (!PyArg_ParseTuple(args, "dz", &fpr, &kind)) return NULL;
    filter_object* const filter = (filter_object*)self;
    if (filter_enter(filter, false) < 0) return NULL;
    eb_error error;
    eb_filter* made = NULL;
    Py_BEGIN_ALLOW_THREADS made = eb_export_as(filter->filter, fpr, kind, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, false);
    return made == NULL ? raise_error(&error) : filter_object_wrap(Py_TYPE(self), made);
}

/* Calls `CALL`, which returns a code, on an entered filter; returns None or raises. */
#define CHANGE(CALL)                                                                                                   \
    do {                                                                                                               \
        if (filter_enter(filter, true) < 0) return NULL;                                                               \
        eb_error error;                                                                                                \
        int code = EB_OK;                                                                                              \
        Py_BEGIN_ALLOW_THREADS code = CALL;                                                                            \
        Py_END_ALLOW_THREADS filter_leave(filter, true);                                                               \
        if (code != EB_OK) return raise_error(&error);                                                                 \
    } while (0)

PyObject* filter_clear(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    CHANGE(eb_clear(filter->filter, &error));
    Py_RETURN_NONE;
}

PyObject* filter_drop_exclusions(PyObject* self, PyObject* nothing) {
    (void)nothing;
    filter_object* const filter = (filter_object*)self;
    CHANGE(eb_drop_exclusions(filter->filter, &error));
    Py_RETURN_NONE;
}

/* (capacity, fpr, bytes); 0 leaves a number as it is */
PyObject* filter_resize(PyObject* self, PyObject* args) {
    filter_object* const filter = (filter_object*)self;
    eb_resize_options options = EB_RESIZE_INIT;
    unsigned long long capacity = 0, bytes = 0;
    if (!PyArg_ParseTuple(args, "KdK", &capacity, &options.fpr, &bytes)) return NULL;
    options.capacity = capacity;
    options.bytes = bytes;
    CHANGE(eb_resize(filter->filter, &options, &error));
    Py_RETURN_NONE;
}

static PyObject* erase_collected(filter_object* filter, const collected_keys* members) {
    const eb_keys keys = collected_as_keys(filter, members);
    if (filter_enter(filter, true) < 0) return NULL;
    eb_error error;
    int64_t removed = 0;
    Py_BEGIN_ALLOW_THREADS removed = eb_erase_members(filter->filter, &keys, &error);
    Py_END_ALLOW_THREADS filter_leave(filter, true);
    return removed < 0 ? raise_error(&error) : PyLong_FromLongLong(removed);
}

/* All of them in one call: the dry run must see every key before the first one is removed. */
PyObject* filter_erase_members(PyObject* self, PyObject* object) {
    filter_object* const filter = (filter_object*)self;
    collected_keys keys;
    PyObject* const made = collect_keys(filter, object, &keys) < 0 ? NULL : erase_collected(filter, &keys);
    collected_free(&keys);
    return made;
}

static PyObject* build_collected(filter_object* filter, const collected_keys* collected) {
    const eb_keys keys = collected_as_keys(filter, collected);
    CHANGE(eb_build(filter->filter, &keys, &error));
    Py_RETURN_NONE;
}

PyObject* filter_build(PyObject* self, PyObject* object) {
    filter_object* const filter = (filter_object*)self;
    collected_keys keys;
    PyObject* const made = collect_keys(filter, object, &keys) < 0 ? NULL : build_collected(filter, &keys);
    collected_free(&keys);
    return made;
}

static PyObject* as_dict(const eb_protection* found) {
    return Py_BuildValue("{sK,sK,sK,sK}", "negatives", (unsigned long long)found->negatives, "false_positives_before",
                         (unsigned long long)found->false_positives_before, "false_positives_after",
                         (unsigned long long)found->false_positives_after, "members_lost",
                         (unsigned long long)found->members_lost);
}

static PyObject* exclude_collected(filter_object* filter, const collected_keys* negatives) {
    const eb_keys keys = collected_as_keys(filter, negatives);
    eb_protection found = {0, 0, 0, 0};
    CHANGE(eb_exclude(filter->filter, &keys, &found, &error));
    return as_dict(&found);
}

PyObject* filter_exclude(PyObject* self, PyObject* negatives) {
    filter_object* const filter = (filter_object*)self;
    collected_keys keys;
    PyObject* const made = collect_keys(filter, negatives, &keys) < 0 ? NULL : exclude_collected(filter, &keys);
    collected_free(&keys);
    return made;
}

static PyObject* protect_collected(filter_object* filter, const collected_keys* members,
                                   const collected_keys* negatives, uint32_t flags) {
    const eb_keys in_it = collected_as_keys(filter, members);
    const eb_keys not_in_it = collected_as_keys(filter, negatives);
    eb_protection found = {0, 0, 0, 0};
    CHANGE(eb_protect(filter->filter, &in_it, &not_in_it, flags, &found, &error));
    return as_dict(&found);
}

/* (members, negatives, may lose members) */
PyObject* filter_protect(PyObject* self, PyObject* args) {
    filter_object* const filter = (filter_object*)self;
    PyObject *members = NULL, *negatives = NULL;
    int may_lose = 0;
    if (!PyArg_ParseTuple(args, "OOp", &members, &negatives, &may_lose)) return NULL;
    collected_keys in_it, not_in_it;
    PyObject* made = NULL;
    if (collect_keys(filter, members, &in_it) == 0) {
        if (collect_keys(filter, negatives, &not_in_it) == 0) {
            made = protect_collected(filter, &in_it, &not_in_it, may_lose ? EB_MAY_LOSE_MEMBERS : 0);
        }
        collected_free(&not_in_it);
    }
    collected_free(&in_it);
    return made;
}

static PyObject* sync_collected(filter_object* filter, const collected_keys* before, const collected_keys* after,
                                uint64_t undeletable) {
    const eb_keys old_list = collected_as_keys(filter, before);
    const eb_keys new_list = collected_as_keys(filter, after);
    eb_list_update found;
    CHANGE(eb_sync(filter->filter, &old_list, &new_list, undeletable, &found, &error));
    return Py_BuildValue("{sK,sK,sK,sO,ss}", "inserted", (unsigned long long)found.inserted, "removed",
                         (unsigned long long)found.removed, "undeletable", (unsigned long long)found.undeletable,
                         "rebuilt", found.rebuilt != 0 ? Py_True : Py_False, "why", found.why);
}

/* (before, after, undeletable) */
PyObject* filter_sync(PyObject* self, PyObject* args) {
    filter_object* const filter = (filter_object*)self;
    PyObject *before = NULL, *after = NULL;
    unsigned long long undeletable = 0;
    if (!PyArg_ParseTuple(args, "OOK", &before, &after, &undeletable)) return NULL;
    collected_keys old_list, new_list;
    PyObject* made = NULL;
    if (collect_keys(filter, before, &old_list) == 0) {
        if (collect_keys(filter, after, &new_list) == 0)
            made = sync_collected(filter, &old_list, &new_list, undeletable);
        collected_free(&new_list);
    }
    collected_free(&old_list);
    return made;
}
