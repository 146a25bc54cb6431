"""Makes every allocation of an operation fail, one after the other. Run by test_memory.py, with failing_malloc preloaded.

An operation ends with a MemoryError, another exception of ours, or a right answer; afterwards no member is missing.
"""

import ctypes
import sys
import tempfile

from everbloom import ArrowKeys, Filter, FilterError, _everbloom, fpr, plan, simulate
from array import array

malloc = ctypes.CDLL(None)
fail_at, has_failed = malloc.fail_at, malloc.has_failed
fail_at.argtypes, has_failed.restype = [ctypes.c_long], ctypes.c_int

MEMBERS = [f"member {i}" for i in range(200)]
OTHERS = [f"other {i}" for i in range(200)]
BYTES = [key.encode() for key in OTHERS]
UTF = ["Zo\u00eb %d" % i for i in range(50)]
KEY = bytes(16)
folder = tempfile.mkdtemp()


def fresh(kind):
    return Filter.of(MEMBERS, 0.01, capacity=500, kind=kind, hash_key=KEY, negatives=300)


CHANGE = ("add", "update", "erase_many", "merge", "resize", "protect", "sync", "utf8")


def sweep(name, kind, operation, most=100_000):
    failures = 0
    f = fresh(kind)
    for n in range(1, most):
        if name.startswith(CHANGE):
            f = fresh(kind)
        error = None
        try:
            fail_at(n)
            operation(f)
        except BaseException as caught:
            error = caught
        failed = has_failed()
        if error is not None and not isinstance(error, (MemoryError, FilterError, OSError)):
            raise AssertionError(f"{name}, {kind}, allocation {n}: {type(error).__name__}: {error}") from error
        if error is not None and not failed:
            raise error
        if not f.closed and name not in ("erase_many", "sync"):
            missing = len(MEMBERS) - f.count_contained(MEMBERS)
            if missing:
                raise AssertionError(f"{name}, {kind}, allocation {n}: {missing} members are missing")
        failures += failed
        if not failed:
            return failures
    return failures


def same(f):
    return fresh(f.kind)


OPERATIONS = {
    "make": lambda f: Filter(500, 0.01, kind=f.kind),
    "contains": lambda f: "member 1" in f,
    "contains_tuple": lambda f: ("a", 5, b"c") in f,
    "contains_bytearray": lambda f: bytearray(b"abc") in f,
    "add": lambda f: f.add("new"),
    "update_list": lambda f: f.update(OTHERS),
    "update_generator": lambda f: f.update(key for key in OTHERS),
    "update_bytes": lambda f: f.update(tuple(BYTES)),
    "update_arrow": lambda f: f.update(ArrowKeys(b"annabert", array("i", [0, 4, 8]))),
    "contains_many": lambda f: f._contains_many(OTHERS, False, True),
    "contains_many_bytearrays": lambda f: f._contains_many([bytearray(key) for key in BYTES], False, True),
    "clone": lambda f: f.copy(),
    "to_bytes": lambda f: f.to_bytes(),
    "load": lambda f: Filter.load(f.to_bytes()),
    "save": lambda f: f.save(f"{folder}/f.eb"),
    "open": lambda f: Filter.open(f"{folder}/g.eb"),
    "map": lambda f: Filter.map(f"{folder}/g.eb"),
    "protect": lambda f: f.protect(OTHERS),
    "stats": lambda f: f.stats(),
    "describe": lambda f: f._describe(),
    "html": lambda f: f._repr_html_(),
    "equals": lambda f: f._equals(f),
}
BY_KIND = {
    "count": ("count_many", "count", lambda f: f._count_many(MEMBERS)),
    "erase": ("erase_many", "erase", lambda f: f._erase_many(MEMBERS[:50], False)),
    "merge": ("merge", "merge", lambda f: f._merge(f.other)),
    "resize": ("resize", "resize", lambda f: f.resize(capacity=900)),
}


def main():
    fresh("bloom").save(f"{folder}/g.eb")
    total = 0
    for kind in sys.argv[1:]:
        fresh(kind).save(f"{folder}/g.eb")
        for name, operation in OPERATIONS.items():
            total += sweep(name, kind, operation)
        able = fresh(kind).capabilities
        for capability, (name, _, operation) in BY_KIND.items():
            if capability in able and capability != "merge":
                total += sweep(name, kind, operation)
        if "merge" in able:
            other = fresh(kind)
            total += sweep("merge", kind, lambda f: f.update(other))
        total += sweep("sync", kind, lambda f: f.sync(MEMBERS, MEMBERS[100:] + OTHERS[:50]))
    total += sweep("utf8", "bloom", lambda f: f.update(UTF))
    total += sweep("shards", "bloom", lambda f: _everbloom.shards(["Zo\u00eb %d" % i for i in range(9)], 7))
    total += sweep("plan", "bloom", lambda f: plan(1000, 0.01, removed=0))
    total += sweep("model", "bloom", lambda f: fpr("bloom", {"bits": 1024, "hashes": 3}, 100))
    total += sweep("simulate", "bloom", lambda f: simulate("bloom", {"bits": 1024, "hashes": 3}, items=50, trials=1, queries=100, threads=1))
    print(f"{total} allocations failed")


main()
