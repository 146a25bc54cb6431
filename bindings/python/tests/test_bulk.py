"""Bulk calls: the same answers whatever holds the keys."""

import array
import collections
import subprocess
import sys
import unittest

from everbloom import ArrowKeys, EraseOutcome, Filter, FilterError, InsertOutcome
from everbloom import columns

try:
    import numpy as np
except ImportError:
    np = None

try:
    import pandas as pd
except ImportError:
    pd = None

KEY = bytes(16)


def numbers(**options):
    return Filter(50_000, 1e-6, keys=int, hash_key=KEY, **options)


def texts(**options):
    return Filter(50_000, 1e-6, hash_key=KEY, **options)


class IterableTest(unittest.TestCase):
    def test_every_iterable_makes_the_same_filter(self):
        keys = list(range(20_000))  # more than a piece
        want = numbers()
        for key in keys:
            want.add(key)
        for given in (keys, tuple(keys), iter(keys), range(20_000), (k for k in keys), dict.fromkeys(keys), collections.deque(keys),
                      array.array("Q", keys), array.array("i", keys), memoryview(array.array("q", keys))):  # fmt: skip
            with self.subTest(type(given).__name__):
                f = numbers()
                f.update(given)
                self.assertEqual(f, want)

    def test_answers_are_in_order(self):
        f = texts()
        f.update(f"{i}" for i in range(0, 20_000, 2))
        answers = f.contains_many([f"{i}" for i in range(20_000)])
        self.assertEqual([bool(a) for a in answers], [i % 2 == 0 for i in range(20_000)])
        self.assertEqual(f.count_contained(f"{i}" for i in range(20_000)), 10_000)

    def test_nothing(self):
        f = texts()
        for nothing in ([], (), iter([]), {}, array.array("Q")):
            if isinstance(nothing, array.array):
                f = numbers()
            f.update(nothing)
            self.assertEqual(len(f.contains_many(nothing)), 0)
        self.assertEqual(len(f), 0)
        self.assertEqual(len(Filter.of([])), 0)

    def test_erasing_many(self):
        f = numbers()
        f.update(range(10_000))
        outcomes = f.erase_many(range(9_990, 10_010))
        self.assertEqual([EraseOutcome(int(o)) for o in outcomes], [EraseOutcome.REMOVED] * 10 + [EraseOutcome.NOT_PRESENT] * 10)
        self.assertEqual(len(f), 9_990)
        self.assertEqual(sum(int(o) == EraseOutcome.REMOVED for o in f.can_erase_many(range(20_000))), 9_990)
        self.assertEqual([int(o) for o in f.insert_many([1, 20_000])].count(InsertOutcome.NOT_WRITABLE), 0)

    def test_a_bad_key_is_named(self):
        f = texts()
        with self.assertRaisesRegex(TypeError, "key 2: int is no key"):
            f.update(["a", "b", 3])
        with self.assertRaisesRegex(TypeError, "key 1: NoneType.*missing"):
            f.contains_many(["a", None])
        with self.assertRaisesRegex(OverflowError, r"key 1: .*2\*\*64"):
            numbers().update([1, 2**64])
        with self.assertRaises(UnicodeEncodeError):
            f.update(["a", "\udc80"])
        with self.assertRaises(UnicodeEncodeError):
            "\udc80" in f

    def test_an_iterator_that_raises(self):
        def keys():
            yield "anna"
            raise LookupError("from inside")

        with self.assertRaisesRegex(LookupError, "from inside"):
            texts().update(keys())

    def test_a_list_that_changes_while_it_is_read(self):
        class Shrinks:
            def __init__(self, owner):
                self.owner = owner

            def __index__(self):
                self.owner.clear()
                return 7

        keys = []
        keys.extend([1, Shrinks(keys), 3, 4])
        f = numbers()
        f.update(keys)
        self.assertTrue(1 in f and 7 in f and 3 not in f)

    def test_one_key_is_not_many(self):
        for one in ("anna", b"anna", bytearray(b"anna"), memoryview(b"anna")):
            with self.assertRaisesRegex(TypeError, "one key"):
                texts().update(one)
        with self.assertRaises(TypeError):
            texts().update(5)

    def test_addresses_and_hex(self):
        import ipaddress

        f = Filter(10, 1e-6, keys="ip")
        f.update(["10.0.0.1", ipaddress.ip_address("::1"), bytes([192, 168, 0, 0])])
        for same in (bytes([10, 0, 0, 1]), ipaddress.ip_address("10.0.0.1"), "::1", "192.168.0.0"):
            self.assertIn(same, f)
        for wrong in ("10.0.0", b"abc", ("10.0.0.1",)):
            with self.assertRaises((ValueError, TypeError)):
                wrong in f
        h = Filter.of(["00ff", b"\x01"], keys=bytes)
        self.assertTrue(b"\x00\xff" in h and "01" in h)
        with self.assertRaises(ValueError):
            "xyz" in h

    def test_arrow(self):
        data, ends = b"annabertcarla", [0, 4, 8, 13]
        for code in "iq":
            f = Filter.of(ArrowKeys(data, array.array(code, ends)))
            self.assertTrue("anna" in f and "carla" in f)
            part = Filter.of(ArrowKeys(data, array.array(code, ends), 1, 1), 1e-6)
            self.assertTrue("bert" in part and "anna" not in part)
        f = Filter.of(["anna"], 1e-6)
        self.assertEqual([bool(a) for a in f.contains_many(ArrowKeys(data, array.array("i", ends)))], [True, False, False])
        for wrong in ([0, 4, 3], [0, 99], [-1, 4]):
            with self.assertRaises(ValueError):
                f.contains_many(ArrowKeys(data, array.array("i", wrong)))
            with self.assertRaises(ValueError):
                f.protect(ArrowKeys(data, array.array("i", wrong)))
        for wrong in (array.array("I", ends), array.array("d", [0.0]), b"abc"):
            with self.assertRaises(TypeError):
                ArrowKeys(data, wrong)
        for first, count in ((9, None), (-1, None), (0, 9), (0, -1)):
            with self.assertRaises(ValueError):
                ArrowKeys(data, array.array("i", ends), first, count)
        with self.assertRaises(ValueError):
            f.update(ArrowKeys(b"", array.array("i", [0, 4])))
        self.assertEqual(f.protect(ArrowKeys(data, array.array("i", ends), 1))["negatives"], 2)

    def test_columns_of_arrow_by_their_shape(self):
        class Column:  # as pyarrow.Array
            null_count, offset, type = 0, 1, "string"

            def __len__(self):
                return 2

            def buffers(self):
                return [None, array.array("i", [0, 4, 8, 13]).tobytes(), b"annabertcarla"]

        f = Filter.of(Column())
        self.assertTrue("bert" in f and "carla" in f and len(f) == 2)
        missing = Column()
        missing.null_count = 3
        with self.assertRaisesRegex(TypeError, "3 missing"):
            f.update(missing)

    def test_without_numpy_answers_are_lists(self):
        code = (
            "import sys; sys.modules['numpy'] = None\n"
            "from everbloom import *\n"
            "f = Filter.of(['anna'], 1e-9, kind='counting')\n"
            "assert f.contains_many(['anna', 'b']) == [True, False]\n"
            "assert f.count_many(['anna', 'b']) == [1, 0]\n"
            "assert f.erase_many(['anna']) == [EraseOutcome.REMOVED]\n"
            "assert f.insert_many(['anna']) == [InsertOutcome.INSERTED]\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@unittest.skipIf(np is None, "numpy is not installed")
class NumpyTest(unittest.TestCase):
    def test_integers_of_every_width_and_order(self):
        want = numbers()
        want.update(range(100))
        for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", ">u2", ">i4", ">u8", "<i8"):
            with self.subTest(kind):
                f = numbers()
                f.update(np.arange(100).astype(kind))
                self.assertEqual(f, want)
        f = numbers()
        f.update(np.array([-1, -128], dtype="i1"))
        self.assertTrue(-1 in f and 2**64 - 128 in f)

    def test_strides(self):
        keys = np.arange(10_000, dtype=np.uint64)
        for view in (keys[::3], keys[::-1], keys.reshape(100, 100)[:, 5], np.broadcast_to(np.uint64(7), 10), keys[::2].astype("S5")):
            f = texts() if view.dtype.kind == "S" else numbers()
            f.update(view)
            self.assertTrue(f.contains_many(view).all())
            self.assertTrue(f.contains_many(np.ascontiguousarray(view)).all())
            self.assertEqual(len(f), len(view))
        packed = np.zeros(10, dtype=[("a", "u1"), ("b", "u8")])  # not aligned
        packed["b"] = np.arange(10)
        f = numbers()
        f.update(packed["b"])
        self.assertEqual(len(f), 10)

    def test_text_of_fixed_width(self):
        words = ["", "a", "Zoë", "🌸", "a\0b", "longer than all others"]
        f = texts()
        f.update(words)
        for given in (np.array(words), np.array(words).astype(np.array(words).dtype.newbyteorder()), np.array(words, dtype=object),
                      np.array([w.encode() for w in words])):  # fmt: skip
            self.assertTrue(f.contains_many(given).all(), given.dtype)
            self.assertEqual(Filter.of(given, hash_key=KEY, capacity=50_000, fpr=1e-6), f)

    def test_long_text_of_fixed_width(self):
        words = np.array(["x" * 100_000 + str(i) for i in range(50)])
        f = texts()
        f.update(words)
        self.assertIn("x" * 100_000 + "49", f)

    def test_void_keeps_zeros(self):
        keys = np.frombuffer(b"ab\0\0cd\0\0", dtype="V4")
        f = Filter.of(keys, keys=bytes)
        self.assertTrue(b"ab\0\0" in f and b"ab" not in f)
        ips = Filter.of(np.frombuffer(bytes([10, 0, 0, 0]), dtype="V4"), keys="ip")
        self.assertIn("10.0.0.0", ips)
        with self.assertRaisesRegex(TypeError, "V4"):
            ips.update(np.array([b"abcd"]))

    def test_scalars_are_keys(self):
        f = numbers()
        f.add(np.uint64(5))
        f.add(np.int32(-1))
        self.assertTrue(5 in f and np.int8(5) in f and 2**64 - 1 in f)
        t = texts()
        t.add(np.str_("anna"))
        self.assertIn(np.bytes_(b"anna"), t)
        for wrong in (np.float64(1), np.uint8(1), np.array(b"anna")):
            with self.assertRaises(TypeError):
                t.add(wrong)

    def test_what_is_no_key(self):
        for wrong in (np.array([1.0]), np.array([np.nan]), np.array([1j]), np.array([[1]]), np.zeros(1, dtype="u4,u4"),
                      np.array(["2020"], dtype="M8[Y]"), np.array(["a"]), np.array([None]), np.array(5)):  # fmt: skip
            with self.subTest(str(wrong.dtype)), self.assertRaises((TypeError, ValueError)):
                numbers().update(wrong)
        with self.assertRaises(TypeError):
            texts().update(np.arange(3))
        bad = np.array(["ab", "\ud800"])
        with self.assertRaisesRegex(ValueError, "key 1.*UTF-8"):
            texts().update(bad)

    def test_answers_are_arrays_that_can_be_changed(self):
        answers = texts().contains_many(["anna"])
        self.assertEqual(answers.dtype, np.bool_)
        answers[0] = True

    def test_protect_and_sync_take_columns(self):
        f = Filter.of(np.arange(1000), 0.2, kind="bloom")
        self.assertEqual(f.protect(np.arange(1000, 1500)[::2])["negatives"], 250)
        g = Filter.of(np.array(["a", "b"]))
        self.assertEqual(g.sync(np.array(["a", "b"]), np.array([b"b", b"c"]))["inserted"], 1)

    def test_series_by_their_shape(self):
        class Series:
            def to_numpy(self):
                return np.array(["anna", "bert"], dtype=object)

        self.assertIn("bert", Filter.of(Series()))
        self.assertIs(columns.numpy_or_none(), np)


@unittest.skipIf(pd is None, "pandas is not installed")
class PandasTest(unittest.TestCase):
    def test_columns(self):
        frame = pd.DataFrame({"id": [1, 2, 3], "name": ["anna", "bert", "anna"], "share": [0.5, None, 1]})
        self.assertTrue(Filter.of(frame["id"]).contains_many(frame["id"]).all())
        names = Filter.of(frame["name"])
        self.assertEqual(len(names), 3)
        self.assertEqual(frame[names.contains_many(frame["name"])].shape[0], 3)
        self.assertTrue(names.contains_many(frame["name"].astype("category")).all())
        self.assertTrue(names.contains_many(frame["name"].astype("string")).all())
        with self.assertRaises(TypeError):
            Filter.of(frame["share"])
        with self.assertRaisesRegex(TypeError, "missing"):
            names.update(pd.Series(["anna", None]))


if __name__ == "__main__":
    unittest.main()
