"""Dumps of RedisBloom: loaded with BF.LOADCHUNK they answer as there, are saved, copied and replicated, and cannot be changed. Damaged and
forged ones are refused, and the server lives."""

import os
import random
import struct
import unittest

from redisbloom_dump import Chain
from server import SOURCE, Error, Server, ServerTest, keys, wait_for_replica

RECORDED = os.path.join(SOURCE, "..", "shared", "data", "redis", "redisbloom-2.8.20-replies-resp2.txt")
PEER = os.environ.get("EVERBLOOM_REDISBLOOM_MODULE", "")
ROUNDS = {"few": 100, "many": 10_000}.get(os.environ.get("EVERBLOOM_TEST_ROUNDS", ""), 250)


def load(client, key, chunks, command=("BF.LOADCHUNK",)):
    for position, chunk in chunks:
        client.call(command[0], key, *command[1:], position, chunk)


def dump(client, key):
    chunks, position = [], 0
    while True:
        position, chunk = client.call("BF.SCANDUMP", key, position)
        if position == 0:
            return chunks
        chunks.append((position, chunk))


def filled(count, **options):
    chain = Chain(**options)
    for key in keys(0, count):
        chain.add(key)
    return chain


class Import(ServerTest):
    def check(self, key, chain, count):
        self.assertEqual(sum(self.client.call("BF.MEXISTS", key, *keys(0, count))), count)
        others = keys(0, 1000, "other")
        expected = [int(chain.has(one)) for one in others]
        self.assertEqual(self.client.call("BF.MEXISTS", key, *others), expected)
        self.assertEqual(self.client.call("EB.EXISTS", key, *others), expected)
        self.assertEqual(self.client.call("BF.EXISTS", key, "key:1"), 1)

    def test_a_chain_answers_as_it_did_there(self):
        for options in ({"capacity": 5000}, {"capacity": 100}, {"capacity": 100, "rounded": True}, {"capacity": 60, "expansion": 1},
                        {"capacity": 2000, "error": 0.2, "fixed": True}, {"capacity": 300, "error": 1e-9}):  # fmt: skip
            with self.subTest(options):
                self.client.call("FLUSHALL")
                count = 1000 if options["capacity"] != 60 else 400
                chain = filled(count, **options)
                load(self.client, "f", chain.chunks())
                self.check("f", chain, count)
                self.assertEqual(self.client.call("BF.CARD", "f"), chain.keys())
                info = self.client.call("BF.INFO", "f")
                info = dict(zip(info[::2], info[1::2]))
                self.assertEqual(info["Number of filters"], len(chain.links))
                self.assertEqual(info["Capacity"], sum(link.capacity for link in chain.links))
                self.assertEqual(info["Expansion rate"], None if options.get("fixed") else chain.expansion)
                self.assertEqual(len(self.client.call("BF.DEBUG", "f")), 1 + len(chain.links))
                facts = self.client.call("EB.INFO", "f")
                facts = dict(zip(facts[::2], facts[1::2]))
                self.assertEqual((facts["kind"], facts["keys"]), (b"redisbloom", chain.keys()))
                self.assertLess(float(facts["current error rate"]), options.get("error", 0.01) * 1.3)
                # What was loaded can be dumped again, for whoever wants to go back.
                self.assertEqual(dump(self.client, "f"), chain.chunks())

    def test_keys_of_every_length_have_the_right_hash(self):
        chain = Chain(capacity=2000, error=1e-6)
        members = [bytes(range(length)) for length in range(70)]
        for member in members:
            chain.add(member)
        load(self.client, "f", chain.chunks())
        self.assertEqual(self.client.call("BF.MEXISTS", "f", *members), [1] * len(members))
        self.assertEqual(sum(self.client.call("BF.MEXISTS", "f", *(one + b"x" for one in members))), 0)

    def test_large_filters_arrive_in_pieces_of_any_size(self):
        chain = filled(500, capacity=1_900_000)
        self.assertGreater(len(chain.links[0].data), 2 << 20)
        for most in (16 << 20, 1 << 20, 700_001):
            load(self.client, "f", chain.chunks(most))
            self.assertEqual(sum(self.client.call("BF.MEXISTS", "f", *keys(0, 500))), 500)
            self.client.call("DEL", "f")

    def test_it_is_saved_copied_and_replicated(self):
        chain = filled(1500, capacity=100)
        with Server() as replica:
            copy = replica.client()
            copy.call("REPLICAOF", "127.0.0.1", self.server.port)
            wait_for_replica(copy)
            load(self.client, "f", chain.chunks())
            digest = self.client.call("DEBUG", "DIGEST-VALUE", "f")
            self.client.call("RESTORE", "restored", 0, self.client.call("DUMP", "f"))
            self.client.call("COPY", "f", "copied")
            self.assertEqual(self.client.call("WAIT", 1, 30_000), 1)
            for name in ("f", "restored", "copied"):
                self.check(name, chain, 1500)
                self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", name), digest)
                self.assertEqual(copy.call("DEBUG", "DIGEST-VALUE", name), digest)
        self.client.call("DEBUG", "RELOAD")
        self.check("f", chain, 1500)

    def test_an_append_only_file_brings_it_back(self):
        chain = filled(1000, capacity=100)
        chunks = chain.chunks(500)
        with Server(appendonly="yes", aof_use_rdb_preamble="no") as server:
            client = server.client()
            load(client, "f", chunks)
            load(client, "half", chunks[: len(chunks) // 2])
            client.call("BGREWRITEAOF")
            server.wait_for_rewrite(client)
            client.call("DEBUG", "LOADAOF")
            self.assertEqual(sum(client.call("BF.MEXISTS", "f", *keys(0, 1000))), 1000)
            self.assertIn("still being loaded", str(client.reply("BF.INFO", "half")))
            load(client, "half", chunks[len(chunks) // 2 :])
            self.assertEqual(client.call("DEBUG", "DIGEST-VALUE", "half"), client.call("DEBUG", "DIGEST-VALUE", "f"))

    def test_it_cannot_be_changed(self):
        load(self.client, "f", filled(200, capacity=100).chunks())
        self.client.call("BF.ADD", "g", "a")
        before = self.client.call("DEBUG", "DIGEST-VALUE", "f")
        for words in (("BF.ADD", "f", "x"), ("BF.MADD", "f", "x"), ("BF.INSERT", "f", "ITEMS", "x"), ("BF.DEL", "f", "key:1"),
                      ("BF.MDEL", "f", "key:1"), ("BF.RESIZE", "f", "10"), ("BF.MERGE", "g", "f"), ("BF.MERGE", "f", "g"),
                      ("BF.STATS", "f"), ("EB.ADD", "f", "x"), ("EB.DEL", "f", "x"), ("EB.PROTECT", "f", "x"),
                      ("EB.EXPORT", "f")):  # fmt: skip
            self.assertIn("imported from RedisBloom", str(self.client.reply(*words)), words)
        for words in (("BF.RESERVE", "f", "0.1", "10"), ("BF.LOADCHUNK", "f", 1, "x"), ("BF.LOADCHUNK", "f", 2, "x"),
                      ("CF.ADD", "f", "x"), ("CF.DEL", "f", "x"), ("EB.LOADCHUNK", "f", "REDISBLOOM", 1, "x"),
                      ("EB.LOADCHUNK", "f", "REDISBLOOM", 2, "x"), ("EB.LOADCHUNK", "f", "BF", 9, "x")):  # fmt: skip
            self.assertIsInstance(self.client.reply(*words), Error, words)
        self.assertEqual(self.client.call("DEBUG", "DIGEST-VALUE", "f"), before)

    def test_memory_is_counted(self):
        with Server() as server:
            client, loader = server.client(), server.client()
            before = client.used_memory()
            load(loader, "f", Chain(capacity=3_000_000).chunks(100_000))
            told = client.call("MEMORY", "USAGE", "f", "SAMPLES", "0")
            self.assertLess(abs(client.used_memory() - before - told), told * 0.05 + 100_000)

    def test_chunks_out_of_order_are_refused(self):
        chain = filled(2000, capacity=100)
        chunks = chain.chunks()
        self.assertEqual(str(self.client.reply("BF.LOADCHUNK", "f", *chunks[1])), "ERR not found")
        self.client.call("BF.LOADCHUNK", "f", *chunks[0])
        self.assertEqual(self.client.call("BF.EXISTS", "f", "key:1"), 0)  # nothing has arrived
        self.assertEqual(str(self.client.reply("BF.LOADCHUNK", "f", *chunks[2])), "ERR invalid offset - no link found")
        size = sum(len(link.data) for link in chain.links)
        reply = self.client.reply("BF.LOADCHUNK", "f", size + 2, bytes(size + 1))
        self.assertEqual(str(reply), "ERR invalid chunk - Too big for current filter")
        load(self.client, "f", chunks[1:])
        self.check("f", chain, 2000)

    def test_forged_headers_are_refused(self):
        good = filled(50, capacity=100)
        link = good.links[0].header()
        start = struct.pack("<QIII", 50, 1, 5, 2)

        def changed(offset, form, value, of=link):
            size = struct.calcsize(form)
            return of[:offset] + struct.pack(form, value) + of[offset + size :]

        forged = {
            "nothing": b"", "short": start[:-1], "no link": start, "half a link": start + link[:-1], "too long": start + link + b"x",
            "no links": changed(8, "<I", 0, start) + link, "many links": changed(8, "<I", 0xFFFFFFFF, start) + link,
            "unknown option": changed(12, "<I", 16 + 5, start) + link, "short hashes": changed(12, "<I", 1, start) + link,
            "keys": changed(0, "<Q", 51, start) + link, "fewer keys": changed(0, "<Q", 49, start) + link,
            "no bytes": start + changed(8, "<Q", 0, changed(0, "<Q", 0)), "bytes": start + changed(0, "<Q", 1 << 40),
            "both": start + changed(8, "<Q", 1 << 43, changed(0, "<Q", 1 << 40)),
            "overflow": start + changed(8, "<Q", 0, changed(0, "<Q", 1 << 61)),
            "error 0": start + changed(24, "<d", 0.0), "error nan": start + changed(24, "<d", float("nan")),
            "error 1": start + changed(24, "<d", 1.0), "no hashes": start + changed(40, "<I", 0),
            "hashes": start + changed(40, "<I", 0xFFFFFFFF), "range": start + changed(52, "<B", 63), "range 64": start + changed(52, "<B", 64),
        }  # fmt: skip
        before = self.client.used_memory()
        for name, header in forged.items():
            for words in (("BF.LOADCHUNK", "f", 1), ("EB.LOADCHUNK", "f", "REDISBLOOM", 1)):
                self.assertIsInstance(self.client.reply(*words, header), Error, name)
            self.assertEqual(self.client.call("EXISTS", "f"), 0, name)
        self.assertIn("32 bits", str(self.client.reply("BF.LOADCHUNK", "f", 1, forged["short hashes"])))
        # 120 MiB are claimed, and nothing comes: no memory is taken for them.
        large = start + changed(8, "<Q", 120 << 23, changed(0, "<Q", 120 << 20))
        self.client.call("BF.LOADCHUNK", "f", 1, large)
        self.assertLess(self.client.used_memory() - before, 2 << 20)

    def test_random_damage_never_kills_the_server(self):
        chance = random.Random(8)
        chunks = filled(300, capacity=100).chunks()
        dumped = None
        self.client.call("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
        for _ in range(ROUNDS):
            header = bytearray(chunks[0][1])
            for _ in range(chance.choice((0, 1, 1, 3))):
                header[chance.randrange(len(header))] = chance.choice((0, 1, 255, chance.randrange(256)))
            self.client.call("DEL", "f")
            self.client.reply("BF.LOADCHUNK", "f", 1, bytes(header))
            for position, chunk in chunks[1:]:
                self.client.reply("BF.LOADCHUNK", "f", position + chance.choice((0, 0, 0, 1, -1)), chunk)
            if dumped is None:
                dumped = self.client.call("DUMP", "f")
            damaged = bytearray(dumped)
            for _ in range(chance.choice((1, 2, 5))):
                damaged[chance.randrange(min(chance.choice((20, 60, 200, 4000)), len(damaged) - 10))] = chance.randrange(256)
            self.client.reply("RESTORE", "g", 0, bytes(damaged), "REPLACE")
            for name in "fg":
                for command in ("BF.EXISTS", "BF.ADD", "BF.DEL", "EB.EXISTS"):
                    self.client.reply(command, name, "x")
                for command in ("BF.INFO", "BF.DEBUG", "BF.CARD", "EB.INFO", "DUMP"):
                    self.client.reply(command, name)
        self.assertTrue(self.server.is_alive(), self.server.log()[-4000:])

    @unittest.skipUnless(os.path.exists(RECORDED), "the recording is not here")
    def test_the_recorded_dump_is_the_one_that_is_made_here(self):
        replies = {}
        with open(RECORDED, encoding="utf-8") as file:
            for line in file:
                if line.startswith("BF.SCANDUMP new ") and "*[" in line:
                    replies[line.split()[2]] = line.rstrip().rstrip("]").split(":")[-1]
        chain = Chain(capacity=100)
        for key in "abc":
            chain.add(key)
        self.assertEqual(replies["0"], chain.header().hex())
        self.assertGreater(len(replies["1"]), 200)  # the recording has the first 120 bytes
        self.assertTrue(chain.chunks()[1][1].hex().startswith(replies["1"]))

    @unittest.skipUnless(PEER, "EVERBLOOM_REDISBLOOM_MODULE does not name RedisBloom's module")
    def test_filters_move_from_the_real_one_side_by_side(self):
        with Server(modules=[[PEER], [os.environ["EVERBLOOM_REDIS_MODULE"]]]) as server:
            client = server.client()
            for capacity in (100, 1000, 50_000):
                client.call("FLUSHALL")
                client.call("BF.RESERVE", "theirs", "0.01", capacity)
                client.call("BF.MADD", "theirs", *keys(0, 20_000))
                load(client, "ours", dump(client, "theirs"), ("EB.LOADCHUNK", "REDISBLOOM"))
                asked = keys(0, 20_000) + keys(0, 20_000, "other")
                self.assertEqual(client.call("EB.EXISTS", "ours", *asked), client.call("BF.MEXISTS", "theirs", *asked))


if __name__ == "__main__":
    unittest.main()
