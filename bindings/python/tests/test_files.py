"""Files, bytes, mapping, damage; and the vector file: the same answers everywhere."""

import os
import pathlib
import pickle
import struct
import tempfile
import unittest
import zlib

from everbloom import Filter, FilterError, kinds

ROOT = pathlib.Path(__file__).resolve().parents[3]


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "names.eb"

    def test_save_open_map(self):
        for name in kinds():
            with self.subTest(name):
                f = Filter.of([f"key {i}" for i in range(100)], 0.01, kind=name)
                f.save(self.path)
                opened = Filter.open(str(self.path))
                self.assertEqual(f, opened)
                for verify in (True, False):
                    with Filter.map(os.fsencode(self.path), verify=verify) as mapped:
                        self.assertTrue(mapped.mapped)
                        self.assertTrue(all(mapped.contains_many([f"key {i}" for i in range(100)])))
                        self.assertEqual(mapped, f)
                        self.assertEqual(self.path.read_bytes(), f.to_bytes())

    def test_a_mapped_filter_is_read_only(self):
        Filter.of(["anna"]).save(self.path)
        mapped = Filter.map(self.path)
        with self.assertRaisesRegex(FilterError, "mapped"):
            mapped.add("bert")
        with self.assertRaisesRegex(FilterError, "mapped"):
            mapped.update(["bert"])
        with self.assertRaises(FilterError):
            mapped.remove("anna")
        with self.assertRaises(FilterError):
            mapped.clear()
        copy = mapped.copy()
        copy.add("bert")
        self.assertIn("bert", copy)
        self.assertIn("anna", pickle.loads(pickle.dumps(mapped)))

    def test_files_that_are_not_there(self):
        for call in (Filter.open, Filter.map):
            with self.assertRaises(FileNotFoundError) as caught:
                call(self.path)
            self.assertEqual(caught.exception.filename, str(self.path))
            with self.assertRaises(OSError):
                call(self.folder)
            with self.assertRaises(ValueError):
                call("a\0b")
            with self.assertRaises(TypeError):
                call(5.5)
        with self.assertRaises(FileNotFoundError):
            Filter(10).save(self.folder / "nowhere" / "f.eb")
        with self.assertRaises(OSError):
            Filter(10).save("/proc/everbloom.eb")

    def test_damage_is_refused(self):
        good = Filter.of(["anna"], kind="bloom").to_bytes()
        for at in range(0, len(good), 7):
            bad = bytearray(good)
            bad[at] ^= 0x10
            with self.assertRaises(FilterError):
                Filter.load(bad)
        for length in range(0, len(good), 11):
            with self.assertRaises(FilterError):
                Filter.load(good[:length])
        with self.assertRaises(FilterError) as caught:
            Filter.load(b"\x1f\x8b" + bytes(100))
        self.assertEqual(caught.exception.code, "damaged")
        with self.assertRaisesRegex(FilterError, "gzip"):
            Filter.load(b"\x1f\x8b" + bytes(100))
        self.path.write_bytes(good[:50])
        with self.assertRaises(FilterError):
            Filter.map(self.path)
        for wrong in ("text", 5, None):
            with self.assertRaises(TypeError):
                Filter.load(wrong)

    def test_a_newer_version_is_refused(self):
        newer = bytearray(Filter.of(["anna"], kind="bloom").to_bytes())
        for at in range(4, 16):  # wherever the version is
            changed = bytearray(newer)
            changed[at] += 1
            with self.assertRaises(FilterError):
                Filter.load(changed)

    def test_golden_files_open(self):
        found = sorted((ROOT / "tests" / "golden").glob("*.eb"))
        self.assertGreater(len(found), 10)
        for path in found:
            with self.subTest(path.name):
                f = Filter.open(path)
                self.assertEqual(f.to_bytes(), path.read_bytes())
                self.assertGreater(len(f), 0)


class VectorTest(unittest.TestCase):
    """docs/format.md#vectors"""

    def setUp(self):
        self.keys = {}
        self.filters = []
        for line in (ROOT / "tests/vectors/answers.txt").read_text(encoding="utf-8").split("\n"):
            if line.startswith("key "):
                _, key_type, role, digits, spelling = line.split(" ", 4)
                self.keys.setdefault((key_type, role), []).append((b"" if digits == "-" else bytes.fromhex(digits), spelling))
            elif line.startswith("filter "):
                self.filters.append(line.split(" ")[1:])

    def forms(self, key_type, role):
        """The keys in two forms: as a program has them, and as the command line spells them."""
        given = self.keys[key_type, role]
        if key_type == "u64":
            return [[struct.unpack("<Q", raw)[0] for raw, _ in given], [int(spelling, 0) for _, spelling in given]]
        return [[raw for raw, _ in given], [spelling for _, spelling in given]]

    def test_same_answers_as_everywhere(self):
        self.assertGreater(len(self.filters), 100)
        for kind, hash, key_type, capacity, fpr, seed, inserted, erased, answers, length, crc in self.filters:
            with self.subTest(f"{kind} {hash} {key_type}"):
                files = []
                for form in (0, 1):
                    members, absent = self.forms(key_type, "member")[form], self.forms(key_type, "absent")[form]
                    f = Filter(int(capacity), float(fpr), kind=kind, hash=hash, keys=key_type,
                               hash_key=struct.pack("<QQ", int(seed), 0))  # fmt: skip
                    if form == 0:
                        outcomes = [int(f.insert(key)) for key in members]
                    else:
                        outcomes = [int(o) for o in f.insert_many(members)]
                    self.assertEqual("".join(f"{o:x}" for o in outcomes), inserted)
                    if erased != "-":
                        self.assertEqual("".join(str(int(f.erase(key))) for key in members[::4]), erased)
                    found = [key in f for key in members + absent] if form == 0 else f.contains_many(members + absent)
                    self.assertEqual("".join("1" if a else "0" for a in found), answers)
                    files.append(f.to_bytes())
                    self.assertEqual(len(files[-1]), int(length))
                    self.assertEqual(zlib.crc32(files[-1]), int(crc, 16))
                self.assertEqual(files[0], files[1])


if __name__ == "__main__":
    unittest.main()
