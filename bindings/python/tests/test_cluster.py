"""A spread filter, over servers that exist only here: routing, redirections, retries, failures. The real ones are in tests/redis/cluster_client.py."""

import importlib.util
import unittest
from unittest import mock

from everbloom import FilterError, _everbloom, cluster_calls
from everbloom.cluster import IncompleteError, ShardedFilter, connect, shard

# tests/unit/jobs/shard.cpp and docs/cluster.md have them as well.
VECTORS = [("", 10, 2, 138), ("a", 7, 31, 719), ("anna", 9, 57, 889), ("zo\u00e9", 8, 32, 800), ("192.0.2.7", 5, 61, 901), ("x" * 300, 8, 20, 492)]


# Classes with the names of redis-py's, which is not needed here.
class RedisError(Exception):
    pass


class ConnectionError(RedisError):  # noqa: A001
    pass


class AuthenticationError(ConnectionError):
    pass


class ResponseError(RedisError):
    pass


class ClusterDownError(ResponseError):
    pass


class TryAgainError(ResponseError):
    pass


class AskError(ResponseError):
    def __init__(self, host, port):
        super().__init__(f"1 {host}:{port}")
        self.host, self.port = host, port


class MovedError(AskError):
    pass


class Node:
    """A server: sets by name. `failures` are raised or returned first, one per command; `away` raises for whole pipelines."""

    def __init__(self, port):
        self.host, self.port, self.name = "here", port, f"here:{port}"
        self.sets, self.texts = {}, {}
        self.away = []  # an exception for each pipeline that fails
        self.failures = []  # an exception for each command that fails
        self.room = 10**9
        self.confirming = 1  # what WAIT answers; a list: one after the other, then 1
        self.asked = False
        self.log = []

    def pipeline(self, transaction):
        assert transaction is False
        return Pipeline(self)

    def run(self, words):
        self.log.append(words[0])
        if words[0] == "ASKING":
            return "OK"
        if self.failures and words[0] != "WAIT":
            return self.failures.pop(0)
        name, items = words[0], words[2:]
        if name == "WAIT":
            if isinstance(self.confirming, list):
                return self.confirming.pop(0) if self.confirming else 1
            return self.confirming
        if name == "SET":
            if words[1] in self.texts:
                return None
            self.texts[words[1]] = words[2].encode()
            return "OK"
        if name == "GET":
            return self.texts.get(words[1])
        if name == "EXISTS":
            return int(words[1] in self.sets)
        if name in ("UNLINK", "DEL"):
            return int(self.sets.pop(words[1], None) is not None or self.texts.pop(words[1], None) is not None)
        if name == "BF.RESERVE":
            if words[1] in self.sets:
                return ResponseError("ERR item exists")
            self.sets[words[1]] = set()
            return "OK"
        if name == "BF.CARD":
            return len(self.sets[words[1]])
        held = self.sets.get(words[1])
        if name == "BF.MEXISTS":
            return [int(held is not None and item in held) for item in items]
        if held is None:
            return ResponseError("ERR not found")
        if name == "BF.MDEL":
            answers = [int(item in held) for item in items]
            held.difference_update(items)
            return answers
        assert words[:1] + words[2:4] == ("BF.INSERT", "NOCREATE", "ITEMS"), words
        answers = []
        for item in words[4:]:
            if item not in held and sum(map(len, self.sets.values())) >= self.room:
                return [*answers, ResponseError("OOM command not allowed when used memory > 'maxmemory'.")]
            answers.append(int(item not in held))
            held.add(item)
        return answers


class Pipeline:
    def __init__(self, node):
        self.node, self.commands = node, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def execute_command(self, *words):
        self.commands.append(words)

    def execute(self, raise_on_error):
        assert raise_on_error is False
        if self.node.away:
            raise self.node.away.pop(0)
        return [self.node.run(words) for words in self.commands]


