"""What is saved comes back: RDB, append-only file, DUMP, COPY, replicas. Compared by digests of the filters' bytes and by their answers."""

import os
import shutil
import tempfile
import unittest

from server import Error, Server, keys, wait_for_replica


def fill(client):
    """Filters of every family and state; their keys."""
    client.call("BF.RESERVE", "reserved", "0.001", "1000", "EXPANSION", "4")
    client.call("BF.MADD", "reserved", *keys(0, 500))
    client.call("BF.MADD", "grown", *keys(0, 30_000))
    client.call("BF.RESERVE", "fixed", "0.01", "50", "NONSCALING")
    client.call("BF.RESERVE", "deletable", "0.01", "100", "DELETABLE")
    client.call("BF.MADD", "deletable", *keys(0, 5_000))
    client.call("BF.MDEL", "deletable", *keys(0, 2_000))
    client.call("CF.INSERT", "cuckoo", "ITEMS", *keys(0, 3000), *(["often"] * 9))
    for key in keys(0, 100):
        client.call("CF.DEL", "cuckoo", key)
    client.call("BF.MERGE", "merged", "grown", "grown")
    return ["reserved", "grown", "fixed", "deletable", "cuckoo", "merged"]


def digests(client, names):
    return {name: client.call("DEBUG", "DIGEST-VALUE", name) for name in names}


class Persistence(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="everbloom-redis-")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def facts(client, name):
        """Without the size: a loaded filter has no room to spare."""
        info = client.call("CF.INFO" if name == "cuckoo" else "BF.INFO", name)
        return [(info[i], info[i + 1]) for i in range(0, len(info), 2) if info[i] != "Size"]

    def test_reload_gives_the_same_filters(self):
        with Server() as server:
            client = server.client()
            names = fill(client)
            before = digests(client, names)
            facts = [self.facts(client, name) for name in names]
            client.call("DEBUG", "RELOAD")
            self.assertEqual(digests(client, names), before)
            self.assertEqual([self.facts(client, name) for name in names], facts)
            self.assertEqual(sum(client.call("BF.MEXISTS", "grown", *keys(0, 30_000))), 30_000)
            self.assertEqual(client.call("BF.DEL", "deletable", "key:2000"), 1)

    def test_a_restart_reads_the_saved_file(self):
        with Server(folder=self.folder) as server:
            client = server.client()
            names = fill(client)
            before = digests(client, names)
            client.call("SAVE")
        with Server(folder=self.folder) as server:
            self.assertEqual(digests(server.client(), names), before)

    def test_an_append_only_file_repeats_what_happened(self):
        for rewritten in (False, True):
            folder = os.path.join(self.folder, str(rewritten))
            os.mkdir(folder)
            options = {"appendonly": "yes", "aof_use_rdb_preamble": "no"}
            with Server(folder=folder, **options) as server:
                client = server.client()
                names = fill(client)
                if rewritten:
                    client.call("BGREWRITEAOF")
                    server.wait_for_rewrite(client)
                client.call("BF.ADD", "grown", "afterwards")
                before = digests(client, names)
            with Server(folder=folder, **options) as server:
                self.assertEqual(digests(server.client(), names), before)

    def test_dump_restore_copy_and_rename(self):
        with Server() as server:
            client = server.client()
            names = fill(client)
            for name in names:
                before = client.call("DEBUG", "DIGEST-VALUE", name)
                client.call("RESTORE", "restored", 0, client.call("DUMP", name), "REPLACE")
                self.assertEqual(client.call("DEBUG", "DIGEST-VALUE", "restored"), before)
                client.call("COPY", name, "copied", "REPLACE")
                self.assertEqual(client.call("DEBUG", "DIGEST-VALUE", "copied"), before)
                client.call("RENAME", "copied", "renamed")
                self.assertEqual(client.call("DEBUG", "DIGEST-VALUE", "renamed"), before)
            # A copy is not the original.
            client.call("COPY", "reserved", "copied")
            client.call("BF.ADD", "copied", "only there")
            self.assertEqual(client.call("BF.EXISTS", "reserved", "only there"), 0)

    def test_a_replica_has_the_same_filters_though_its_defaults_differ(self):
        with Server() as primary, Server(["ERROR_RATE", "0.2", "INITIAL_SIZE", "7", "MAX_BYTES", "1000"]) as replica:
            client, copy = primary.client(), replica.client()
            client.call("BF.ADD", "before", "a")
            copy.call("REPLICAOF", "127.0.0.1", primary.port)
            wait_for_replica(copy)
            names = fill(client) + ["before", "inside"]
            client.call("MULTI")
            client.call("BF.MADD", "inside", "a", "b")
            client.call("BF.ADD", "inside", "c")
            client.call("EXEC")
            client.call("EVAL", "redis.call('BF.ADD', KEYS[1], 'd') return redis.call('BF.MEXISTS', KEYS[1], 'a', 'd')", 1, "inside")
            self.assertEqual(client.call("WAIT", 1, 30_000), 1)
            self.assertEqual(digests(copy, names), digests(client, names))
            self.assertEqual(sum(copy.call("BF.MEXISTS", "inside", "a", "b", "c", "d")), 4)
            self.assertIsInstance(copy.reply("BF.ADD", "before", "b"), Error)


if __name__ == "__main__":
    unittest.main()
