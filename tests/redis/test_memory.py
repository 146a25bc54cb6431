"""Memory: the server counts it, MEMORY USAGE tells the truth, limits hold and leave nothing half done."""

import time
import unittest

from server import SANITIZED, Error, Server


@unittest.skipIf(SANITIZED, "a sanitizer has its own memory")
class Memory(unittest.TestCase):
    def test_the_server_counts_the_memory_of_filters(self):
        with Server() as server:
            client = server.client()
            for options in ([], ["DELETABLE"]):
                before = client.used_memory()
                client.call("BF.RESERVE", "f", "0.01", "2000000", *options)
                told = client.call("MEMORY", "USAGE", "f", "SAMPLES", "0")
                # 5 %, and what the server's clients take.
                self.assertLess(abs(client.used_memory() - before - told), told * 0.05 + 100_000)
                client.call("DEL", "f")
                self.assertLess(abs(client.used_memory() - before), 200_000)

    def test_it_counts_while_a_filter_grows(self):
        with Server() as server:
            client = server.client()
            client.call("BF.ADD", "f", "first")
            before = client.used_memory()
            for first in range(0, 300_000, 20_000):
                client.call("BF.MADD", "f", *range(first, first + 20_000))
                told = client.call("MEMORY", "USAGE", "f", "SAMPLES", "0")
                self.assertLess(abs(client.used_memory() - before - told), told * 0.05 + 1_000_000)

    def test_maxmemory_refuses_and_leaves_nothing_half_done(self):
        with Server(maxmemory="3mb", maxmemory_policy="noeviction") as server:
            client = server.client()
            reply = client.reply("BF.RESERVE", "large", "0.001", "8000000")
            self.assertTrue(str(reply).startswith("OOM "), reply)
            self.assertEqual(client.call("EXISTS", "large"), 0)
            added, reply = 0, None
            for first in range(0, 10_000_000, 2000):
                reply = client.reply("BF.MADD", "f", *range(first, first + 2000))
                if isinstance(reply, Error) or isinstance(reply[-1], Error):
                    break
                added = first + 2000
            self.assertGreater(added, 50_000)
            self.assertTrue(str(reply if isinstance(reply, Error) else reply[-1]).startswith("OOM "), reply)
            found = sum(sum(client.call("BF.MEXISTS", "f", *range(i, i + 2000))) for i in range(0, added, 2000))
            self.assertEqual(found, added)
            # What a cut reply says is there is there.
            if not isinstance(reply, Error):
                said = [added + i for i, one in enumerate(reply[:-1]) if one == 1]
                self.assertEqual(sum(client.call("BF.MEXISTS", "f", *said)), len(said))
            client.call("CONFIG", "SET", "maxmemory", "1000000")  # less than it has: the buffers of a client may have been given back
            self.assertTrue(str(client.reply("BF.ADD", "f", "one more")).startswith("OOM "))
            self.assertEqual(client.call("BF.EXISTS", "f", "one more"), 0)
            client.call("DEL", "f")
            client.call("CONFIG", "SET", "maxmemory", "3mb")
            self.assertEqual(client.call("BF.ADD", "f", "again"), 1)

    def test_small_filters_are_counted_to_the_last_string(self):
        with Server() as server:
            client = server.client()
            client.pipeline([("BF.ADD", f"warm:{i}", "a") for i in range(10)])
            for command in (("BF.ADD",), ("CF.ADD",)):
                before = client.used_memory()
                names = [f"{command[0]}:{i}" for i in range(3000)]
                client.pipeline([(*command, name, "a") for name in names])
                told = sum(client.pipeline([("MEMORY", "USAGE", name) for name in names]))
                # 5 %, and the table of the server's keys.
                self.assertLess(abs(client.used_memory() - before - told), told * 0.05 + 200_000)

    def test_a_child_that_saves_needs_no_second_copy(self):
        with Server(appendonly="yes", aof_use_rdb_preamble="no") as server:
            client = server.client()
            client.call("BF.RESERVE", "large", "0.01", "20000000")
            client.call("BF.MADD", "large", *range(10_000))
            size = client.call("MEMORY", "USAGE", "large")
            self.assertGreater(size, 20 << 20)
            client.call("BGREWRITEAOF")
            server.wait_for_rewrite(client)
            client.call("BGSAVE")
            for _ in range(300):
                info = client.call("INFO", "persistence").decode()
                if "rdb_bgsave_in_progress:0" in info:
                    break
                time.sleep(0.1)
            self.assertIn("rdb_last_bgsave_status:ok", info)
            for name in ("rdb_last_cow_size", "aof_last_cow_size"):
                self.assertLess(int(info.split(name + ":")[1].split()[0]), size / 3, name)

    def test_large_filters_are_freed_in_the_background(self):
        with Server() as server:
            client = server.client()
            for name, capacity in (("large", 10_000_000), ("small", 100)):
                client.call("BF.RESERVE", name, "0.01", capacity)
                client.call("UNLINK", name)
            for _ in range(100):
                info = client.call("INFO", "memory").decode()
                if "lazyfreed_objects:1" in info and "lazyfree_pending_objects:0" in info:
                    break
                time.sleep(0.1)
            self.assertIn("lazyfreed_objects:1\r", info)
            self.assertLess(client.used_memory(), 4 << 20)
            self.assertIn("everbloom_filters:0", client.call("INFO", "everbloom_filters").decode())

    def test_the_limit_per_filter_stops_growth(self):
        with Server(["MAX_BYTES", "100000"]) as server:
            client = server.client()
            self.assertEqual(str(client.reply("BF.RESERVE", "f", "0.01", "1000000")), "ERR Insufficient memory to create filter")
            reply = client.call("BF.MADD", "f", *range(1_000_000))
            self.assertEqual(str(reply[-1]), "ERR problem inserting into filter")
            self.assertEqual(sum(client.call("BF.MEXISTS", "f", *range(len(reply) - 1))), len(reply) - 1)
            # The limit is that of the cells; the allocator rounds up by a quarter at most.
            self.assertLess(client.call("MEMORY", "USAGE", "f"), 130_000)
            self.assertGreater(len(reply), 20_000)


if __name__ == "__main__":
    unittest.main()