class FakeCluster:
    """Shard i is on node i modulo the number of nodes; texts on the first."""

    def __init__(self, count=3):
        self.nodes = [Node(port) for port in range(count)]
        self.moved = {}  # name: number of the node, once it is known
        self.news = {}  # what the next look at the cluster finds out
        self.nodes_manager = self
        self.looks = 0

    def pipeline(self):
        raise AssertionError("the cluster's own pipeline")

    def initialize(self):
        self.looks += 1
        self.moved.update(self.news)

    def get_node_from_key(self, key):
        number = self.moved.get(key)
        if number is None:
            number = int(key.split("{")[1][:-1]) % len(self.nodes) if "{" in key else 0
        return self.nodes[number]

    def get_node(self, host=None, port=None):
        return self.nodes[port]

    def get_redis_connection(self, node):
        return node


class Clock:
    def __init__(self):
        self.now, self.pauses = 0.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        patched = mock.patch.object(cluster_calls, "time", self.clock)
        patched.start()
        self.addCleanup(patched.stop)
        self.cluster = FakeCluster()
        self.keys = [f"key {i}" for i in range(5000)]

    def made(self, **options):
        return ShardedFilter.create(self.cluster, "names", 12, 1000, **options)

    def test_the_rule(self):
        for key, *expected in VECTORS:
            self.assertEqual([shard(key, n) for n in (12, 64, 1000)], expected)
            self.assertEqual([shard(key.encode(), n) for n in (12, 64, 1000)], expected)
            self.assertEqual(shard(bytearray(key.encode()), 12), expected[0])
            self.assertEqual(shard(key, 1), 0)
        many = [key for key, *_ in VECTORS]
        self.assertEqual(list(memoryview(_everbloom.shards(many, 64)).cast("I")), [one[2] for one in VECTORS])

    def test_bad_numbers_of_shards_and_bad_keys(self):
        for wrong in (0, -1, 2**32, 2**70):
            with self.assertRaisesRegex(ValueError, "from 1 to"):
                shard("a", wrong)
        for wrong in ("3", None, 1.5):
            with self.assertRaises(TypeError):
                shard("a", wrong)
        for wrong in (7, None, 1.5, ("a",)):
            with self.assertRaisesRegex(TypeError, "str or bytes"):
                shard(wrong, 3)
            with self.assertRaisesRegex(TypeError, "str or bytes"):
                self.made().contains_many(["a", wrong])
            self.cluster = FakeCluster()
        with self.assertRaises(UnicodeEncodeError):
            self.made().add("\ud800")
        with self.assertRaisesRegex(TypeError, "iterable"):
            ShardedFilter(self.cluster, "names").update("anna")
        with self.assertRaises(TypeError):
            _everbloom.shards(("a",), 3)

    def test_keys_are_where_the_rule_says(self):
        names = self.made()
        self.assertEqual(names.update(self.keys), 5000)
        self.assertEqual(names.update(self.keys[:10] + ["new"]), 1)
        for key in self.keys:
            number = shard(key, 12)
            self.assertIn(key.encode(), self.cluster.nodes[number % 3].sets[f"names:{{{number}}}"])
        self.assertEqual(len(names), 5001)
        self.assertTrue(all(names.contains_many(iter(self.keys))))
        self.assertFalse(any(names.contains_many(["other", b"more"])))
        self.assertIn(b"key 7", names)
        self.assertEqual(names.remove_many(["key 7", "other", "new"]), [True, False, True])
        self.assertFalse(names.contains("key 7"))
        self.assertTrue(names.add("key 7"))
        self.assertFalse(names.add("key 7"))
        self.assertTrue(names.discard("key 7"))
        self.assertFalse(names.discard("key 7"))
        self.assertEqual(names.contains_many([]), [])
        self.assertEqual(names.update([]), 0)

    def test_a_wrong_number_of_shards_is_refused(self):
        with self.assertRaisesRegex(FilterError, "there is no spread filter 'names'"):
            ShardedFilter(self.cluster, "names")
        self.made().update(self.keys)
        self.assertEqual(ShardedFilter(self.cluster, "names").shards, 12)
        self.assertEqual(ShardedFilter(self.cluster, "names", 12).shards, 12)
        with self.assertRaisesRegex(FilterError, "12 filters, not 13") as refused:
            ShardedFilter(self.cluster, "names", 13)
        self.assertEqual(refused.exception.code, "mismatch")
        with self.assertRaisesRegex(FilterError, "already, of 12"):
            ShardedFilter.create(self.cluster, "names", 13, 1000)
        with self.assertRaisesRegex(FilterError, "already, of 12"):
            self.made()
        for damaged in (b"", b"twelve", b"0", b"-3", b"16385", b"9" * 5000, "\u0661".encode()):
            self.cluster.nodes[0].texts["names:shards"] = damaged
            with self.assertRaisesRegex(FilterError, "number of shards") as refused:
                ShardedFilter(self.cluster, "names")
            self.assertEqual(refused.exception.code, "damaged")

    def test_options_out_of_range(self):
        for options in ({"shards": 0}, {"shards": 10**9}, {"capacity": 0}, {"error": 0}, {"error": 1.5}, {"replicas": -1}, {"wait_milliseconds": 0}):
            with self.assertRaises(ValueError, msg=options):
                ShardedFilter.create(self.cluster, "names", **{"shards": 12, "capacity": 10, **options})
        with self.assertRaises(TypeError):
            ShardedFilter.create(self.cluster, "names", 12, "many")
        with self.assertRaisesRegex(TypeError, "redis-py"):
            ShardedFilter(object(), "names")
        self.assertEqual(self.cluster.nodes[0].texts, {})

    @unittest.skipIf(importlib.util.find_spec("redis") is None, "redis-py is not installed")
    def test_addresses(self):
        for wrong in ([], ["here"], ["here:port"], [":"]):
            with self.assertRaises(ValueError, msg=wrong):
                connect(wrong)
        with mock.patch("logging.Logger.exception"), self.assertRaisesRegex(OSError, r"127\.0\.0\.1:1, ::1:2"):
            connect(["127.0.0.1:1", "[::1]:2"], seconds=0)

    def test_a_creation_that_fails_leaves_nothing(self):
        self.cluster.nodes[1].failures = [0, 0, 0, 0, ResponseError("OOM command not allowed")]  # after four EXISTS
        with self.assertRaisesRegex(FilterError, "OOM command not allowed; nothing was left"):
            self.made()
        self.assertEqual([node.sets for node in self.cluster.nodes], [{}, {}, {}])
        self.assertEqual(self.cluster.nodes[0].texts, {})
        self.made()

    def test_a_creation_that_stopped_is_completed_and_others_sets_are_kept(self):
        self.cluster.nodes[0].texts["names:shards"] = b"12"
        self.made()
        other = FakeCluster()
        other.nodes[2].sets["names:{5}"] = {b"somebody's"}
        self.cluster = other
        with self.assertRaisesRegex(FilterError, r"1 filters \(names:\{5\}\) of another set"):
            self.made()
        self.assertEqual(other.nodes[2].sets, {"names:{5}": {b"somebody's"}})
        self.assertEqual(other.nodes[0].texts, {})

    def test_an_absent_filter_is_no_answer(self):
        names = self.made()
        names.update(self.keys)
        del self.cluster.nodes[2].sets["names:{5}"]
        lost = next(key for key in self.keys if shard(key, 12) == 5)
        with self.assertRaisesRegex(FilterError, "not on the server") as refused:
            names.contains(lost)
        self.assertEqual(refused.exception.code, "damaged")
        with self.assertRaisesRegex(FilterError, "not on the server"):
            ShardedFilter(self.cluster, "names")
        for change in (names.update, names.remove_many):
            with self.assertRaisesRegex(IncompleteError, "not found"):
                change([lost])
        self.assertNotIn("names:{5}", self.cluster.nodes[2].sets)

    def test_a_server_that_is_away_for_a_while(self):
        names = self.made()
        for error in (ConnectionError("refused"), ClusterDownError("CLUSTERDOWN The cluster is down"), TimeoutError("slow"), OSError("gone")):
            for node in self.cluster.nodes:
                node.away = [error] * 3
            self.assertEqual(names.contains_many(["anna"]), [False])
            self.assertEqual(names.update([f"{error} {i}" for i in range(100)]), 100)
        for node in self.cluster.nodes:
            node.away = []
            node.failures = [TryAgainError(), ResponseError("LOADING Redis is loading"), ResponseError("NOREPLICAS Not enough")]
        self.assertEqual(names.update(self.keys), 5000)
        self.assertTrue(all(names.contains_many(self.keys)))

    def test_pauses_grow_and_end(self):
        names = self.made(retry_seconds=10.0)
        for node in self.cluster.nodes:
            node.away = [ConnectionError("refused")] * 1000
        begun = self.clock.now
        with self.assertRaises(IncompleteError) as failed:
            names.update(self.keys)
        self.assertAlmostEqual(self.clock.now - begun, 10.0)
        self.assertEqual(sorted(self.clock.pauses[:-1]), self.clock.pauses[:-1])
        self.assertLessEqual(max(self.clock.pauses), 1.0)
        self.assertLess(len(self.clock.pauses), 30)
        self.assertEqual(sorted(failed.exception.failed), sorted(self.keys))
        self.assertEqual(failed.exception.done, 0)
        self.assertEqual(failed.exception.code, "incomplete")

    def test_a_shard_that_failed_is_not_tried_again_in_the_same_call(self):
        names = self.made(retry_seconds=10.0)
        self.cluster.nodes[1].away = [ConnectionError("refused")] * 1000
        begun = self.clock.now
        many = [f"key {i}" for i in range(200_000)]  # several pieces
        with self.assertRaises(IncompleteError) as failed:
            names.update(many)
        self.assertLess(self.clock.now - begun, 11.0)
        expected = {key for key in many if shard(key, 12) % 3 == 1}
        self.assertEqual(set(failed.exception.failed), expected)
        self.assertEqual(set(failed.exception.reasons), {1, 4, 7, 10})
        self.assertEqual(failed.exception.done, len(many) - len(expected))
        self.cluster.nodes[1].away = []
        self.assertEqual(names.update(failed.exception.failed), len(expected))
        self.assertTrue(all(names.contains_many(many)))

    def test_what_is_not_temporary_is_not_repeated(self):
        names = self.made()
        self.cluster.nodes[shard("anna", 12) % 3].failures = [ResponseError("NOPERM this user has no permissions")]
        with self.assertRaisesRegex(IncompleteError, "NOPERM"):
            names.update(["anna"])
        for node in self.cluster.nodes:
            node.away = [AuthenticationError("invalid password")]
        with self.assertRaisesRegex(IncompleteError, "invalid password"):
            names.update(["anna"])
        self.assertEqual(self.clock.pauses, [])
        for node in self.cluster.nodes:
            node.away = [ZeroDivisionError("a defect")]
        with self.assertRaises(ZeroDivisionError):
            names.update(["anna"])

    def test_slots_that_have_moved(self):
        names = self.made()
        names.update(self.keys)
        to = self.cluster.nodes[2]
        number = 4  # on node 1
        name = f"names:{{{number}}}"
        mine = [key for key in self.keys if shard(key, 12) == number]
        to.sets[name] = self.cluster.nodes[1].sets.pop(name)
        self.cluster.news = {name: 2}
        self.cluster.nodes[1].failures = [MovedError("here", 2), MovedError("here", 2)]
        self.assertTrue(all(names.contains_many(mine)))
        self.assertGreater(self.cluster.looks, 0)
        self.assertEqual(self.clock.pauses, [])
        before = len(self.cluster.nodes[1].log)
        self.assertTrue(all(names.contains_many(mine)))
        self.assertEqual(len(self.cluster.nodes[1].log), before)

    def test_slots_that_are_moving(self):
        names = self.made()
        name, here, there = "names:{4}", self.cluster.nodes[1], self.cluster.nodes[2]
        there.sets[name] = here.sets.pop(name)
        mine = [key for key in self.keys if shard(key, 12) == 4]
        here.failures = [AskError("here", 2)]
        looks = self.cluster.looks
        self.assertEqual(names.update(mine), len(mine))
        self.assertEqual(there.log[-2:], ["ASKING", "BF.INSERT"])
        self.assertEqual(self.cluster.looks, looks)
        here.failures = [AskError("here", 2)] * 2
        self.assertTrue(all(names.contains_many(mine)))
        self.assertEqual(there.log[-4:], ["ASKING", "EXISTS", "ASKING", "BF.MEXISTS"])

    def test_endless_redirections_end(self):
        names = self.made(retry_seconds=5.0)
        number = shard("anna", 12) % 3
        self.cluster.nodes[number].failures = [MovedError("here", number)] * 100_000
        with self.assertRaises(IncompleteError):
            names.update(["anna"])
        self.assertAlmostEqual(self.clock.now, 5.0)

    def test_a_full_server_tells_what_was_added(self):
        names = self.made()
        self.cluster.nodes[0].room = 700
        with self.assertRaisesRegex(IncompleteError, "OOM command not allowed") as failed:
            names.update(self.keys)
        error = failed.exception
        there = names.contains_many(self.keys)
        self.assertEqual(error.done, sum(there))
        self.assertEqual(sorted(error.failed), sorted(key for key, is_there in zip(self.keys, there) if not is_there))
        self.assertEqual({shard(key, 12) % 3 for key in error.failed}, {0})
        self.assertIn("here:0", error.reasons[min(error.reasons)])
        self.assertEqual(self.clock.pauses, [])
        self.cluster.nodes[0].room = 10**9
        self.assertEqual(names.update(error.failed), len(error.failed))

    def test_replicas_must_confirm(self):
        names = self.made(replicas=1, retry_seconds=3.0)
        self.assertEqual(names.update(self.keys), 5000)
        self.assertIn("WAIT", self.cluster.nodes[0].log)
        self.cluster.nodes[0].confirming = 0
        with self.assertRaisesRegex(IncompleteError, "0 of 1 replicas confirmed") as failed:
            names.update(self.keys)
        self.assertEqual({shard(key, 12) % 3 for key in failed.exception.failed}, {0})
        # Confirmed at the second attempt, when the keys are no longer new: they were new to the caller.
        for node in self.cluster.nodes:
            node.confirming = [ResponseError("UNBLOCKED force unblock"), 0]
        self.assertEqual(names.update(["new", "newer", "key 1"]), 2)
        self.assertEqual(names.remove_many(["new", "never"]), [True, False])
        self.cluster.nodes[0].log.clear()
        names.contains_many(self.keys)
        self.assertNotIn("WAIT", self.cluster.nodes[0].log)

    def test_deleting_the_set(self):
        names = self.made()
        names.update(self.keys)
        names.delete()
        self.assertEqual([node.sets for node in self.cluster.nodes], [{}, {}, {}])
        self.assertEqual(self.cluster.nodes[0].texts, {})

    def test_a_single_server(self):
        server = Node(1)
        names = ShardedFilter.create(server, "names", 5, 100)
        names.update(self.keys)
        self.assertTrue(all(names.contains_many(self.keys)))
        server.failures = [ResponseError("MOVED 12 10.0.0.1:6379")] * 2
        with self.assertRaisesRegex(IncompleteError, "belongs to a cluster"):
            names.contains("anna")


if __name__ == "__main__":
    unittest.main()
