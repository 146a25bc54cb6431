"""Arguments that make no sense: an exception in words."""

import unittest

import everbloom
from everbloom import Filter, FilterError, _everbloom


class ArgumentTest(unittest.TestCase):
    def test_options(self):
        for wrong in (
            {"capacity": 0}, {"capacity": -1}, {"capacity": 2**64}, {"capacity": 1.5}, {"capacity": float("nan")},
            {"capacity": float("inf")}, {"fpr": 0}, {"fpr": 1}, {"fpr": -0.1}, {"fpr": float("nan")}, {"kind": "blom"}, {"kind": "?"},
            {"hash": "md5"}, {"hash_key": b"short"}, {"keys": float}, {"keys": "words"}, {"parameters": {"bits": -1}},
            {"parameters": {"nothing": 1}}, {"parameters": {"bits": "a b"}}, {"removed": -1}, {"growth": float("nan")},
            {"churn": float("inf")}, {"negatives": -1}, {"kind": "a\0b"},
        ):  # fmt: skip
            with self.subTest(str(wrong)), self.assertRaises((ValueError, OverflowError)):
                Filter(**{"capacity": 100, **wrong})
        for wrong in ({"capacity": "many"}, {"capacity": None}, {"fpr": None}, {"kind": 5}, {"nothing": 1}, {"hash_key": "text"}):
            with self.subTest(str(wrong)), self.assertRaises(TypeError):
                Filter(**{"capacity": 100, **wrong})
        with self.assertRaises(TypeError):
            Filter()
        with self.assertRaises((FilterError, MemoryError)):
            Filter(2**63, 1e-9, kind="bloom")
        self.assertEqual(Filter(1e6, kind="bloom").capacity, 1_000_000)

    def test_the_inner_class_is_not_made(self):
        with self.assertRaisesRegex(TypeError, "everbloom.Filter"):
            _everbloom.FilterBase()

    def test_wrong_arguments_of_the_inner_methods(self):
        f = Filter(10)
        for name in dir(_everbloom.FilterBase):
            if not name.startswith("_") or name.startswith("__"):
                continue
            method = getattr(f, name)
            for arguments in ((), (None,), (object(), object()), (object(),) * 3):
                with self.subTest(f"{name}{arguments}"):
                    try:
                        method(*arguments)
                    except (TypeError, ValueError):
                        pass
                    if f.closed:
                        f = Filter(10)
                        break

    def test_keys_of_the_wrong_type(self):
        f = Filter(10)
        for wrong in (5, 1.5, None, [], {}, object(), float("nan"), 1j, {"a"}, ("a", 1.5), ("a", None), ("a", [])):
            for call in (f.__contains__, f.add, f.insert, f.erase, f.remove, f.discard, f.can_erase):
                with self.assertRaises(TypeError):
                    call(wrong)
        with self.assertRaises(OverflowError):
            f.add(("a", 2**64))
        with self.assertRaises(UnicodeEncodeError):
            f.add(("\ud800",))
        with self.assertRaisesRegex(ValueError, "contiguous"):
            f.add(memoryview(b"abcdef")[::2])
        deep = ()
        for _ in range(100_000):
            deep = (deep,)
        with self.assertRaises(RecursionError):
            f.add(deep)
        while deep:  # taken apart here: freeing it in one go is deep, too
            deep = deep[0]
        self.assertEqual(len(f), 0)

    def test_objects_that_misbehave(self):
        class Raises:
            def __index__(self):
                raise LookupError("from inside")

        class Lies:
            def __index__(self):
                return "text"

        class Packed:
            @property
            def packed(self):
                raise LookupError("from inside")

        f = Filter(10, keys=int)
        with self.assertRaises(LookupError):
            f.add(Raises())
        with self.assertRaises(LookupError):
            f.update([1, Raises()])
        with self.assertRaises(TypeError):
            f.add(Lies())
        with self.assertRaises(LookupError):
            Filter(10, keys="ip").add(Packed())

    def test_a_filter_that_closes_itself_while_its_key_is_read(self):
        f = Filter(10, keys=int)

        class Closes:
            def __index__(self):
                f.close()
                return 1

        with self.assertRaisesRegex(FilterError, "closed"):
            f.add(Closes())
        f = Filter(10, keys=int)
        with self.assertRaisesRegex(FilterError, "closed"):
            f.update([1, Closes()])

    def test_the_laboratory(self):
        for wrong in (
            lambda: everbloom.plan(0),
            lambda: everbloom.plan("many"),
            lambda: everbloom.plan(100, 2),
            lambda: everbloom.plan(100, float("nan")),
            lambda: everbloom.model("nothing", None, 5),
            lambda: everbloom.model("bloom"),
            lambda: everbloom.model("bloom", {"bits": 10, "nothing": 1}, 5),
            lambda: everbloom.model("bloom", {"bits": 64}, {"items": 5, "nothing": 1}),
            lambda: everbloom.simulate("bloom"),
            lambda: everbloom.simulate("bloom", {"bits": 64, "hashes": 1}, items=5, threads=-1),
            lambda: everbloom.simulate("bloom", {"bits": 64, "hashes": 1}, items=10**15),
        ):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            everbloom.plan()

    def test_census_limits(self):
        for slices, values in ((0, 1), (1, 0), (2**20, 1), (1, 2**33)):
            with self.assertRaises((ValueError, OverflowError)):
                Filter(10).census(slices, values)


class LaboratoryTest(unittest.TestCase):
    def test_models_and_simulation_agree(self):
        geometry = {"bits": 8192, "hashes": 5}
        found = everbloom.simulate("bloom", geometry, items=800, trials=4, queries=20_000, seed=3)
        self.assertAlmostEqual(found["fpr_model"], everbloom.fpr("bloom", geometry, 800))
        self.assertLess(abs(found["fpr"]["mean"] / found["fpr_model"] - 1), 0.5)
        again = everbloom.simulate("bloom", geometry, items=800, trials=4, queries=20_000, seed=3, threads=1)
        self.assertEqual(found, again)

    def test_models_of_removal(self):
        share = everbloom.model("deletable", None, 1000, fpr=0.01)
        self.assertTrue(0 < share["deletability"] < 1)
        self.assertIsNone(everbloom.model("bloom", None, 1000, fpr=0.01)["deletability"])
        geometry = everbloom.model("dleft", None, 1000, fpr=0.01)["parameters"]
        self.assertEqual(everbloom.refusal("dleft", geometry, 1000), everbloom.model("dleft", geometry, 1000)["refusal"])
        self.assertEqual(everbloom.deletability("dleft", geometry, {"items": 1000, "removed": 0.5}), 1)

    def test_plan(self):
        planned = everbloom.plan(1e6, 0.01, removed=0)
        self.assertTrue(planned["candidates"][0]["kind"] in everbloom.kinds())
        self.assertTrue(all(one["why"] for one in planned["dropped"]))
        self.assertEqual(Filter(1000, 0.01).kind, everbloom.plan(1000, 0.01)["candidates"][0]["kind"])
        self.assertIsNotNone(everbloom.plan("1M", "0.1%", removed=0, memory_bytes=1_000_000)["lowest_fpr"])


if __name__ == "__main__":
    unittest.main()
