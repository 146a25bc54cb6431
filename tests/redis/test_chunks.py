"""SCANDUMP and LOADCHUNK: filters travel in chunks; what is damaged, forged or out of order is refused, and the server lives."""

import random
import unittest

from server import Error, ServerTest, keys


def dump(client, family, key):
    chunks, position = [], 0
    while True:
        position, chunk = client.call(f"{family}.SCANDUMP", key, position)
        if position == 0:
            return chunks
        chunks.append((position, chunk))


class Chunks(ServerTest):
    def test_a_filter_travels_in_chunks(self):
        client = self.client
        client.call("BF.MADD", "BF", *keys(0, 5000))
        client.call("CF.INSERT", "CF", "ITEMS", *keys(0, 5000), *keys(0, 100), *(["often"] * 20))
        client.call("CF.RESERVE", "empty", 1000, "BUCKETSIZE", 4)
        for family, key in (("BF", "BF"), ("CF", "CF"), ("CF", "empty")):
            for position, chunk in dump(client, family, key):
                client.call(f"{family}.LOADCHUNK", "loaded", position, chunk)
            self.assertEqual(client.call("DEBUG", "DIGEST-VALUE", "loaded"), client.call("DEBUG", "DIGEST-VALUE", key))
            self.assertEqual(client.call("TYPE", "loaded"), "everbloom")
            client.call("DEL", "loaded")

    def test_large_filters_have_several_chunks(self):
        self.client.call("BF.RESERVE", "large", "0.0001", "11000000", "NONSCALING")
        self.client.call("BF.MADD", "large", *keys(0, 1000))
        chunks = dump(self.client, "BF", "large")
        self.assertGreater(len(chunks), 3)
        self.assertLessEqual(max(len(chunk) for _, chunk in chunks), 16 << 20)
        for position, chunk in chunks[:-1]:
            self.client.call("BF.LOADCHUNK", "loaded", position, chunk)
        if len(chunks) > 2:  # not all has arrived: it answers like an absent one, and says so where it changes something
            self.assertEqual(self.client.call("BF.EXISTS", "loaded", "key:1"), 0)
        self.assertIn("still being loaded", str(self.client.reply("BF.ADD", "loaded", "x")))
        self.client.call("DEBUG", "RELOAD")
        self.client.call("BF.LOADCHUNK", "loaded", *chunks[-1])
        self.assertEqual(sum(self.client.call("BF.MEXISTS", "loaded", *keys(0, 1000))), 1000)

    def test_a_filter_that_is_changed_during_its_dump_never_makes_a_wrong_one(self):
        self.client.call("BF.RESERVE", "f", "0.001", "11000000")
        self.client.call("BF.MADD", "f", *keys(0, 1000))
        refused = 0
        for change in [("BF.ADD", "f", f"x{i}") for i in range(4)] + [("BF.MADD", "f", *keys(1000, 2000))]:
            chunks, position = [], 0
            while True:
                position, chunk = self.client.call("BF.SCANDUMP", "f", position)
                if position == 0:
                    break
                chunks.append((position, chunk))
                if len(chunks) == 2:
                    self.client.call(*change)
            self.assertGreater(len(chunks), 2)
            # A chunk is checked when it comes: the first one that does not fit is refused, and the key is gone.
            if all(self.client.reply("BF.LOADCHUNK", "g", *chunk) == "OK" for chunk in chunks):
                # Nothing of what was changed had been dumped before.
                self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "g"), self.client.call("DEBUG", "DIGEST-VALUE", "f"))
            else:
                refused += 1
                self.assertEqual(self.client.call("EXISTS", "g"), 0)
            self.client.call("DEL", "g")
        self.assertGreater(refused, 0)

    def test_chunks_out_of_order_are_refused(self):
        self.client.call("BF.MADD", "f", *keys(0, 5000))
        header, body = dump(self.client, "BF", "f")
        self.assertEqual(str(self.client.reply("BF.LOADCHUNK", "g", *body)), "ERR not found")
        self.client.call("BF.LOADCHUNK", "g", *header)
        half = len(body[1]) // 2
        reply = self.client.reply("BF.LOADCHUNK", "g", body[0], body[1][half:])
        self.assertEqual(str(reply), "ERR invalid offset - no link found")
        reply = self.client.reply("BF.LOADCHUNK", "g", body[0] + 1, body[1] + b"x")
        self.assertEqual(str(reply), "ERR invalid chunk - Too big for current filter")
        self.client.call("BF.LOADCHUNK", "g", 1 + half, body[1][:half])
        self.client.call("BF.LOADCHUNK", "g", body[0], body[1][half:])
        self.assertEqual(sum(self.client.call("BF.MEXISTS", "g", *keys(0, 5000))), 5000)

    def test_chunks_of_a_byte_each_take_no_more_memory_than_they_have(self):
        self.client.call("BF.MADD", "f", *keys(0, 5000))
        header, (_, body) = dump(self.client, "BF", "f")
        self.client.call("BF.LOADCHUNK", "g", *header)
        before = self.client.used_memory()
        replies = self.client.pipeline([("BF.LOADCHUNK", "g", 2 + i, body[i : i + 1]) for i in range(len(body) - 1)])
        self.assertEqual(set(replies), {"OK"})
        self.assertLess(self.client.used_memory() - before, 4 * len(body) + 300_000)
        self.client.call("BF.LOADCHUNK", "g", 1 + len(body), body[-1:])
        self.assertEqual(sum(self.client.call("BF.MEXISTS", "g", *keys(0, 5000))), 5000)

    def test_a_filter_of_one_family_does_not_become_one_of_the_other(self):
        self.client.call("BF.MADD", "f", *keys(0, 50))
        header, body = dump(self.client, "BF", "f")
        self.client.call("CF.LOADCHUNK", "g", *header)
        self.assertIsInstance(self.client.reply("CF.LOADCHUNK", "g", *body), Error)
        self.assertEqual(self.client.call("EXISTS", "g"), 0)

    def test_forged_headers_are_refused(self):
        for total in (0, 1 << 62, (1 << 64) - 1, 1 << 40):
            header = b"EBchunks" + total.to_bytes(8, "little")
            self.assertIsInstance(self.client.reply("BF.LOADCHUNK", "f", 1, header), Error)
        # The peer's own header, with sizes of which it would die.
        peer = bytes.fromhex("0300000000000000ffffffff05000000020000009000000000000000")
        self.assertEqual(str(self.client.reply("BF.LOADCHUNK", "f", 1, peer)), "ERR received bad data")
        self.assertEqual(self.client.call("EXISTS", "f"), 0)

    def test_random_damage_never_kills_the_server(self):
        chance = random.Random(20)
        self.client.call("BF.MADD", "f", *keys(0, 300))
        self.client.call("CF.INSERT", "c", "ITEMS", *keys(0, 300), *(["often"] * 9))
        self.client.call("BF.RESERVE", "d", "0.01", "100", "DELETABLE")
        self.client.call("BF.MADD", "d", *keys(0, 300))
        for family, key in (("BF", "f"), ("CF", "c"), ("BF", "d")):
            header, (position, body) = dump(self.client, family, key)
            refused = 0
            for round_number in range(700):
                damaged = bytearray(body)
                for _ in range(chance.choice((1, 1, 2, 8))):
                    at = chance.randrange(min(len(damaged), chance.choice((200, len(damaged)))))
                    damaged[at] = chance.randrange(256)
                self.client.call("DEL", "g")
                self.client.call(f"{family}.LOADCHUNK", "g", *header)
                reply = self.client.reply(f"{family}.LOADCHUNK", "g", position, bytes(damaged))
                refused += isinstance(reply, Error)
                for command in ("EXISTS", "ADD", "DEL", "INFO", "DEBUG"):
                    self.client.reply(f"{family}.{command}", "g", *(["x"] if command in ("EXISTS", "ADD", "DEL") else []))
            self.assertGreater(refused, 600)
            self.assertTrue(self.server.is_alive(), self.server.log())


if __name__ == "__main__":
    unittest.main()
