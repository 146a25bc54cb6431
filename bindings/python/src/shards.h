/* shards: which part of a spread filter a key belongs to (docs/cluster.md): functions of the module. */
#ifndef EVERBLOOM_PYTHON_SHARDS_H
#define EVERBLOOM_PYTHON_SHARDS_H

#include "python.h"

/* (key, number of shards): an int. */
PyObject* module_shard(PyObject* module, PyObject* args);
/* (list of keys, number of shards): a bytes object with a uint32 per key, in the machine's byte order. */
PyObject* module_shards(PyObject* module, PyObject* args);

#endif
