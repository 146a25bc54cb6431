"""everbloom.cluster with redis-py against real servers: the rule, refusals, a full server, slots that move, start nodes that are down.

The package everbloom must be installed, and redis-py. What happens when servers die is in cluster_events.py.
"""

import logging
import os
import shutil
import subprocess
import tempfile
import unittest

import redis
from everbloom import FilterError
from everbloom.cluster import IncompleteError, ShardedFilter, connect, shard

from cluster import Cluster
from cluster_events import slot_of
from server import Server, free_port, keys

logging.getLogger("redis.cluster").setLevel(logging.CRITICAL)  # it prints a traceback for each node that is away


class OnCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(3, 0, appendfsync="no")
        cls.client = connect(cls.cluster.addresses())

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.stop()

    def setUp(self):
        for node in self.cluster.nodes:
            node.clients[0].call("CONFIG", "SET", "maxmemory", "0")
            node.clients[0].call("FLUSHALL")

    def owner(self, tag):
        """The number of the node that has this shard."""
        return next(
            self.cluster.number_of(port) for port, ranges in self.cluster.masters().items() if any(a <= slot_of(tag) <= b for a, b in ranges)
        )

    def test_every_client_sees_the_same_set(self):
        names = ShardedFilter.create(self.client, "names", 48, 1000)
        members = keys(0, 50_000)
        self.assertEqual(names.update(members), 50_000)
        for other in (ShardedFilter(connect(self.cluster.addresses()[::-1]), "names", 48),
                      ShardedFilter(connect(self.cluster.addresses(), decode_responses=True), "names")):  # fmt: skip
            self.assertTrue(all(other.contains_many(members)))
            self.assertEqual(sum(other.contains_many(keys(0, 50_000, "other"))), 0)
            self.assertEqual(len(other), 50_000)
        # Whoever follows the rule by hand finds them, too.
        for key in members[::1000]:
            self.assertEqual(self.client.execute_command("BF.EXISTS", f"names:{{{shard(key, 48)}}}", key), 1)
        self.assertEqual(self.client.get("names:shards"), b"48")
        stats = names.stats()
        self.assertEqual((stats["keys"], stats["shards"], len(stats["nodes"]), len(stats["module_versions"])), (50_000, 48, 3, 1))
        self.assertEqual(sum(node["shards"] for node in stats["nodes"].values()), 48)
        self.assertLess(stats["current_fpr"], 1e-6)
        self.assertEqual(names.remove_many(members[:100] + ["never"]), [True] * 100 + [False])
        self.assertEqual(names.contains_many(members[:101]), [False] * 100 + [True])
        names.delete()
        self.assertEqual(sum(node.clients[0].call("DBSIZE") for node in self.cluster.nodes), 0)

    def test_refusals(self):
        names = ShardedFilter.create(self.client, "names", 12, 1000, deletable=False)
        names.add("anna")
        with self.assertRaisesRegex(FilterError, "12 filters, not 11"):
            ShardedFilter(self.client, "names", 11)
        with self.assertRaisesRegex(IncompleteError, "DELETABLE"):
            names.discard("anna")
        self.client.execute_command("UNLINK", "names:{9}")  # that of anna
        with self.assertRaisesRegex(FilterError, "not on the server"):
            names.contains("anna")
        with self.assertRaisesRegex(IncompleteError, "not found"):
            names.add("anna")
        self.client.set("names:{9}", "text")
        with self.assertRaisesRegex(IncompleteError, "WRONGTYPE"):
            names.add("anna")
        self.client.set("text:shards", "many")
        with self.assertRaisesRegex(FilterError, "must hold the number"):
            ShardedFilter(self.client, "text")
        single = redis.Redis(port=self.cluster.nodes[0].port)
        with self.assertRaisesRegex(FilterError, "belongs to a cluster"):
            for name in ("a", "b", "c", "d", "e", "f", "g", "h"):  # some of them are elsewhere
                ShardedFilter.create(single, name, 12, 100)

    def test_a_full_server_tells_what_was_added(self):
        names = ShardedFilter.create(self.client, "names", 48, 1000)
        number = self.owner(b"0")
        client = self.cluster.nodes[number].clients[0]
        client.call("CONFIG", "SET", "maxmemory", client.used_memory() + 300_000)
        members = keys(0, 250_000)
        with self.assertRaisesRegex(IncompleteError, "OOM") as failed:
            names.update(members)
        error = failed.exception
        self.assertEqual(error.done + len(error.failed), len(members))
        self.assertEqual({self.owner(b"%d" % i) for i in {shard(key, 48) for key in error.failed[::100]}}, {number})
        client.call("CONFIG", "SET", "maxmemory", "0")
        there = names.contains_many(members)
        self.assertEqual(sum(there), error.done)
        lost = set(error.failed)
        self.assertTrue(all(is_there != (key in lost) for key, is_there in zip(members, there)))
        self.assertEqual(names.update(error.failed), len(error.failed))
        self.assertEqual(len(names), len(members))
        # No room for another set: nothing of it stays.
        client.call("CONFIG", "SET", "maxmemory", "1000000")
        with self.assertRaisesRegex(FilterError, "OOM.*nothing was left"):
            ShardedFilter.create(self.client, "more", 48, 1_000_000)
        self.assertEqual([node.clients[0].call("KEYS", "more:*") for node in self.cluster.nodes], [[], [], []])
        client.call("CONFIG", "SET", "maxmemory", "0")
        ShardedFilter.create(self.client, "more", 48, 100)

    def test_a_slot_that_is_moving_and_has_moved(self):
        names = ShardedFilter.create(self.client, "names", 12, 1000)
        members = keys(0, 5_000)
        names.update(members[:2_500])
        slot, source = slot_of(b"9"), self.owner(b"9")
        target = (source + 1) % 3
        nodes = [node.clients[0] for node in self.cluster.nodes]
        ids = [client.call("CLUSTER", "MYID").decode() for client in nodes]
        nodes[target].call("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[source])
        nodes[source].call("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
        self.assertTrue(all(names.contains_many(members[:2_500])))  # still there
        moved = nodes[source].call("MIGRATE", "127.0.0.1", self.cluster.nodes[target].port, "names:{9}", 0, 10_000)
        self.assertEqual(moved, "OK")
        self.assertTrue(all(names.contains_many(members[:2_500])))  # ASK
        self.assertEqual(names.update(members), 2_500)
        for client in (nodes[target], nodes[source], nodes[3 - source - target]):
            client.call("CLUSTER", "SETSLOT", slot, "NODE", ids[target])
        self.assertTrue(all(names.contains_many(members)))  # MOVED
        self.assertEqual(len(names), 5_000)

    def test_a_backup_has_every_member(self):
        members = keys(0, 10_000)
        ShardedFilter.create(self.client, "names", 12, 1000).update(members)
        with tempfile.TemporaryDirectory() as folder:
            self.cluster.cli("backup", self.cluster.addresses()[0], folder)
            files = sorted(name for name in os.listdir(folder) if name.endswith(".rdb"))
            self.assertEqual(len(files), 3)
            found = dict.fromkeys(members, 0)
            for name in files:
                inner = os.path.join(folder, name + ".server")
                os.mkdir(inner)
                shutil.copyfile(os.path.join(folder, name), os.path.join(inner, "dump.rdb"))
                with Server(folder=inner) as server:
                    client = server.client()
                    for key in members:
                        found[key] += client.call("BF.EXISTS", f"names:{{{shard(key, 12)}}}", key)
            self.assertEqual(set(found.values()), {1})

    @unittest.skipUnless(os.environ.get("EVERBLOOM_CLI"), "EVERBLOOM_CLI does not name the program")
    def test_the_command_line_follows_the_same_rule(self):
        def run(*words, text):
            done = subprocess.run([os.environ["EVERBLOOM_CLI"], "redis", *words], input=text, capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            return done.stdout.split()

        members, others = keys(0, 20_000), keys(0, 20_000, "other")
        url = f"redis://{','.join(self.cluster.addresses())}/names"
        run("push", "-", url, "--shards", "12", "--deletable", text="\n".join(members) + "\n")
        names = ShardedFilter(self.client, "names", 12)
        self.assertEqual(len(names), len(members))
        self.assertTrue(all(names.contains_many(members)))
        names.update(others[:5_000])
        names.remove_many(members[:5_000])
        text = "\n".join(members + others) + "\n"
        self.assertEqual(run("check", "-", url, text=text), members[5_000:] + others[:5_000])

    def test_start_nodes_that_are_down(self):
        ShardedFilter.create(self.client, "names", 12, 1000).add("anna")
        nobody = [f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"]
        client = connect([*nobody, self.cluster.addresses()[2]], seconds=20)
        self.assertIn("anna", ShardedFilter(client, "names"))
        with self.assertRaisesRegex(ConnectionError, "no node of the cluster"):
            connect(nobody, seconds=0.5)

    def test_replicas_that_do_not_exist_confirm_nothing(self):
        names = ShardedFilter.create(self.client, "names", 12, 1000)
        strict = ShardedFilter(self.client, "names", replicas=1, wait_milliseconds=50, retry_seconds=0.5)
        with self.assertRaisesRegex(IncompleteError, "0 of 1 replicas confirmed") as failed:
            strict.update(["anna", "bert"])
        self.assertEqual(sorted(failed.exception.failed), ["anna", "bert"])
        self.assertTrue(all(names.contains_many(["anna", "bert"])))


class OnOneServer(unittest.TestCase):
    def test_a_single_server(self):
        with Server() as server:
            client = redis.Redis(port=server.port)
            names = ShardedFilter.create(client, "names", 12, 1000)
            client.bf()  # sets callbacks for replies, which must not matter
            self.assertEqual(names.update(keys(0, 20_000)), 20_000)
            self.assertTrue(all(ShardedFilter(client, "names").contains_many(keys(0, 20_000))))
            self.assertEqual(names.stats()["keys"], 20_000)

    def test_another_module(self):
        with Server(["FAMILIES", "EB"]) as server:
            client = redis.Redis(port=server.port)
            with self.assertRaisesRegex(FilterError, "unknown command.*nothing was left"):
                ShardedFilter.create(client, "names", 12, 1000)
            self.assertEqual(client.dbsize(), 0)


if __name__ == "__main__":
    unittest.main()
