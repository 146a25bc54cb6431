"""BF.MERGE and BF.RESIZE of large filters, in steps: jobs. Small steps make small filters large."""

import shutil
import tempfile
import time
import unittest

from server import Server, ServerTest, free_port, keys, wait_for_replica

KEYS = 20_000  # of a filter
GIVEN_UP = "ERR given up, and nothing was changed"


def fill(client, *names, capacity=60_000):
    """Filters that can be merged; each has KEYS keys of its own, named after it."""
    for name in names:
        client.call("BF.RESERVE", name, "0.01", str(capacity))
        client.call("BF.MADD", name, *keys(0, KEYS, name))


def members(client, name, *prefixes):
    """How many of the keys of these filters are in it."""
    return sum(sum(client.call("BF.MEXISTS", name, *keys(0, KEYS, prefix))) for prefix in prefixes)


def digest(client, name):
    return client.call("DEBUG", "DIGEST-VALUE", name)[0]


def jobs(client):
    return int(client.call("INFO", "everbloom_filters").decode().split("everbloom_jobs:")[1].split()[0])


def wait_for_jobs(client, count):
    for _ in range(3000):
        if jobs(client) == count:
            return
        time.sleep(0.01)
    raise AssertionError(f"not {count} jobs")


def begin(server, *command):
    """A client whose command has become a job."""
    watcher = server.clients[0]
    before = jobs(watcher)
    client = server.client()
    client.send(*command)
    wait_for_jobs(watcher, before + 1)
    return client


