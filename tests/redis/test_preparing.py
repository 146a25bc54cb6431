"""Large filters that are made, imported and exported in steps: others are served meanwhile, and each command happens as a whole."""

import shutil
import tempfile
import threading
import unittest

from server import SANITIZED, Error, Server, keys, wait_for_replica
from test_steps import begin, digest, jobs, wait_for_jobs

CAPACITY = 20_000_000  # 33 MiB: 130 units, each a step
CREATING = [
    ("BF.RESERVE", "f", "0.01", CAPACITY),
    ("BF.RESERVE", "f", "0.01", CAPACITY // 4, "DELETABLE"),
    ("CF.RESERVE", "f", CAPACITY),
    ("EB.CREATE", "f", "KIND", "quotient", "CAPACITY", CAPACITY),
    ("BF.INSERT", "f", "CAPACITY", CAPACITY, "ITEMS", "x", "y", "x"),
    ("CF.INSERT", "f", "CAPACITY", CAPACITY, "ITEMS", "x", "y", "x"),
]
REPLIES = ["OK", "OK", "OK", "OK", [1, 1, 0], [1, 1, 1]]


class Preparing(unittest.TestCase):
    def setUp(self):
        self.server = Server(["STEP_BYTES", "1"])
        self.addCleanup(self.server.__exit__, None, None, None)
        self.client = self.server.client()

    def at_once(self, *command):
        client = self.server.client()
        client.call("MULTI")
        client.call(*command)
        return client.call("EXEC")[0]

    def test_a_filter_that_was_made_in_steps_is_that_of_one_step(self):
        for command, expected in zip(CREATING, REPLIES):
            waiting = begin(self.server, *command)
            self.assertEqual(self.client.call("EXISTS", "f"), 0)
            self.assertEqual(waiting.read(), expected, command)
            self.client.call("RENAME", "f", "steps")
            self.assertEqual(self.at_once(*command), expected, command)
            self.assertEqual(digest(self.client, "steps"), digest(self.client, "f"), command)
            sizes = [self.client.call("MEMORY", "USAGE", name) for name in ("steps", "f")]
            self.assertLess(abs(sizes[0] - sizes[1]), sizes[1] // 100)
            self.client.call("DEL", "steps", "f")

    def test_the_settings_may_ask_for_it(self):
        with Server(["STEP_BYTES", "1", "INITIAL_SIZE", str(CAPACITY), "CF_INITIAL_SIZE", str(CAPACITY)]) as server:
            client = server.client()
            for command, expected in ((("BF.ADD", "a", "x"), 1), (("BF.MADD", "b", "x", "x"), [1, 0]), (("CF.ADD", "c", "x"), 1)):
                self.assertEqual(begin(server, *command).read(), expected)
                self.assertEqual(client.call("EB.EXISTS", command[1], "x"), [1])

    def test_what_takes_the_name_meanwhile_keeps_it(self):
        waiting = begin(self.server, *CREATING[0])
        self.client.call("BF.ADD", "f", "mine")
        self.assertEqual(str(waiting.read()), "ERR item exists")
        self.assertEqual(self.client.call("BF.CARD", "f"), 1)
        self.client.call("DEL", "f")
        waiting = begin(self.server, *CREATING[4])  # adds to what is there
        self.client.call("BF.ADD", "f", "x")
        self.assertEqual(waiting.read(), [0, 1, 0])
        self.client.call("DEL", "f")
        self.client.call("SET", "g", "text")
        waiting = begin(self.server, *CREATING[2])
        self.client.call("RENAME", "g", "f")
        self.assertTrue(str(waiting.read()).startswith("WRONGTYPE"))
        self.assertEqual(self.client.call("GET", "f"), b"text")

    def test_a_client_that_goes_away_leaves_nothing(self):
        memory = self.client.used_memory()
        for _ in range(3):
            waiting = begin(self.server, *CREATING[0])
            waiting.close()
            self.server.clients.remove(waiting)
            wait_for_jobs(self.client, 0)
        self.assertEqual(self.client.call("DBSIZE"), 0)
        self.assertLess(self.client.used_memory() - memory, 4 << 20)

    @unittest.skipIf(SANITIZED, "a sanitizer has its own memory")
    def test_maxmemory_ends_it(self):
        waiting = begin(self.server, *CREATING[0])
        self.client.call("CONFIG", "SET", "maxmemory", "5mb")
        self.assertTrue(str(waiting.read()).startswith("OOM "))
        self.assertEqual(self.client.call("EXISTS", "f"), 0)
        self.assertLess(self.client.used_memory(), 5 << 20)

    def test_paused_clients_get_it_afterwards(self):
        waiting = begin(self.server, *CREATING[0])
        self.client.call("CLIENT", "PAUSE", "1500", "WRITE")
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(self.client.call("BF.ADD", "f", "x"), 1)

    def test_a_replica_and_an_append_only_file_follow(self):
        folder = tempfile.mkdtemp(prefix="everbloom-redis-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        options = {"appendonly": "yes", "aof_use_rdb_preamble": "no"}
        with Server(["STEP_BYTES", "1"], folder=folder, **options) as primary, Server() as replica:
            client, follower = primary.client(), replica.client()
            follower.call("REPLICAOF", "127.0.0.1", str(primary.port))
            wait_for_replica(follower)
            self.assertEqual(begin(primary, *CREATING[4]).read(), [1, 1, 0])
            file = client.call("EB.EXPORT", "f")
            self.assertEqual(begin(primary, "EB.IMPORT", "g", file).read(), "OK")
            client.call("SET", "mark", "x")  # WAIT is about what its own client wrote
            self.assertEqual(client.call("WAIT", "1", "60000"), 1)
            before = [digest(client, name) for name in "fg"]
            self.assertEqual([digest(follower, name) for name in "fg"], before)
            # A replica's own clients may ask for a file; the primary's changes go on.
            waiting = begin(primary, "EB.EXPORT", "f")
            self.assertEqual(waiting.read(), file)
        with Server(["STEP_BYTES", "1"], folder=folder, **options) as server:
            self.assertEqual([digest(server.client(), name) for name in "fg"], before)


class Files(unittest.TestCase):
    """EB.EXPORT and EB.IMPORT of 33 MiB, a MiB or a unit in each step."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(["STEP_BYTES", "1"])
        cls.addClassCleanup(cls.server.__exit__, None, None, None)
        cls.client = cls.server.client()
        cls.client.call(*CREATING[0])
        cls.client.call("BF.MADD", "f", *keys(0, 50_000))
        cls.file = cls.client.call("EB.EXPORT", "f")

    def test_a_file_in_steps_in_one_step_and_in_parts(self):
        client = self.server.client()
        client.call("MULTI")
        client.call("EB.EXPORT", "f")
        self.assertEqual(client.call("EXEC")[0], self.file)
        parts = [client.call("EB.EXPORT", "f", "FROM", "0")]
        while parts[-1]:
            self.assertLessEqual(len(parts[-1]), 16 << 20)
            parts.append(client.call("EB.EXPORT", "f", "FROM", sum(map(len, parts))))
        self.assertEqual(b"".join(parts), self.file)
        for part in parts[:-1]:
            client.call("EB.LOADCHUNK", "loaded", "BF", len(self.file), part)
        self.assertEqual(digest(client, "loaded"), digest(client, "f"))
        client.call("DEL", "loaded")
        for word in ("-1", "x"):
            self.assertIsInstance(client.reply("EB.EXPORT", "f", "FROM", word), Error)

    def test_a_change_ends_an_export_with_the_filter_as_it_was(self):
        self.client.call("COPY", "f", "c")
        waiting = begin(self.server, "EB.EXPORT", "c")
        self.assertEqual(self.client.call("BF.ADD", "c", "one more"), 1)
        self.assertEqual(waiting.read(), self.file)
        self.assertEqual(self.client.call("BF.EXISTS", "c", "one more"), 1)
        waiting = begin(self.server, "EB.EXPORT", "c")
        self.client.call("DEL", "c")
        self.assertIn("given up", str(waiting.read()))

    def test_a_client_that_goes_away(self):
        for command in (("EB.EXPORT", "f"), ("EB.IMPORT", "away", self.file)):
            waiting = begin(self.server, *command)
            waiting.close()
            self.server.clients.remove(waiting)
            wait_for_jobs(self.client, 0)
        self.assertEqual(self.client.call("EXISTS", "away"), 0)

    def test_an_import_in_steps(self):
        waiting = begin(self.server, "EB.IMPORT", "g", self.file)
        self.assertEqual(self.client.call("EXISTS", "g"), 0)
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(digest(self.client, "g"), digest(self.client, "f"))
        # The key is looked at again in the end.
        waiting = begin(self.server, "EB.IMPORT", "h", self.file)
        self.client.call("BF.ADD", "h", "mine")
        self.assertIn("REPLACE", str(waiting.read()))
        self.assertEqual(self.client.call("BF.CARD", "h"), 1)
        self.assertEqual(begin(self.server, "EB.IMPORT", "h", "REPLACE", self.file).read(), "OK")
        self.assertEqual(digest(self.client, "h"), digest(self.client, "f"))
        self.client.call("DEL", "g", "h")

    def test_a_damaged_file_is_refused_wherever_it_is_damaged(self):
        for at in (40, len(self.file) // 2, len(self.file) - 1):
            damaged = bytearray(self.file)
            damaged[at] ^= 1
            reply = self.client.reply("EB.IMPORT", "damaged", bytes(damaged))
            self.assertIsInstance(reply, Error, at)
            self.assertEqual(str(reply), str(self.at_once("EB.IMPORT", "damaged", bytes(damaged))))
            self.assertEqual(self.client.call("EXISTS", "damaged"), 0)
        self.assertIsInstance(self.client.reply("EB.IMPORT", "damaged", self.file[:-1]), Error)
        self.assertIsInstance(self.client.reply("EB.IMPORT", "damaged", self.file + b"x"), Error)
        self.assertEqual(jobs(self.client), 0)

    def at_once(self, *command):
        client = self.server.client()
        client.call("MULTI")
        client.call(*command)
        return client.call("EXEC")[0]

    def test_many_at_once(self):
        """Exports, imports and changes by several clients: threads of the module and of the server at the same time."""
        failures = []

        def export():
            client = self.server.client()
            for _ in range(3):
                if client.call("EB.EXPORT", "f") != self.file:
                    failures.append("export")

        def exchange(name):
            client = self.server.client()
            for _ in range(2):
                client.call("EB.IMPORT", name, "REPLACE", self.file)
                client.call("BF.ADD", name, "x")
                client.call("UNLINK", name)

        threads = [threading.Thread(target=export) for _ in range(2)]
        threads += [threading.Thread(target=exchange, args=(name,)) for name in ("x", "y")]
        for thread in threads:
            thread.start()
        self.client.call("BGSAVE")
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        wait_for_jobs(self.client, 0)


if __name__ == "__main__":
    unittest.main()
