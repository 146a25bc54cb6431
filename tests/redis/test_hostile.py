"""Damaged and forged dumps of every kind: refused by the checks of files, with the server's own checksum turned off; the server lives."""

import os
import random
import unittest

from server import Error, Server, keys

ROUNDS = {"few": 40, "many": 3000}.get(os.environ.get("EVERBLOOM_TEST_ROUNDS", ""), 150)
KINDS = ["bloom", "counting", "dleft", "elastic", "elastic_blocked", "dynamic", "scalable", "yes_no", "quotient"]


class Hostile(unittest.TestCase):
    def test_damaged_dumps_never_kill_the_server(self):
        chance = random.Random(3)
        with Server() as server:
            client = server.client()
            for kind in KINDS:
                client.call("EB.CREATE", kind, "KIND", kind, "CAPACITY", 100)
                client.call("EB.ADD", kind, *keys(0, 100))
            client.call("EB.PROTECT", "bloom", *keys(1000, 1100))
            client.call("BF.ADD", "plain", "a")
            client.call("CF.INSERT", "cuckoo", "ITEMS", *(["a"] * 30))
            dumps = {name: client.call("DUMP", name) for name in [*KINDS, "plain", "cuckoo"]}
            client.call("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
            for name, dump in dumps.items():
                self.assertEqual(client.call("RESTORE", "whole", 0, dump[:-8] + bytes(8), "REPLACE"), "OK")
                refused = 0
                for _ in range(ROUNDS):
                    damaged = bytearray(dump)
                    how = chance.random()
                    if how < 0.1:
                        damaged = damaged[: chance.randrange(len(damaged) - 10)] + damaged[-10:]
                    elif how < 0.2:
                        at = chance.randrange(len(damaged) - 10)
                        damaged[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
                    else:
                        for _ in range(chance.choice((1, 1, 4))):
                            # Most damage goes to the numbers at the beginning.
                            end = chance.choice((16, 40, 300, len(damaged) - 10))
                            damaged[chance.randrange(min(end, len(damaged) - 10))] = chance.choice((0, 255, chance.randrange(256)))
                    reply = client.reply("RESTORE", "g", 0, bytes(damaged), "REPLACE")
                    refused += isinstance(reply, Error)
                    for words in (("EB.INFO", "g"), ("EB.EXISTS", "g", "x"), ("EB.ADD", "g", "x"), ("BF.ADD", "g", "x"),
                                  ("BF.INFO", "g"), ("CF.DEL", "g", "a"), ("DUMP", "g"), ("MEMORY", "USAGE", "g")):  # fmt: skip
                        client.reply(*words)
                self.assertTrue(server.is_alive(), server.log()[-4000:])
                # What is not refused was not damaged: the same byte was written again, or a byte of the type's name.
                self.assertGreater(refused, ROUNDS * 3 // 4, name)
            for kind in KINDS:
                found = client.call("EB.EXISTS", kind, *keys(0, 100))
                self.assertGreaterEqual(sum(found), 99)

    def test_forged_sizes_allocate_nothing(self):
        with Server() as server:
            client = server.client()
            client.call("BF.ADD", "f", "a")
            dump = client.call("DUMP", "f")
            client.call("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1")
            # A module value: type, 64-bit id, then numbers with an opcode each; the third number is the size of the file.
            for size in (1 << 20, 1 << 31, 1 << 40, (1 << 64) - 1):
                forged = dump[:10] + b"\x02\x01\x02\x00\x02\x81" + size.to_bytes(8, "big") + dump[-10:]
                before = client.used_memory()
                self.assertIsInstance(client.reply("RESTORE", "g", 0, forged), Error)
                after = client.used_memory()
                self.assertLess(after - before, 1 << 20)
            self.assertTrue(server.is_alive())


if __name__ == "__main__":
    unittest.main()
