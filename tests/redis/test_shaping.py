"""BF.MERGE, BF.RESIZE and BF.STATS."""

import unittest

from server import Error, ServerTest, keys


class Shaping(ServerTest):
    def test_a_merged_filter_has_the_keys_of_all(self):
        for options in ([], ["DELETABLE"]):
            self.client.call("FLUSHALL")
            for i, name in enumerate(("a", "b", "c")):
                self.client.call("BF.RESERVE", name, "0.001", "1000", *options)
                self.client.call("BF.MADD", name, *keys(i * 2000, i * 2000 + 3000))
            self.client.call("BF.MERGE", "all", "a", "b", "c")
            self.client.call("BF.MERGE", "a", "b")
            self.assertEqual(sum(self.client.call("BF.MEXISTS", "all", *keys(0, 7000))), 7000)
            self.assertEqual(sum(self.client.call("BF.MEXISTS", "a", *keys(0, 5000))), 5000)
            # A key of several is one key.
            self.assertLessEqual(self.client.call("BF.CARD", "all"), 7000)
            self.assertGreater(self.client.call("BF.CARD", "all"), 6950)
            if options:
                self.assertEqual(self.client.call("BF.DEL", "all", "key:2500"), 1)
                self.assertEqual(self.client.call("BF.DEL", "all", "key:2500"), 0)

    def test_filters_that_do_not_fit_together_are_not_merged(self):
        self.client.call("BF.RESERVE", "a", "0.001", "1000")
        self.client.call("BF.RESERVE", "b", "0.1", "777777")
        self.client.call("BF.RESERVE", "d", "0.001", "1000", "DELETABLE")
        self.client.call("BF.ADD", "a", "x")
        before = self.client.call("DEBUG", "DIGEST-VALUE", "a")
        for source in ("b", "d"):
            self.assertIn("merged", str(self.client.reply("BF.MERGE", "a", source)))
        self.assertEqual(str(self.client.reply("BF.MERGE", "a", "none")), "ERR not found")
        self.client.call("SET", "s", "x")
        self.assertTrue(str(self.client.reply("BF.MERGE", "a", "s")).startswith("WRONGTYPE"))
        self.assertTrue(str(self.client.reply("BF.MERGE", "s", "a")).startswith("WRONGTYPE"))
        self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "a"), before)

    def test_a_filter_is_resized_without_its_keys(self):
        for options in ([], ["DELETABLE"]):
            self.client.call("FLUSHALL")
            self.client.call("BF.RESERVE", "f", "0.01", "1000", *options)
            self.client.call("BF.MADD", "f", *keys(0, 1000))
            self.client.call("BF.RESIZE", "f", "100000")
            self.assertEqual(self.client.call("BF.INFO", "f", "CAPACITY"), [100_000])
            self.assertEqual(sum(self.client.call("BF.MEXISTS", "f", *keys(0, 1000))), 1000)

    def test_a_resize_that_would_raise_the_error_rate_is_refused(self):
        self.client.call("BF.RESERVE", "f", "0.01", "1000", "NONSCALING")
        self.client.call("BF.ADD", "f", "a")
        before = self.client.call("DEBUG", "DIGEST-VALUE", "f")
        self.assertIsInstance(self.client.reply("BF.RESIZE", "f", "100000"), Error)
        self.assertIsInstance(self.client.reply("BF.RESIZE", "f", "1000000000000000000"), Error)
        self.assertIsInstance(self.client.reply("BF.RESIZE", "f", "x"), Error)
        self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "f"), before)

    def test_statistics_say_what_is_measured(self):
        client = self.server.client(3)
        client.call("BF.RESERVE", "f", "0.01", "10000", "NONSCALING")
        client.call("BF.MADD", "f", *keys(0, 10_000))
        stats = client.call("BF.STATS", "f")
        self.assertEqual(stats["Kind"], b"quotient")
        self.assertEqual(stats["Target error rate"], 0.01)
        self.assertGreater(stats["Current error rate"], 0.005)
        self.assertLess(stats["Current error rate"], 0.0105)
        self.assertLess(stats["Bits per key"], 12)
        self.assertEqual(stats["Deletable share"], 0)
        self.assertEqual(stats["Keys"], client.call("BF.CARD", "f"))


if __name__ == "__main__":
    unittest.main()
