"""node-redis, as it is, against the module, in RESP3 and RESP2 (node/clients.mjs)."""

import os
import shutil
import subprocess
import unittest

from server import SOURCE, Server

FOLDER = os.environ.get("EVERBLOOM_NODE_REDIS", os.path.join(SOURCE, "build", "node-redis"))


@unittest.skipUnless(shutil.which("node") and os.path.exists(os.path.join(FOLDER, "installed")), "tests/redis/node/install was not run")
class NodeRedis(unittest.TestCase):
    def test_its_own_methods_give_the_replies_they_give_with_the_peer(self):
        script = os.path.join(SOURCE, "tests", "redis", "node", "clients.mjs")
        with Server() as server:
            done = subprocess.run(["node", script, str(server.port)], env={**os.environ, "EVERBLOOM_NODE_REDIS": FOLDER},
                                  capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
            self.assertEqual((done.returncode, done.stdout), (0, "RESP3: ok\nRESP2: ok\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
