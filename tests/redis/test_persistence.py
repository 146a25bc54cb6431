"""What is saved comes back: RDB, append-only file, DUMP, COPY, replicas. Compared by digests of the filters' bytes and by their answers."""

import os
import shutil
import tempfile
import time
import unittest

from server import Error, Server, free_port, keys, wait_for_replica


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

    def test_a_killed_server_has_all_that_it_confirmed(self):
        """kill -9 while filters grow and a merge, a new filter and an import are under way, in steps; several times in the same folder."""
        options = {"appendonly": "yes", "appendfsync": "always"}
        step = ["STEP_BYTES", "1", "HASH_KEY", "00" * 16]
        added, file = 0, None
        for round_number in range(3):
            with Server(step, folder=self.folder, **options) as server:
                client = server.client()
                if added == 0:
                    client.call("BF.RESERVE", "f", "0.01", "100")
                    client.call("BF.RESERVE", "d", "0.01", "100", "DELETABLE")
                    client.call("BF.RESERVE", "large", "0.01", "10000000")
                    file = client.call("EB.EXPORT", "large")
                for name in ("f", "d"):
                    members = client.call("BF.MEXISTS", name, *keys(0, added)) if added else []
                    self.assertEqual(sum(members), added, (name, round_number))
                if added:
                    self.assertEqual(client.call("EXISTS", "merged", "new", "imported"), 0)
                    self.assertEqual(sum(client.call("CF.MEXISTS", "c", *keys(0, added))), added)
                for first in range(added, added + 20_000, 1000):
                    client.call("BF.MADD", "f", *keys(first, first + 1000))
                    client.call("BF.MADD", "d", *keys(first, first + 1000))
                    client.call("CF.INSERT", "c", "ITEMS", *keys(first, first + 1000))
                added += 20_000
                for command in (("BF.MERGE", "merged", "f", "f"), ("CF.RESERVE", "new", "60000000"), ("EB.IMPORT", "imported", file)):
                    server.client().send(*command)
                while b"everbloom_jobs:3" not in client.call("INFO", "everbloom_filters"):
                    time.sleep(0.001)
                server.process.kill()
                server.process.wait()

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

    def test_scripts_that_end_half_way_leave_both_servers_equal(self):
        with Server(busy_reply_threshold="50") as primary, Server() as replica:
            client, copy = primary.client(), replica.client()
            copy.call("REPLICAOF", "127.0.0.1", primary.port)
            wait_for_replica(copy)
            for command in ("BF.ADD", "CF.ADD"):
                script = f"for i = 1, 5000 do redis.call('{command}', KEYS[1], i) end error('half-way')"
                self.assertIn("half-way", str(client.reply("EVAL", script, 1, command)))
            # One that only reads can be killed; the filter is as it was.
            other = primary.client()
            other.send("EVAL", "while true do redis.call('BF.MEXISTS', KEYS[1], 'a', 'b') end", 1, "BF.ADD")
            for _ in range(300):
                if client.reply("SCRIPT", "KILL") == "OK":
                    break
                time.sleep(0.1)
            self.assertIn("killed", str(other.read()))
            self.assertEqual(sum(client.call("BF.MEXISTS", "BF.ADD", *range(1, 5001))), 5000)
            self.assertEqual(client.call("WAIT", 1, 30_000), 1)
            self.assertEqual(digests(copy, ["BF.ADD", "CF.ADD"]), digests(client, ["BF.ADD", "CF.ADD"]))

    def test_filters_move_between_the_nodes_of_a_cluster(self):
        with Server(cluster_enabled="yes", cluster_port=free_port()) as node, Server() as other:
            client = node.client()
            client.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
            for _ in range(300):
                if "cluster_state:ok" in client.call("CLUSTER", "INFO").decode():
                    break
                time.sleep(0.1)
            for name in ("{a}1", "{a}2", "{b}1"):
                client.call("BF.MADD", name, *keys(0, 20_000))
            self.assertEqual(client.call("BF.MERGE", "{a}3", "{a}1", "{a}2"), "OK")
            self.assertTrue(str(client.reply("BF.MERGE", "{a}3", "{b}1")).startswith("CROSSSLOT"))
            before = client.call("DEBUG", "DIGEST-VALUE", "{a}1")
            self.assertEqual(client.call("MIGRATE", "127.0.0.1", other.port, "{a}1", "0", "10000"), "OK")
            self.assertEqual(client.call("EXISTS", "{a}1"), 0)
            self.assertEqual(other.client().call("DEBUG", "DIGEST-VALUE", "{a}1"), before)


if __name__ == "__main__":
    unittest.main()