class Slow(ServerTest):
    """Jobs of thousands of steps, at most one in a millisecond: they last until something happens to them."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(["STEP_BYTES", "1"])
        cls.client = cls.server.client()

    def setUp(self):
        super().setUp()
        wait_for_jobs(self.client, 0)
        self.fill()

    def fill(self):
        fill(self.client, "a", "b", "c", capacity=200_000)

    def expect_given_up(self, waiting):
        self.assertTrue(str(waiting.read()).startswith(GIVEN_UP))
        self.assertEqual(jobs(self.client), 0)
        self.assertEqual(waiting.call("PING"), "PONG")

    def test_others_are_answered_meanwhile_and_nothing_has_changed_yet(self):
        before = [digest(self.client, name) for name in "abc"]
        merging = begin(self.server, "BF.MERGE", "a", "b")
        resizing = begin(self.server, "BF.RESIZE", "c", "800000")
        self.assertEqual(members(self.client, "a", "a"), KEYS)
        self.assertEqual(members(self.client, "b", "b"), KEYS)
        self.assertEqual(members(self.client, "c", "c"), KEYS)
        self.assertLess(members(self.client, "a", "b"), KEYS // 10)
        self.client.call("COPY", "a", "copy")
        self.assertEqual(digest(self.client, "copy"), before[0])
        self.assertEqual([digest(self.client, name) for name in "abc"], before)
        self.assertEqual(jobs(self.client), 2)
        self.client.call("FLUSHALL")
        for waiting in (merging, resizing):
            self.expect_given_up(waiting)

    def test_a_command_that_changes_a_filter_of_a_job_finishes_that_first(self):
        waiting = begin(self.server, "BF.MERGE", "a", "b")
        self.assertEqual(self.client.call("BF.ADD", "a", "one more"), 1)
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(members(self.client, "a", "a", "b"), 2 * KEYS)
        self.assertEqual(self.client.call("BF.EXISTS", "a", "one more"), 1)
        self.assertEqual(jobs(self.client), 0)

        waiting = begin(self.server, "BF.MERGE", "a", "c")
        added = self.client.call("BF.MADD", "c", *keys(0, 500, "late"))
        self.assertEqual(waiting.read(), "OK")
        self.assertGreater(sum(added), 450)
        self.assertEqual(members(self.client, "a", "a", "b", "c"), 3 * KEYS)
        self.assertLess(sum(self.client.call("BF.MEXISTS", "a", *keys(0, 500, "late"))), 100)
        self.assertEqual(sum(self.client.call("BF.MEXISTS", "c", *keys(0, 500, "late"))), 500)

        waiting = begin(self.server, "BF.RESIZE", "b", "800000")
        self.assertIn(self.client.call("BF.ADD", "b", "one more"), (0, 1))
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(self.client.call("BF.INFO", "b", "CAPACITY"), [800_000])
        self.assertEqual(members(self.client, "b", "b"), KEYS)

    def test_a_target_that_is_absent_is_there_for_those_who_write_to_it(self):
        waiting = begin(self.server, "BF.MERGE", "new", "a", "b")
        self.assertEqual(self.client.call("EXISTS", "new"), 0)
        self.assertEqual(str(self.client.reply("BF.RESERVE", "new", "0.01", "100")), "ERR item exists")
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(members(self.client, "new", "a", "b"), 2 * KEYS)
        # Another command that takes the name: the job finds that out in the end.
        waiting = begin(self.server, "BF.MERGE", "other", "a", "b")
        self.client.call("SET", "other", "mine")
        self.client.call("BF.ADD", "a", "one more")
        self.expect_given_up(waiting)
        self.assertEqual(self.client.call("GET", "other"), b"mine")

    def test_a_filter_that_goes_away_ends_the_job(self):
        def expire(name):
            self.client.call("PEXPIRE", name, "1")
            while self.client.call("EXISTS", name):
                time.sleep(0.001)

        dump = self.client.call("DUMP", "c")
        ways = [
            lambda name: self.client.call("DEL", name),
            lambda name: self.client.call("UNLINK", name),
            lambda name: self.client.call("RENAME", name, "renamed"),
            lambda name: self.client.call("RENAME", "c", name),
            lambda name: self.client.call("MOVE", name, "1"),
            lambda name: self.client.call("SET", name, "text"),
            lambda name: self.client.call("COPY", "c", name, "REPLACE"),
            lambda name: self.client.call("RESTORE", name, "0", dump, "REPLACE"),
            lambda name: self.client.call("SWAPDB", "0", "1"),
            lambda name: self.client.call("FLUSHDB"),
            lambda name: self.client.call("FLUSHALL", "ASYNC"),
            lambda name: self.client.call("DEBUG", "RELOAD"),
            expire,
        ]
        for way in ways:
            for name in ("a", "b"):
                self.client.call("FLUSHALL")
                self.fill()
                left = "b" if name == "a" else "a"
                before = digest(self.client, left)
                waiting = begin(self.server, "BF.MERGE", "a", "b")
                way(name)
                self.expect_given_up(waiting)
                if self.client.call("EXISTS", left):
                    self.assertEqual(digest(self.client, left), before)

    def test_what_happens_in_other_databases_does_not_matter(self):
        waiting = begin(self.server, "BF.MERGE", "a", "b")
        other = self.server.client()
        other.call("SELECT", "3")
        other.call("BF.ADD", "a", "x")
        other.call("SET", "b", "x")
        other.call("DEL", "b")
        other.call("FLUSHDB")
        other.call("SWAPDB", "3", "4")
        self.assertEqual(jobs(self.client), 1)
        self.client.call("BF.ADD", "b", "x")
        self.assertEqual(waiting.read(), "OK")

    def test_a_client_that_goes_away_takes_its_job_along(self):
        before = digest(self.client, "a")
        memory = self.client.used_memory()
        for way in ("kill", "close"):
            waiting = self.server.client()
            number = waiting.call("CLIENT", "ID")
            waiting.send("BF.MERGE", "a", "b")
            wait_for_jobs(self.client, 1)
            if way == "kill":
                self.assertEqual(self.client.call("CLIENT", "KILL", "ID", number), 1)
            else:
                waiting.close()
                self.server.clients.remove(waiting)
            wait_for_jobs(self.client, 0)
            self.assertEqual(digest(self.client, "a"), before)
        # The table of a job takes more than what clients leave behind.
        self.assertLess(self.client.used_memory() - memory, self.client.call("MEMORY", "USAGE", "a") // 2)

    def test_where_a_client_cannot_be_blocked_it_is_done_at_once(self):
        client = self.server.client()
        client.call("MULTI")
        client.call("BF.MERGE", "a", "b")
        client.call("BF.RESIZE", "b", "800000")
        self.assertEqual(client.call("EXEC"), ["OK", "OK"])
        self.assertEqual(members(client, "a", "a", "b"), 2 * KEYS)
        self.assertEqual(members(client, "b", "b"), KEYS)
        script = "return redis.call('BF.MERGE', KEYS[1], KEYS[2], KEYS[3])"
        self.assertEqual(client.call("EVAL", script, "3", "all", "a", "c"), "OK")
        self.assertEqual(members(client, "all", "a", "b", "c"), 3 * KEYS)
        # Also where a job has begun: that is finished first.
        waiting = begin(self.server, "BF.MERGE", "c", "a")
        client.call("MULTI")
        client.call("BF.MERGE", "c", "b")
        client.call("BF.CARD", "c")
        self.assertEqual(client.call("EXEC"), ["OK", client.call("BF.CARD", "c")])
        self.assertEqual(waiting.read(), "OK")
        self.assertEqual(members(client, "c", "a", "b", "c"), 3 * KEYS)

    def test_jobs_of_several_clients(self):
        waiting = [begin(self.server, "BF.MERGE", name, "a", "b") for name in ("x", "y", "z")]
        self.assertEqual(jobs(self.client), 3)
        self.client.call("BF.ADD", "x", "only here")
        self.assertEqual(waiting[0].read(), "OK")
        self.assertEqual(jobs(self.client), 2)
        # What merges from a filter that a job is about to change gets its result.
        chained = self.server.client()
        chained.send("BF.MERGE", "last", "y", "c")
        self.assertEqual(waiting[1].read(), "OK")
        self.assertEqual(jobs(self.client), 2)
        self.client.call("BF.ADD", "a", "x")
        self.assertEqual(waiting[2].read(), "OK")
        self.client.call("BF.ADD", "last", "x")
        self.assertEqual(chained.read(), "OK")
        self.assertEqual(members(self.client, "last", "a", "b", "c"), 3 * KEYS)

    def test_a_primary_that_becomes_a_replica_gives_up(self):
        before = digest(self.client, "a")
        waiting = begin(self.server, "BF.MERGE", "a", "b")
        try:
            self.client.call("REPLICAOF", "127.0.0.1", str(free_port()))
            self.assertIn("UNBLOCKED", str(waiting.read()))
            self.assertEqual(jobs(self.client), 0)
            self.assertEqual(digest(self.client, "a"), before)
        finally:
            self.client.call("REPLICAOF", "NO", "ONE")

    def test_maxmemory_ends_a_job(self):
        before = [digest(self.client, name) for name in "ab"]
        waiting = begin(self.server, "BF.MERGE", "a", "b")
        try:
            self.client.call("CONFIG", "SET", "maxmemory", str(self.client.used_memory() - 50_000))
            self.assertTrue(str(waiting.read()).startswith("OOM "))
        finally:
            self.client.call("CONFIG", "SET", "maxmemory", "0")
        self.assertEqual([digest(self.client, name) for name in "ab"], before)


class Quick(unittest.TestCase):
    """Jobs of some dozens of steps, which come to their end."""

    step = ["STEP_BYTES", "65536"]

    def at_once(self, client, *command):
        """The same in a transaction, which is not done in steps."""
        client.call("MULTI")
        client.call(*command)
        self.assertEqual(client.call("EXEC"), ["OK"])

    def test_the_result_is_that_of_one_step(self):
        with Server(self.step) as server:
            client = server.client()
            for options in ([], ["DELETABLE"]):
                client.call("FLUSHALL")
                for name in "abc":
                    client.call("BF.RESERVE", name, "0.001", "1000", *options)
                    client.call("BF.MADD", name, *keys(0, KEYS, name), *keys(0, 1000, "shared"))
                client.call("COPY", "a", "at once")
                self.assertEqual(client.call("BF.MERGE", "a", "b", "c"), "OK")
                self.at_once(client, "BF.MERGE", "at once", "b", "c")
                self.assertEqual(digest(client, "a"), digest(client, "at once"))
                self.assertEqual(members(client, "a", "a", "b", "c"), 3 * KEYS)
                self.assertEqual(client.call("BF.MERGE", "new", "a", "b", "c"), "OK")
                self.assertEqual(members(client, "new", "a", "b", "c"), 3 * KEYS)
                self.assertEqual(client.call("BF.CARD", "new"), client.call("BF.CARD", "a"))
                for capacity in (300_000, 61_000):  # more than it has, and back to what it needs
                    size = client.call("BF.INFO", "a", "SIZE")[0]
                    self.assertEqual(client.call("BF.RESIZE", "a", capacity), "OK")
                    self.at_once(client, "BF.RESIZE", "at once", capacity)
                    self.assertEqual(digest(client, "a"), digest(client, "at once"))
                    self.assertEqual(client.call("BF.INFO", "a", "CAPACITY"), [capacity])
                    self.assertEqual(members(client, "a", "a", "b", "c"), 3 * KEYS)
                    smaller = client.call("BF.INFO", "a", "SIZE")[0] < size
                    self.assertEqual(smaller, capacity == 61_000)
                if options:
                    self.assertEqual(sum(client.call("BF.MDEL", "a", *keys(0, KEYS, "b"))), KEYS)
                    self.assertEqual(members(client, "a", "a", "c"), 2 * KEYS)

    def test_a_replica_has_the_same_keys(self):
        with Server(self.step) as primary, Server(self.step) as replica:
            client, follower = primary.client(), replica.client()
            follower.call("REPLICAOF", "127.0.0.1", str(primary.port))
            wait_for_replica(follower)
            fill(client, "a", "b", "c")
            self.assertEqual(client.call("BF.MERGE", "a", "b"), "OK")
            self.assertEqual(client.call("BF.RESIZE", "c", "300000"), "OK")
            waiting = begin(primary, "BF.MERGE", "all", "a", "c")
            client.call("BF.MADD", "a", *keys(0, 1000, "late"))
            self.assertEqual(waiting.read(), "OK")
            self.assertEqual(client.call("WAIT", "1", "30000"), 1)
            for name in ("a", "b", "c", "all"):
                self.assertEqual(digest(follower, name), digest(client, name))
            self.assertEqual(members(follower, "all", "a", "b", "c"), 3 * KEYS)
            self.assertEqual(sum(follower.call("BF.MEXISTS", "a", *keys(0, 1000, "late"))), 1000)

    def test_an_append_only_file_has_the_changes_in_their_order(self):
        folder = tempfile.mkdtemp(prefix="everbloom-redis-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        options = {"appendonly": "yes", "aof_use_rdb_preamble": "no"}
        with Server(self.step, folder=folder, **options) as server:
            client = server.client()
            fill(client, "a", "b")
            self.assertEqual(client.call("BF.MERGE", "new", "a", "b"), "OK")
            waiting = begin(server, "BF.MERGE", "a", "b")
            client.call("BF.MADD", "b", *keys(0, 1000, "late"))
            self.assertEqual(waiting.read(), "OK")
            self.assertEqual(client.call("BF.RESIZE", "b", "300000"), "OK")
            before = [digest(client, name) for name in ("a", "b", "new")]
        with Server(self.step, folder=folder, **options) as server:
            client = server.client()
            self.assertEqual([digest(client, name) for name in ("a", "b", "new")], before)
            self.assertEqual(members(client, "a", "a", "b"), 2 * KEYS)

    def test_paused_clients_do_not_end_the_server(self):
        with Server(self.step) as server:
            client = server.client()
            fill(client, "a", "b")
            waiting = begin(server, "BF.MERGE", "a", "b")
            client.call("CLIENT", "PAUSE", "700", "WRITE")
            self.assertEqual(waiting.read(), "OK")
            self.assertEqual(members(client, "a", "a", "b"), 2 * KEYS)

    def test_keyspace_events(self):
        with Server(self.step, notify_keyspace_events="Ed") as server:
            client, listener = server.client(), server.client()
            fill(client, "a", "b")
            listener.call("PSUBSCRIBE", "__keyevent@*__:bf.*e")
            client.call("BF.MERGE", "a", "b")
            client.call("BF.RESIZE", "b", "300000")
            self.assertEqual([listener.read()[2:] for _ in range(2)],
                             [[b"__keyevent@0__:bf.merge", b"a"], [b"__keyevent@0__:bf.resize", b"b"]])

    def test_errors_change_nothing(self):
        with Server([*self.step, "MAX_BYTES", "90000", "HASH_KEY", "00" * 16]) as server, Server(["HASH_KEY", "11" * 16]) as other:
            client = server.client()
            fill(client, "a", "b", capacity=20_000)
            fill(other.client(), "foreign", capacity=20_000)
            dump = other.clients[0].call("DUMP", "foreign")
            client.call("RESTORE", "foreign", "0", dump)
            before = [digest(client, name) for name in ("a", "b", "foreign")]
            self.assertEqual(str(client.reply("BF.MERGE", "a", "b", "b", "a", "b")), "ERR Insufficient memory to create filter")
            self.assertEqual(str(client.reply("BF.RESIZE", "a", "800000")), "ERR Insufficient memory to create filter")
            self.assertIn("is too small", str(client.reply("BF.RESIZE", "a", "1000")))
            self.assertIn("hash key", str(client.reply("BF.MERGE", "a", "b", "foreign")))
            self.assertEqual(str(client.reply("BF.MERGE", "a", "b", "none")), "ERR not found")
            self.assertEqual([digest(client, name) for name in ("a", "b", "foreign")], before)
            self.assertEqual(jobs(client), 0)

    def test_too_many_keys_of_deletable_filters(self):
        with Server(self.step) as server:
            client = server.client()
            for name in ("a", "b"):
                client.call("BF.RESERVE", name, "0.01", "1000", "DELETABLE")
                for first in range(0, 700_000, 50_000):
                    client.call("BF.MADD", name, *keys(first, first + 50_000, name))
            before = [digest(client, name) for name in ("a", "b")]
            reply = client.reply("BF.MERGE", "a", "b")
            self.assertEqual(str(reply), "ERR the filters have too many keys together to tell them apart")
            self.assertEqual([digest(client, name) for name in ("a", "b")], before)


if __name__ == "__main__":
    unittest.main()
