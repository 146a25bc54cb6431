"""Memory: the server counts it, MEMORY USAGE tells the truth, limits hold and leave nothing half done."""

import unittest

from server import Error, Server


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
        with Server(maxmemory="6mb", maxmemory_policy="noeviction") as server:
            client = server.client()
            reply = client.reply("BF.RESERVE", "large", "0.001", "8000000")
            self.assertTrue(str(reply).startswith("OOM "), reply)
            self.assertEqual(client.call("EXISTS", "large"), 0)
            added, reply = 0, None
            for first in range(0, 40_000_000, 10_000):
                reply = client.reply("BF.MADD", "f", *range(first, first + 10_000))
                if isinstance(reply, Error) or isinstance(reply[-1], Error):
                    break
                added = first + 10_000
            self.assertTrue(str(reply if isinstance(reply, Error) else reply[-1]).startswith("OOM "), reply)
            found = sum(sum(client.call("BF.MEXISTS", "f", *range(i, i + 10_000))) for i in range(0, added, 10_000))
            self.assertEqual(found, added)
            # What a cut reply says is there is there.
            if not isinstance(reply, Error):
                said = [added + i for i, one in enumerate(reply[:-1]) if one == 1]
                self.assertEqual(sum(client.call("BF.MEXISTS", "f", *said)), len(said))
            self.assertIsInstance(client.reply("BF.ADD", "f", "one more"), Error)
            client.call("DEL", "f")
            self.assertEqual(client.call("BF.ADD", "f", "again"), 1)

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
