"""Random commands on a primary with little room, and on exact sets beside it: no member is missed, and a replica and a restarted server
have the same filters."""

import os
import random
import shutil
import tempfile
import time
import unittest

from server import Error, Server

ROUNDS = {"few": 1500, "many": 40_000}.get(os.environ.get("EVERBLOOM_TEST_ROUNDS", ""), 5000)


class Model:
    """What the filters must hold: a number of copies per key; nothing where a filter may have forgotten by design."""

    def __init__(self):
        self.sets = {}

    def members(self, name):
        return [item for item, copies in self.sets.get(name, {}).items() if copies > 0]


def step(client, chance, model):
    name = chance.choice(("plain", "fixed", "deletable", "cuckoo", "counted"))
    items = [f"item:{chance.randrange(3000)}" for _ in range(chance.choice((1, 3, 40)))]
    held = model.sets.setdefault(name, {})
    if name in ("cuckoo", "counted"):
        # Only members are removed, and no copy is refused by "NX": then nothing is lost.
        if chance.random() < 0.4 and held:
            item = chance.choice(list(held))
            if held[item] > 0:
                assert client.call("CF.DEL", name, item) == 1, (name, item)
                held[item] -= 1
            return
        for item, outcome in zip(items, client.call("CF.INSERT", name, "ITEMS", *items)):
            if outcome == 1:
                held[item] = held.get(item, 0) + 1
        return
    if name == "deletable" and chance.random() < 0.4:
        for item, outcome in zip(items, client.call("BF.MDEL", name, *items)):
            assert outcome == (1 if held.get(item) else 0), (item, outcome)
            held[item] = 0
        return
    for item, outcome in zip(items, client.call("BF.MADD", name, *items)):
        if not isinstance(outcome, Error):
            held[item] = 1


class Random(unittest.TestCase):
    def test_no_member_is_missed_and_all_servers_are_equal(self):
        folder = tempfile.mkdtemp(prefix="everbloom-redis-")
        self.addCleanup(shutil.rmtree, folder, True)
        chance, model = random.Random(7), Model()
        aof = {"appendonly": "yes", "appendfsync": "no"}
        with Server(["MAX_BYTES", "60000"], folder=folder, **aof) as primary, Server() as replica:
            client, copy = primary.client(), replica.client()
            client.call("BF.RESERVE", "fixed", "0.01", "500", "NONSCALING")
            client.call("BF.RESERVE", "deletable", "0.05", "50", "DELETABLE")
            client.call("CF.RESERVE", "counted", "400", "EXPANSION", "0")
            copy.call("REPLICAOF", "127.0.0.1", primary.port)
            for number in range(ROUNDS):
                step(client, chance, model)
                if number in (ROUNDS // 3, ROUNDS // 2):
                    client.call("DEBUG", "RELOAD")
            for _ in range(300):
                if "master_link_status:up" in copy.call("INFO", "replication").decode() and client.call("WAIT", 1, 1000) == 1:
                    break
                time.sleep(0.1)
            names = sorted(model.sets)
            before = {name: client.call("DEBUG", "DIGEST-VALUE", name) for name in names}
            for name in names:
                members = model.members(name)
                command = "CF.MEXISTS" if name in ("cuckoo", "counted") else "BF.MEXISTS"
                self.assertGreater(len(members), 50)
                self.assertEqual(sum(client.call(command, name, *members)), len(members), name)
                self.assertEqual(sum(copy.call(command, name, *members)), len(members), name)
            self.assertEqual({name: copy.call("DEBUG", "DIGEST-VALUE", name) for name in names}, before)
        with Server(["MAX_BYTES", "60000"], folder=folder, **aof) as again:
            client = again.client()
            self.assertEqual({name: client.call("DEBUG", "DIGEST-VALUE", name) for name in names}, before)


if __name__ == "__main__":
    unittest.main()
