"""What the server shows of the module: COMMAND DOCS, INFO, events, access control, name clashes, arguments."""

import os
import unittest

from server import MODULE, Error, Server

RIVAL = os.path.join(os.path.dirname(MODULE), "rival.so")


class InServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(notify_keyspace_events="KEA")
        cls.client = cls.server.client()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.client.call("FLUSHALL")

    def commands(self):
        found = self.client.call("COMMAND", "LIST", "FILTERBY", "MODULE", "everbloom")
        return sorted(name.decode() for name in found)

    def test_every_command_is_documented(self):
        names = self.commands()
        self.assertGreater(len(names), 38)
        for name in names:
            docs = self.client.call("COMMAND", "DOCS", name)[1]
            docs = dict(zip(docs[::2], docs[1::2]))
            self.assertGreater(len(docs[b"summary"]), 10, name)
            self.assertTrue(docs[b"complexity"].startswith(b"O("), name)

    def test_no_command_that_changes_something_is_called_a_reading_one(self):
        writing = ("reserve", "add", "madd", "insert", "addnx", "insertnx", "del", "mdel", "merge", "resize", "loadchunk",
                   "compact", "create", "protect", "import")  # fmt: skip
        for name in self.commands():
            flags = self.client.call("COMMAND", "INFO", name)[0][2]
            changes = name.split(".")[1] in writing
            self.assertEqual("write" in flags, changes, name)
            self.assertEqual("readonly" in flags, not changes, name)

    def test_dumps_are_commands_of_administrators(self):
        for name in ("bf.scandump", "cf.scandump", "eb.export"):
            command = self.client.call("COMMAND", "INFO", name)[0]
            self.assertIn("admin", command[2])
            if command[6]:  # a server that gives categories to the commands of modules; 7.0 does not
                self.assertIn("@dangerous", command[6])

    def test_access_control_sees_all_keys_of_a_merge(self):
        self.client.call("ACL", "SETUSER", "one", "on", "nopass", "~mine*", "+@all")
        one = self.server.client()
        one.call("AUTH", "one", "x")
        self.client.call("BF.ADD", "other", "a")
        self.assertTrue(str(one.reply("BF.MERGE", "mine", "other")).startswith("NOPERM"))
        self.assertTrue(str(one.reply("BF.ADD", "other", "a")).startswith("NOPERM"))
        self.assertEqual(one.call("BF.ADD", "mine", "a"), 1)

    def test_info_has_a_section(self):
        self.client.call("BF.ADD", "f", "a")
        self.client.call("CF.ADD", "g", "a")
        info = self.client.call("INFO", "everbloom_filters").decode()
        self.assertIn("everbloom_filters:2", info)
        self.client.call("DEL", "f")
        self.assertIn("everbloom_filters:1", self.client.call("INFO", "everbloom_filters").decode())

    def test_changes_are_events_and_other_commands_are_not(self):
        listener = self.server.client()
        listener.call("PSUBSCRIBE", "__keyevent*__:bf.*", "__keyevent*__:cf.*", "__keyevent*__:eb.*")
        listener.read(), listener.read()
        for words in (
            ("BF.RESERVE", "f", "0.01", "100"), ("BF.ADD", "f", "a"), ("BF.ADD", "f", "a"), ("BF.EXISTS", "f", "a"),
            ("CF.ADD", "g", "a"), ("CF.DEL", "g", "b"), ("CF.DEL", "g", "a"), ("EB.CREATE", "h", "KIND", "bloom", "CAPACITY", 10),
            ("EB.ADD", "h", "a"),
        ):  # fmt: skip
            self.client.call(*words)
        seen = [listener.read()[2].split(b":")[1].decode() for _ in range(6)]
        self.assertEqual(seen, ["bf.reserve", "bf.add", "cf.add", "cf.del", "eb.create", "eb.add"])

    def test_watched_keys_notice_changes(self):
        self.client.call("BF.ADD", "f", "a")
        other = self.server.client()
        self.client.call("WATCH", "f")
        other.call("BF.ADD", "f", "b")
        self.client.call("MULTI")
        self.client.call("BF.ADD", "f", "c")
        self.assertIsNone(self.client.call("EXEC"))

    @unittest.skipUnless(os.path.exists(RIVAL), "the rival module is not built")
    def test_another_module_with_the_same_names_leaves_eb_only(self):
        with Server(modules=[[RIVAL], [MODULE]]) as server:
            client = server.client()
            self.assertEqual(client.call("BF.RESERVE", "f", "0.01", "100"), "RIVAL")
            self.assertIsInstance(client.reply("BF.ADD", "f", "a"), Error)
            client.call("EB.CREATE", "f", "KIND", "quotient", "CAPACITY", 10)
            self.assertEqual(client.call("EB.ADD", "f", "a"), [1])
            self.assertIn("another module has the commands BF.* and CF.*", server.log())
            self.assertIn("everbloom_has_bf_and_cf_commands:0", client.call("INFO", "everbloom_filters").decode())
        with Server(modules=[[RIVAL], [MODULE, "FAMILIES", "EB"]]) as server:
            self.assertNotIn("another module", server.log())

    def test_arguments_decide_about_new_filters(self):
        with Server(["ERROR_RATE", "0.001", "INITIAL_SIZE", "5000", "CF_INITIAL_SIZE", "64"]) as server:
            client = server.client()
            client.call("BF.ADD", "f", "a")
            self.assertEqual(client.call("BF.INFO", "f", "CAPACITY"), [5000])
            stats = client.call("BF.STATS", "f")
            self.assertEqual(float(dict(zip(stats[::2], stats[1::2]))["Target error rate"]), 0.001)
        with Server(["DELETABLE", "YES"]) as server:
            client = server.client()
            client.call("BF.RESERVE", "f", "0.01", "100")
            for name in ("f", "g"):
                self.assertEqual((client.call("BF.ADD", name, "a"), client.call("BF.DEL", name, "a")), (1, 1))
        for arguments in (["WHAT", "1"], ["DELETABLE", "2"], ["ERROR_RATE", "2"], ["MAX_BYTES"], ["HASH_KEY", "12"], ["FAMILIES", "X"]):
            with self.assertRaisesRegex(RuntimeError, "module argument"):
                Server(arguments).stop()

    def test_filters_with_a_given_hash_key_can_be_merged_across_servers(self):
        key = ["HASH_KEY", "000102030405060708090a0b0c0d0e0f"]
        with Server(key) as one, Server(key) as two, Server() as stranger:
            exported = []
            for i, server in enumerate((one, two, stranger)):
                server.client().call("BF.MADD", "f", *range(i * 100, i * 100 + 100))
                exported.append(server.client().call("EB.EXPORT", "f"))
            client = one.client()
            client.call("EB.IMPORT", "g", exported[1])
            client.call("BF.MERGE", "f", "g")
            self.assertEqual(sum(client.call("BF.MEXISTS", "f", *range(200))), 200)
            client.call("EB.IMPORT", "h", exported[2])
            self.assertIn("same hash key", str(client.reply("BF.MERGE", "f", "h")))


if __name__ == "__main__":
    unittest.main()
