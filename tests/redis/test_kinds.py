"""EB.*: every kind, its keys, and the exchange of files with the command line."""

import os
import subprocess
import tempfile
import unittest

from server import SOURCE, Error, Server, ServerTest, keys, wait_for_replica

KINDS = [
    "bloom", "blocked", "counting", "collision", "tombstone", "deletable", "ternary", "quaternary", "dfp",
    "fingerprint_counting", "dleft", "elastic", "elastic_blocked", "dynamic", "scalable", "partitioned", "yes_no", "quotient",
]  # fmt: skip
REMOVING_SURELY = ["counting", "dleft", "elastic", "elastic_blocked", "quotient"]
CLI = os.path.join(SOURCE, "build", "dev", "bin", "everbloom")


class Kinds(ServerTest):
    def info(self, key):
        reply = self.client.call("EB.INFO", key)
        return dict(zip(reply[::2], reply[1::2]))

    def test_every_kind_holds_its_members(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.client.call("EB.CREATE", kind, "KIND", kind, "CAPACITY", 2000, "ERROR", 0.01)
                added = self.client.call("EB.ADD", kind, *keys(0, 2000))
                members = [key for key, one in zip(keys(0, 2000), added) if one == 1]
                self.assertGreater(len(members), 1900)
                self.assertEqual(sum(self.client.call("EB.EXISTS", kind, *members)), len(members))
                self.assertLess(sum(self.client.call("EB.EXISTS", kind, *keys(0, 2000, "other"))), 150)
                info = self.info(kind)
                self.assertEqual((info["kind"], info["commands"], info["capacity"]), (kind.encode(), b"EB", 2000))
                before = self.client.call("DEBUG", "DIGEST-VALUE", kind)
                exported = self.client.call("EB.EXPORT", kind)
                self.assertEqual(exported[:8], b"\x89EBLOOM\n")
                self.client.call("EB.IMPORT", "imported", exported)
                self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "imported"), before)
                self.client.call("EB.IMPORT", "imported", "REPLACE", exported)
                self.client.call("DEL", "imported")
        before = {kind: self.client.call("DEBUG", "DIGEST-VALUE", kind) for kind in KINDS}
        self.client.call("DEBUG", "RELOAD")
        self.assertEqual({kind: self.client.call("DEBUG", "DIGEST-VALUE", kind) for kind in KINDS}, before)

    def test_every_kind_reaches_a_replica(self):
        with Server() as replica:
            copy = replica.client()
            copy.call("REPLICAOF", "127.0.0.1", self.server.port)
            wait_for_replica(copy)
            for kind in KINDS:
                self.client.call("EB.CREATE", kind, "KIND", kind, "CAPACITY", 500)
                self.client.call("EB.ADD", kind, *keys(0, 500))
                self.client.reply("EB.DEL", kind, *keys(0, 50))
                self.client.call("EB.PROTECT", kind, *keys(0, 100, "negative"))
            self.assertEqual(self.client.call("WAIT", 1, 30_000), 1)
            for kind in KINDS:
                with self.subTest(kind):
                    self.assertEqual(copy.call("DEBUG", "DIGEST-VALUE", kind), self.client.call("DEBUG", "DIGEST-VALUE", kind))

    def test_members_are_removed(self):
        for kind in REMOVING_SURELY:
            self.client.call("EB.CREATE", kind, "KIND", kind, "CAPACITY", 1000)
            self.client.call("EB.ADD", kind, *keys(0, 500))
            self.assertEqual(self.client.call("EB.DEL", kind, *keys(0, 500)), [1] * 500)
            self.assertEqual(sum(self.client.call("EB.EXISTS", kind, *keys(0, 500))), 0)
            self.assertEqual(self.client.call("EB.DEL", kind, "key:0"), [0])
        self.client.call("EB.CREATE", "bloom", "KIND", "bloom", "CAPACITY", 10)
        self.assertIn("cannot remove", str(self.client.reply("EB.DEL", "bloom", "a")))

    def test_known_negatives_are_never_false_positives(self):
        self.client.call("EB.CREATE", "f", "KIND", "bloom", "CAPACITY", 500, "ERROR", "0.2")
        self.client.call("EB.ADD", "f", *keys(0, 500))
        negatives = keys(0, 2000, "negative")
        self.assertGreater(sum(self.client.call("EB.EXISTS", "f", *negatives)), 200)
        self.client.call("EB.PROTECT", "f", *negatives)
        self.assertEqual(sum(self.client.call("EB.EXISTS", "f", *negatives)), 0)
        self.assertEqual(sum(self.client.call("EB.EXISTS", "f", *keys(0, 500))), 500)

    def test_keys_have_the_type_of_the_filter(self):
        self.client.call("EB.CREATE", "f", "KIND", "bloom", "CAPACITY", 100, "KEYS", "ip")
        self.assertEqual(self.client.call("EB.ADD", "f", "10.0.0.1"), [1])
        self.assertEqual(self.client.call("EB.EXISTS", "f", "10.0.0.1", "10.0.0.2"), [1, 0])
        self.assertIn("address", str(self.client.reply("EB.ADD", "f", "10.0.0.3", "nonsense")))
        self.assertEqual(self.client.call("EB.EXISTS", "f", "10.0.0.3"), [0])

    def test_plans_name_kinds_that_can_be_created(self):
        plans = self.client.call("EB.PLAN", "CAPACITY", 100_000, "ERROR", "0.001", "CHURN", 100)
        self.assertGreater(len(plans), 1)
        for plan in plans:
            facts = dict(zip(plan[::2], plan[1::2]))
            self.assertIn(facts["kind"].decode(), KINDS)
            self.assertLessEqual(float(facts["error rate"]), 0.0011)
        for words in (["CAPACITY", 0], ["CAPACITY", "x"], ["WHAT", 1], ["CAPACITY", 1e300], ["CAPACITY", 10, "ERROR", 7]):
            self.assertIsInstance(self.client.reply("EB.PLAN", *words), Error)

    def test_filters_of_other_commands_are_read_but_not_changed(self):
        self.client.call("BF.ADD", "f", "a")
        self.assertEqual(self.client.call("EB.EXISTS", "f", "a", "b"), [1, 0])
        self.assertEqual(self.info("f")["commands"], b"BF")
        for command in ("EB.ADD", "EB.DEL", "EB.PROTECT"):
            self.assertIn("belongs to", str(self.client.reply(command, "f", "a")))
        self.client.call("EB.IMPORT", "g", self.client.call("EB.EXPORT", "f"))
        self.assertEqual(self.client.call("BF.MADD", "g", "a", "b"), [0, 1])

    def test_a_filter_that_is_built_once_is_imported_and_answers(self):
        with open(os.path.join(SOURCE, "tests", "golden", "fuse.eb"), "rb") as file:
            self.client.call("EB.IMPORT", "f", file.read())
        self.assertEqual(sum(self.client.call("EB.EXISTS", "f", *[f"key-{i}" for i in range(200)])), 200)
        self.assertIn("built once", str(self.client.reply("EB.ADD", "f", "a")))
        self.assertIn("built once", str(self.client.reply("EB.CREATE", "g", "KIND", "fuse", "CAPACITY", 10)))
        self.assertIsInstance(self.client.reply("EB.DEL", "f", "key-1"), Error)

    def test_bad_requests_say_why(self):
        bad = [
            ("KIND", "none", "CAPACITY", 10), ("KIND", "bloom"), ("CAPACITY", 10), ("KIND", "bloom", "CAPACITY", 0),
            ("KIND", "bloom", "CAPACITY", 10, "ERROR", 1), ("KIND", "bloom", "CAPACITY", 10, "SET", "none", 1),
            ("KIND", "bloom", "CAPACITY", 10, "HASHKEY", "zz"), ("KIND", "bloom", "CAPACITY"), ("KIND", "bloom", "SET", "bits"),
            ("KIND", "bloom", "CAPACITY", 10, "FACTS", "00"), ("KIND", "bloom", "SET", "bits", 2**63, "SET", "hashes", 3),
            ("KIND", "bloom", "CAPACITY", 2**62), ("KIND", "fuse", "CAPACITY", 10),
        ]  # fmt: skip
        for words in bad:
            with self.subTest(words):
                self.assertIsInstance(self.client.reply("EB.CREATE", "f", *words), Error)
        for data in (b"", b"x", b"\x89EBLOOM\n" + bytes(200)):
            self.assertIsInstance(self.client.reply("EB.IMPORT", "f", data), Error)
        self.assertEqual(self.client.call("EXISTS", "f"), 0)

    @unittest.skipUnless(os.path.exists(CLI), "the command line tool is not built")
    def test_the_command_line_reads_exported_files_and_makes_files_to_import(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.eb")
            asked = "\n".join(keys(0, 100)) + "\n"
            subprocess.run([CLI, "create", path, "--capacity", "1000", "--quiet"], input=asked, text=True, check=True)
            with open(path, "rb") as file:
                subprocess.run(["redis-cli", "-p", str(self.server.port), "-x", "EB.IMPORT", "f"], stdin=file, check=True, stdout=subprocess.DEVNULL)
            self.assertEqual(sum(self.client.call("EB.EXISTS", "f", *keys(0, 100))), 100)
            self.client.call("EB.ADD", "f", "from the server")
            with open(path, "wb") as file:
                file.write(self.client.call("EB.EXPORT", "f"))
            found = subprocess.run([CLI, "check", path], input="from the server\n" + asked, text=True, capture_output=True, check=False)
            self.assertEqual(found.stdout, "from the server\n" + asked)


if __name__ == "__main__":
    unittest.main()
