"""The vector file and the golden files (docs/format.md): the server gives the same answers and the same bytes as every other front end."""

import glob
import os
import unittest
import zlib

from server import SOURCE, Error, ServerTest

# In the order of their numbers.
INSERTED = 5  # of insert_outcome; the ones behind are refusals
REFUSED = {5: "full_bucket", 6: "full_counter", 7: "growth_refused", 8: "over_capacity", 9: "already_present", 10: "not_writable"}
NOT_REMOVED = {3: "not_deletable", 4: "ambiguous", 5: "unsupported"}


class Vectors(ServerTest):
    def setUp(self):
        super().setUp()
        self.keys, self.filters = {}, []
        with open(os.path.join(SOURCE, "tests", "vectors", "answers.txt"), encoding="utf-8") as file:
            for line in file.read().split("\n"):
                if line.startswith("key "):
                    _, key_type, role, digits, spelling = line.split(" ", 4)
                    raw = b"" if digits == "-" else bytes.fromhex(digits)
                    self.keys.setdefault((key_type, role), []).append(raw if key_type == "text" else spelling)
                elif line.startswith("filter "):
                    self.filters.append(line.split(" ")[1:])

    def test_same_answers_as_everywhere(self):
        self.assertGreater(len(self.filters), 100)
        for kind, hash_name, key_type, capacity, fpr, seed, inserted, erased, answers, length, crc in self.filters:
            with self.subTest(f"{kind} {hash_name} {key_type}"):
                members, absent = self.keys[key_type, "member"], self.keys[key_type, "absent"]
                hash_key = int(seed).to_bytes(16, "little").hex()
                self.client.call("EB.CREATE", "f", "KIND", kind, "CAPACITY", capacity, "ERROR", fpr, "KEYS", key_type, "HASH", hash_name,
                                 "HASHKEY", hash_key)  # fmt: skip
                expected = [1 if int(one, 16) < INSERTED else f"ERR {REFUSED[int(one, 16)]}" for one in inserted]
                replies = self.client.call("EB.ADD", "f", *members)
                self.assertEqual([str(one) if isinstance(one, Error) else one for one in replies], expected)
                if erased != "-":
                    expected = [{0: 1, 1: 1, 2: 0}.get(int(one), f"ERR {NOT_REMOVED.get(int(one))}") for one in erased]
                    replies = self.client.call("EB.DEL", "f", *members[::4])
                    self.assertEqual([str(one) if isinstance(one, Error) else one for one in replies], expected)
                self.assertEqual("".join(map(str, self.client.call("EB.EXISTS", "f", *members, *absent))), answers)
                exported = self.client.call("EB.EXPORT", "f")
                self.assertEqual((len(exported), f"{zlib.crc32(exported):x}"), (int(length), crc))
                self.client.call("EB.IMPORT", "f", "REPLACE", exported)
                self.assertEqual(self.client.call("EB.EXPORT", "f"), exported)
                self.assertEqual("".join(map(str, self.client.call("EB.EXISTS", "f", *members, *absent))), answers)
                self.client.call("DEL", "f")

    def test_golden_files_go_in_and_come_out(self):
        found = sorted(glob.glob(os.path.join(SOURCE, "tests", "golden", "*.eb")))
        self.assertGreater(len(found), 10)
        for path in found:
            with self.subTest(os.path.basename(path)):
                with open(path, "rb") as file:
                    whole = file.read()
                self.client.call("EB.IMPORT", "f", "REPLACE", whole)
                self.assertEqual(self.client.call("EB.EXPORT", "f"), whole)


if __name__ == "__main__":
    unittest.main()
