"""CF.*: copies are counted, every member can be removed; the replies of RESP3; filters of fixed size."""

import unittest

from server import ServerTest, keys


class Cuckoo(ServerTest):
    def test_copies_are_counted_and_removed_one_by_one(self):
        for copies in range(1, 8):
            self.assertEqual(self.client.call("CF.ADD", "f", "a"), 1)
            self.assertEqual(self.client.call("CF.COUNT", "f", "a"), copies)
        for copies in range(6, -1, -1):
            self.assertEqual(self.client.call("CF.DEL", "f", "a"), 1)
            self.assertEqual(self.client.call("CF.COUNT", "f", "a"), copies)
        self.assertEqual(self.client.call("CF.DEL", "f", "a"), 0)
        self.assertEqual(self.client.call("CF.EXISTS", "f", "a"), 0)

    def test_a_filter_grows_and_every_member_can_be_removed(self):
        members = keys(0, 20_000)
        self.assertEqual(self.client.call("CF.INSERT", "f", "ITEMS", *members), [1] * 20_000)
        self.assertEqual(sum(self.client.call("CF.MEXISTS", "f", *members)), 20_000)
        self.assertLess(sum(self.client.call("CF.MEXISTS", "f", *keys(0, 20_000, "other"))), 100)
        removed = self.client.pipeline([("CF.DEL", "f", key) for key in members])
        self.assertEqual(removed, [1] * 20_000)
        self.assertEqual(sum(self.client.call("CF.MEXISTS", "f", *members)), 0)
        info = self.client.call("CF.INFO", "f")
        self.assertEqual(dict(zip(info[::2], info[1::2]))["Number of items deleted"], 20_000)
        self.client.call("CF.COMPACT", "f")
        info = self.client.call("CF.INFO", "f")
        self.assertEqual(dict(zip(info[::2], info[1::2]))["Number of items deleted"], 0)

    def test_a_filter_of_fixed_size_says_which_keys_it_refused(self):
        self.client.call("CF.RESERVE", "f", "100", "EXPANSION", "0")
        outcomes = self.client.call("CF.INSERT", "f", "ITEMS", *keys(0, 150))
        self.assertEqual(outcomes, [1] * 100 + [-1] * 50)
        self.assertEqual(str(self.client.reply("CF.ADD", "f", "more")), "Filter is full")
        self.assertEqual(self.client.call("CF.ADDNX", "f", "key:1"), 0)
        self.assertEqual(self.client.call("CF.DEL", "f", "key:1"), 1)
        self.assertEqual(self.client.call("CF.ADD", "f", "more"), 1)

    def test_replies_of_resp3(self):
        client = self.server.client(3)
        self.assertIs(client.call("CF.ADD", "f", "a"), True)
        self.assertIs(client.call("CF.ADDNX", "f", "a"), False)
        self.assertEqual([type(one) for one in client.call("CF.INSERT", "f", "ITEMS", "a")], [bool])
        self.assertEqual([type(one) for one in client.call("CF.INSERTNX", "f", "ITEMS", "a")], [int])
        client.call("CF.RESERVE", "full", "4", "EXPANSION", "0")
        self.assertEqual(client.call("CF.INSERT", "full", "ITEMS", *"abcde"), [True] * 4 + [False])
        self.assertEqual(client.call("CF.INFO", "f")["Bucket size"], 2)
        self.assertEqual(client.call("CF.COUNT", "f", "a"), 2)
        self.assertIs(client.call("CF.DEL", "f", "a"), True)
        self.assertEqual(client.call("CF.SCANDUMP", "f", "100000"), [0, None])

    def test_requests_that_kill_the_peer_are_refused(self):
        for capacity in ("1000000000000000000", "9223372036854775807"):
            reply = self.client.reply("CF.RESERVE", "f", capacity)
            self.assertEqual(str(reply), "ERR Insufficient memory to create filter")
        self.assertEqual(self.client.call("EXISTS", "f"), 0)


if __name__ == "__main__":
    unittest.main()
