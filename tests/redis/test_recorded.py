"""The peer's recorded replies, compared with ours byte for byte. Differences are those of differences.txt, with a reason each.

The recording is not a part of the project: without it there is nothing to compare, and the test says so."""

import os
import unittest

from server import SOURCE, Error, Server, Verbatim

RECORDED = os.path.join(SOURCE, "..", "shared", "data", "redis", "redisbloom-2.8.20-replies-resp2.txt")
DIFFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.txt")


def shown(reply):
    """In the form of the recording."""
    if isinstance(reply, Error):
        return f"-{reply}"
    if isinstance(reply, Verbatim):
        return f"+{reply}"
    if isinstance(reply, int):
        return f":{reply}"
    if reply is None:
        return "$null"
    if isinstance(reply, list):
        return "*[" + ", ".join(shown(one) for one in reply) + "]"
    printable = all(32 <= byte < 127 for byte in reply)
    return f"${len(reply)}:" + (reply.decode() if printable else reply.hex())


def recorded_probes():
    """Command and reply. The reply begins at column 59, or behind a longer command."""
    with open(RECORDED, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("===="):
                continue
            at = 59 if line[58] == " " else line.index(" ", 59) + 1
            yield line[:at].strip(), line[at:]


def expected_differences():
    with open(DIFFERENCES, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return {command.strip(): reason.strip() for command, reason in (line.split(" | ") for line in lines)}


@unittest.skipUnless(os.path.exists(RECORDED), "the recording is not here")
class Recorded(unittest.TestCase):
    def test_replies_are_those_of_the_peer_except_for_the_listed(self):
        expected = expected_differences()
        self.assertTrue(all(expected.values()), "a difference without a reason")
        differing = {}
        probes = list(recorded_probes())
        self.assertGreater(len(probes), 200)
        with Server(enable_debug_command="no") as server:
            client = server.client()
            client.call("SET", "str", "x")
            client.call("CF.RESERVE", "cfk", "100")
            for command, reply in probes:
                ours = shown(client.reply(*command.split(" ")))
                if ours != reply:
                    differing[command] = f"peer {reply[:160]}\n    ours {ours[:160]}"
        unexpected = [f"{command}\n    {both}" for command, both in differing.items() if command not in expected]
        self.assertEqual(unexpected, [], "\n".join(["", *unexpected]))
        stale = [command for command in expected if command not in differing]
        self.assertEqual(stale, [], "listed as different, but equal")


if __name__ == "__main__":
    unittest.main()
