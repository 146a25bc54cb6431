"""BF.*: sets that grow, sets that can forget, replies of RESP3, bad input."""

import unittest

from server import Error, ServerTest, keys


class Bloom(ServerTest):
    def count(self, command, key, items):
        return sum(sum(self.client.call(command, key, *items[i : i + 1000])) for i in range(0, len(items), 1000))

    def test_a_filter_grows_from_nothing_and_keeps_its_error_rate(self):
        members, others = keys(0, 50_000), keys(0, 50_000, "other")
        added = self.count("BF.MADD", "f", members)
        self.assertEqual(self.client.call("BF.CARD", "f"), added)
        self.assertEqual(self.count("BF.MEXISTS", "f", members), len(members))
        # 1 % of 50,000 would be 500; planned for 16 million keys, it is far below. Keys taken for present are not added again.
        self.assertLess(self.count("BF.MEXISTS", "f", others), 100)
        self.assertGreater(added, len(members) - 100)

    def test_a_filter_of_fixed_size_has_the_error_rate_it_was_reserved_with(self):
        self.client.call("BF.RESERVE", "f", "0.01", "20000", "NONSCALING")
        self.count("BF.MADD", "f", keys(0, 19_000))
        found = self.count("BF.MEXISTS", "f", keys(0, 20_000, "other"))
        # About 180 are expected. 320 is ten standard deviations more, and none would be a filter that is larger than asked for.
        self.assertLess(found, 320)
        self.assertGreater(found, 60)
        self.assertEqual(self.count("BF.MEXISTS", "f", keys(0, 19_000)), 19_000)

    def test_adding_a_member_again_changes_nothing(self):
        self.client.call("BF.MADD", "f", *keys(0, 1000))
        before = self.client.call("DEBUG", "DIGEST-VALUE", "f")
        self.assertEqual(sum(self.client.call("BF.MADD", "f", *keys(0, 1000))), 0)
        self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "f"), before)

    def test_keys_are_bytes(self):
        strange = [b"", b"\0", b"\r\n", b"\xff" * 1000, bytes(range(256))]
        self.assertEqual(self.client.call("BF.MADD", "f", *strange), [1] * 5)
        self.assertEqual(self.client.call("BF.MEXISTS", "f", *strange), [1] * 5)
        self.assertEqual(self.client.call("BF.ADD", b"\0\xff", b"x"), 1)
        self.assertEqual(self.client.call("BF.EXISTS", b"\0\xff", b"x"), 1)

    def test_a_plain_filter_refuses_removals_with_words(self):
        self.client.call("BF.ADD", "f", "a")
        for command in ("BF.DEL", "BF.MDEL"):
            self.assertIn("DELETABLE", str(self.client.reply(command, "f", "a")))
        self.assertEqual(self.client.call("BF.EXISTS", "f", "a"), 1)

    def test_a_deletable_filter_removes_members_and_nothing_else(self):
        self.client.call("BF.RESERVE", "f", "0.05", "1000", "DELETABLE")
        members, others = keys(0, 20_000), keys(0, 20_000, "other")
        # Told apart by long fingerprints: no key is mistaken for another, whatever error rate was asked for.
        self.assertEqual(self.count("BF.MADD", "f", members), len(members))
        self.assertEqual(self.count("BF.MADD", "f", members), 0)
        self.assertEqual(self.count("BF.MDEL", "f", others), 0)
        self.assertEqual(self.count("BF.MDEL", "f", members[:10_000]), 10_000)
        self.assertEqual(self.client.call("BF.DEL", "f", members[0]), 0)
        self.assertEqual(self.client.call("BF.CARD", "f"), 10_000)
        self.assertEqual(self.count("BF.MEXISTS", "f", members[10_000:]), 10_000)
        self.assertEqual(self.count("BF.MEXISTS", "f", members[:10_000] + others), 0)
        self.assertEqual(self.client.call("BF.INSERT", "g", "DELETABLE", "ITEMS", "a", "a"), [1, 0])
        self.assertEqual(self.client.call("BF.DEL", "g", "a"), 1)

    def test_a_full_deletable_filter_of_fixed_size_takes_a_key_for_a_removed_one(self):
        self.client.call("BF.RESERVE", "f", "0.01", "2", "NONSCALING", "DELETABLE")
        replies = self.client.call("BF.MADD", "f", "a", "b", "c")
        self.assertEqual(replies[:2], [1, 1])
        self.assertEqual(str(replies[2]), "ERR non scaling filter is full")
        self.assertEqual(self.client.call("BF.ADD", "f", "a"), 0)
        self.assertEqual(self.client.call("BF.DEL", "f", "a"), 1)
        self.assertEqual(self.client.call("BF.ADD", "f", "c"), 1)

    def test_replies_of_resp3(self):
        client = self.server.client(3)
        self.assertIs(client.call("BF.ADD", "f", "a"), True)
        self.assertIs(client.call("BF.EXISTS", "f", "b"), False)
        self.assertEqual(client.call("BF.MADD", "f", "a", "b"), [False, True])
        self.assertEqual(client.call("BF.MEXISTS", "none", "a"), [False])
        self.assertEqual(client.call("BF.INFO", "f", "ITEMS"), {"Number of items inserted": 2})
        info = client.call("BF.INFO", "f")
        self.assertEqual((info["Capacity"], info["Number of filters"], info["Expansion rate"]), (100, 1, 2))
        self.assertEqual(client.call("BF.CARD", "f"), 2)

    def test_the_capacity_that_is_reported_grows_by_the_expansion(self):
        self.client.call("BF.RESERVE", "f", "0.01", "100", "EXPANSION", "2")
        self.client.call("BF.MADD", "f", *keys(0, 250))
        self.assertEqual(self.client.call("BF.INFO", "f", "CAPACITY"), [300])
        self.client.call("BF.RESERVE", "g", "0.01", "100", "EXPANSION", "1")
        self.client.call("BF.MADD", "g", *keys(0, 250))
        self.assertEqual(self.client.call("BF.INFO", "g", "CAPACITY"), [300])

    def test_requests_that_kill_the_peer_are_refused(self):
        for capacity in ("1000000000000000000", "9223372036854775807", "4000000000"):
            reply = self.client.reply("BF.RESERVE", "f", "0.01", capacity)
            self.assertEqual(str(reply), "ERR Insufficient memory to create filter")
            reply = self.client.reply("BF.INSERT", "f", "CAPACITY", capacity, "ITEMS", "a")
            self.assertIsInstance(reply, Error)
        self.assertIsInstance(self.client.reply("BF.RESERVE", "f", "1e-300", "100"), Error)
        self.assertIsInstance(self.client.reply("BF.RESERVE", "f", "nan", "100"), Error)
        self.assertEqual(self.client.call("EXISTS", "f"), 0)

    def test_many_arguments(self):
        self.assertEqual(sum(self.client.call("BF.MADD", "f", *keys(0, 100_000))), self.client.call("BF.CARD", "f"))


if __name__ == "__main__":
    unittest.main()
