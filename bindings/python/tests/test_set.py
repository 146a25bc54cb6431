"""A filter is used like a set."""

import copy
import pickle
import unittest
import weakref

from everbloom import EraseOutcome, Filter, FilterError, InsertOutcome, kinds
from everbloom import _everbloom

KEY = bytes(range(16))


class SetTest(unittest.TestCase):
    def test_added_keys_are_in_it_and_others_are_not(self):
        f = Filter(1000, 1e-6, hash_key=KEY)
        for i in range(500):
            f.add(f"key {i}")
        self.assertTrue(all(f"key {i}" in f for i in range(500)))
        self.assertFalse(any(f"other {i}" in f for i in range(500)))

    def test_every_kind_takes_keys(self):
        for name in kinds():
            with self.subTest(name):
                f = Filter.of([f"key {i}" for i in range(300)], 0.01, capacity=500, kind=name, negatives=10)
                self.assertTrue(all(f.contains_many([f"key {i}" for i in range(300)])))
                self.assertEqual(f.kind, name)

    def test_a_smaller_copy_has_every_key_or_is_refused_in_words(self):
        names = [f"key {i}" for i in range(3000)]
        for kind in kinds():
            with self.subTest(kind):
                f = Filter.of(names, 0.001, kind=kind, negatives=10)
                if "query_copy" not in f.capabilities:
                    with self.assertRaises(FilterError) as refused:
                        f.export(0.01)
                    self.assertEqual(refused.exception.code, "unsupported")
                    continue
                small = f.export(0.01)
                self.assertEqual(small.kind, "fuse")
                self.assertFalse(small.mapped)
                with self.assertRaises(FilterError):
                    small.add("another")
                mergeable = f.export(0.01, "quotient" if kind == "quotient" else "bloom")
                for copy in (small, mergeable):
                    self.assertTrue(all(copy.contains_many(names)))
                    self.assertLess(len(copy.to_bytes()), len(f.to_bytes()))
                self.assertLess(len(small.to_bytes()), len(mergeable.to_bytes()))
                self.assertIn("merge", mergeable.capabilities)
                for wrong in ("blocked", "no such kind"):
                    with self.assertRaises(FilterError):
                        f.export(0.01, wrong)
                for wrong in (0, 1, -1, float("nan")):
                    with self.assertRaises(FilterError):
                        f.export(wrong)
                with self.assertRaises(TypeError):
                    f.export("much")

    def test_text_is_its_utf8_bytes(self):
        f = Filter(10, 1e-6)
        f.add("Zoë")
        for same in ("Zoë", "Zoë".encode(), bytearray("Zoë".encode()), memoryview("Zoë".encode())):
            self.assertIn(same, f)
        self.assertNotIn("Zoe", f)
        f.add(b"")
        self.assertIn("", f)

    def test_a_key_may_hold_nul(self):
        f = Filter(10, 1e-6)
        f.add("a\0b")
        self.assertIn(b"a\0b", f)
        self.assertNotIn("a", f)

    def test_numbers_are_64_bits(self):
        f = Filter(100, 1e-6, keys=int)
        f.update([0, 1, 2**64 - 2, True])
        self.assertTrue(0 in f and 1 in f and 2**64 - 2 in f)
        self.assertIn(-2, f)  # two's complement, as in C++
        self.assertNotIn(-1, f)
        f.add(-1)
        self.assertIn(2**64 - 1, f)
        f.add(-(2**63))
        self.assertIn(2**63, f)

    def test_tuples_are_encoded_as_in_cpp(self):
        f = Filter(10, 1e-6)
        f.add(("a", 5))
        self.assertIn(b"\1\0\0\0\0\0\0\0a" b"\x08\0\0\0\0\0\0\0" b"\5\0\0\0\0\0\0\0", f)
        self.assertNotIn(("a5",), f)
        f.add(("x", ("y", b"z")))
        self.assertIn(("x", ("y", "z")), f)
        self.assertNotIn(("x", "y", "z"), f)

    def test_length_and_truth(self):
        f = Filter(10)
        self.assertFalse(f)
        self.assertEqual(len(f), 0)
        f.add("anna")
        self.assertTrue(f)
        self.assertEqual(len(f), 1)
        f.clear()
        self.assertFalse(f)

    def test_a_key_added_twice_is_removed_twice(self):
        f = Filter(10)
        f.update(["anna", "anna"])
        self.assertEqual(len(f), 2)
        f.remove("anna")
        self.assertIn("anna", f)
        f.remove("anna")
        self.assertNotIn("anna", f)

    def test_remove_and_discard(self):
        f = Filter.of(["anna", "bert"])
        f.remove("anna")
        self.assertNotIn("anna", f)
        with self.assertRaises(KeyError):
            f.remove("anna")
        f.discard("anna")
        f.discard("bert")
        self.assertEqual(len(f), 0)

    def test_a_kind_that_cannot_remove_says_so(self):
        f = Filter.of(["anna"], kind="blocked")
        self.assertEqual(f.erase("anna"), EraseOutcome.CANNOT_ERASE)
        for call in (f.remove, f.discard):
            with self.assertRaisesRegex(FilterError, "blocked cannot remove"):
                call("anna")
        with self.assertRaisesRegex(FilterError, "cannot remove") as caught:
            f.erase_many(["anna"])
        self.assertEqual(caught.exception.code, "unsupported")
        self.assertIn("anna", f)

    def test_can_erase_changes_nothing(self):
        f = Filter.of(["anna"])
        self.assertEqual(f.can_erase("anna"), EraseOutcome.REMOVED)
        self.assertEqual(f.can_erase("bert"), EraseOutcome.NOT_PRESENT)
        self.assertIn("anna", f)

    def test_past_its_capacity_a_key_is_refused_aloud(self):
        f = Filter(100, 0.01, kind="bloom")
        with self.assertRaisesRegex(FilterError, "keys were refused") as caught:
            f.update(range_text(0, 1000))
        self.assertEqual(caught.exception.code, "refused")
        with self.assertRaisesRegex(FilterError, "at its capacity"):
            f.add("one more")
        self.assertEqual(f.insert("one more"), InsertOutcome.OVER_CAPACITY)
        Filter(100, 0.01, kind="bloom", overfill=True).update(range_text(0, 1000))

    def test_union_and_intersection(self):
        a = Filter(100, 1e-6, kind="elastic_blocked", hash_key=KEY)
        b = Filter(100, 1e-6, kind="elastic_blocked", hash_key=KEY)
        a.update(["anna", "bert"])
        b.update(["bert", "carla"])
        both = a | b
        self.assertTrue("anna" in both and "carla" in both)
        self.assertNotIn("carla", a)
        common = a & b
        self.assertTrue("bert" in common and "anna" not in common)
        a |= b
        self.assertIn("carla", a)
        a &= b
        self.assertNotIn("anna", a)
        b.update(a)
        a |= a
        self.assertIn("bert", a)

    def test_other_hash_keys_do_not_merge(self):
        with self.assertRaises(FilterError) as caught:
            Filter(100) | Filter(100)
        self.assertEqual(caught.exception.code, "mismatch")

    def test_a_filter_and_a_set_do_not_mix(self):
        with self.assertRaises(TypeError):
            Filter(100) | {"anna"}
        with self.assertRaises(TypeError):
            f = Filter(100)
            f &= ["anna"]
        self.assertNotEqual(Filter(100), {1})

    def test_equality_and_copies(self):
        f = Filter.of(["anna"], kind="counting")
        for same in (f.copy(), copy.copy(f), copy.deepcopy(f), pickle.loads(pickle.dumps(f)), Filter.load(f.to_bytes())):
            self.assertEqual(f, same)
            self.assertEqual(f.identity, same.identity)
            same.add("bert")
            self.assertNotEqual(f, same)
        self.assertEqual(f, f)

    def test_a_subclass_stays_one(self):
        f = Named(10)
        f.add("anna")
        for same in (f.copy(), pickle.loads(pickle.dumps(f)), f | f):
            self.assertIs(type(same), Named)
            self.assertIn("anna", same)
        f.note = "mine"
        self.assertEqual(f.note, "mine")

    def test_it_has_no_hash_but_weak_references(self):
        f = Filter(10)
        with self.assertRaises(TypeError):
            hash(f)
        self.assertIs(weakref.ref(f)(), f)

    def test_closed(self):
        with Filter(10) as f:
            f.add("anna")
        self.assertTrue(f.closed)
        self.assertIn("closed", repr(f))
        f.close()
        for use in (
            lambda: "anna" in f,
            lambda: f.add("a"),
            lambda: f.update(["a"]),
            lambda: f.update([]),
            lambda: len(f),
            lambda: f.copy(),
            lambda: f == Filter(10),
            lambda: Filter(10) == f,
            lambda: f | f,
            lambda: f.stats(),
            lambda: f.to_bytes(),
            lambda: f.kind,
            lambda: f.save("nowhere.eb"),
            lambda: f.sync([], []),
        ):
            with self.assertRaisesRegex(FilterError, "closed"):
                use()
        self.assertIn("closed", f._repr_html_())

    def test_counts(self):
        f = Filter(100, kind="counting", parameters={"counter_bits": 6})
        f.update(["anna"] * 3 + ["bert"])
        self.assertEqual(f.count("anna"), 3)
        self.assertEqual(list(f.count_many(["bert", "carla"])), [1, 0])
        with self.assertRaisesRegex(FilterError, "count"):
            Filter(10, kind="bloom").count("anna")

    def test_verified_queries(self):
        f = Filter.of(["anna"], kind="elastic_blocked")
        self.assertTrue(f.contains_verified("anna"))
        self.assertFalse(f.contains_verified("bert"))
        self.assertIn("confirm", f.capabilities)
        with self.assertRaisesRegex(FilterError, "verify"):
            Filter(10, kind="bloom").contains_verified("anna")

    def test_only_new_keys(self):
        f = Filter(10, kind="bloom")
        self.assertEqual(
            [InsertOutcome(o) for o in f.insert_many(["anna", "anna"], only_new=True)],
            [InsertOutcome.INSERTED, InsertOutcome.ALREADY_PRESENT],
        )

    def test_resizing_and_facts(self):
        f = Filter(1000, 0.01, kind="elastic_blocked")
        f.update(range_text(0, 1000))
        before = f.current_fpr
        f.resize(fpr=0.001)
        self.assertLess(f.current_fpr, before)
        self.assertAlmostEqual(f.target_fpr, 0.001)
        self.assertTrue(all(f.contains_many(range_text(0, 1000))))
        self.assertEqual((f.key_type, f.hash, f.mapped, len(f.hash_key)), ("text", "siphash", False, 16))
        self.assertGreater(f.memory_bytes, 1000)
        with self.assertRaises(FilterError):
            Filter(10, kind="bloom").resize(capacity=1000)
        for wrong in ({"fpr": 0.0}, {"fpr": 1.5}, {"capacity": 0}, {"capacity": -1}, {"memory_bytes": 0}):
            with self.assertRaises(ValueError):
                f.resize(**wrong)

    def test_known_negatives(self):
        members, negatives = range_text(0, 1000), range_text(1000, 2000)
        f = Filter.of(members, 0.2, kind="bloom")
        self.assertGreater(f.count_contained(negatives), 0)
        told = f.protect(negatives)
        self.assertEqual(told["false_positives_after"], 0)
        self.assertEqual(f.count_contained(negatives), 0)
        self.assertEqual(f.count_contained(members), 1000)
        f.drop_exclusions()
        self.assertGreater(f.count_contained(negatives), 0)
        own = Filter.of(members, 0.2, kind="yes_no", negatives=1000)
        self.assertEqual(own.protect(negatives, members)["members_lost"], 0)
        self.assertEqual(own.count_contained(members), 1000)

    def test_following_a_list(self):
        f = Filter.of(range_text(0, 100))
        done = f.sync(range_text(0, 100), iter(range_text(50, 150)))
        self.assertEqual((done["inserted"], done["removed"], done["rebuilt"]), (50, 50, False))
        self.assertTrue(all(f.contains_many(range_text(50, 150))))
        rebuilt = Filter.of(range_text(0, 100), kind="bloom").sync(range_text(0, 100), range_text(50, 150))
        self.assertTrue(rebuilt["rebuilt"] and rebuilt["why"])

    def test_difference_update_refuses_keys_that_were_never_added(self):
        f = Filter.of(range_text(0, 20_000), 0.3, kind="counting", parameters={"counter_bits": 6})
        f.difference_update(iter(range_text(0, 10)))
        before = f.identity
        with self.assertRaisesRegex(FilterError, "never added"):
            f.difference_update(range_text(10, 15_000) + range_text(50_000, 50_900))
        self.assertEqual(f.identity, before)

    def test_the_enums_are_those_of_the_library(self):
        self.assertEqual([o.name.lower() for o in InsertOutcome], _everbloom.insert_outcomes)
        names = [o.name.lower() for o in EraseOutcome]
        self.assertEqual(names[:-1], _everbloom.erase_outcomes[:-1])

    def test_capabilities_are_those_of_the_library(self):
        for name, kind in kinds().items():
            self.assertEqual(Filter(100, kind=name, negatives=1).capabilities, frozenset(kind["capabilities"]))

    def test_a_notebook_gets_a_picture(self):
        for name in kinds():
            page = Filter.of(range_text(0, 50), 0.01, kind=name)._repr_html_()
            self.assertIn("<svg", page)
            self.assertIn(name, page)
            self.assertEqual(page.count("<"), page.count(">"))


class Named(Filter):
    note = ""


def range_text(first, last):
    return [f"key {i}" for i in range(first, last)]


if __name__ == "__main__":
    unittest.main()
