"""`everbloom redis` against real servers: the examples of its help, lists and filters there and back, one and several nodes."""

import os
import subprocess
import tempfile
import unittest

from server import MODULE, Server

PROGRAM = os.environ.get("EVERBLOOM_PROGRAM") or os.path.join(os.path.dirname(MODULE), "bin", "everbloom")


@unittest.skipIf(not os.path.exists(PROGRAM), "the command line is not built")
class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="everbloom-line-")

    def tearDown(self):
        self.folder.cleanup()

    def run_line(self, *words, text="", code=0):
        done = subprocess.run([PROGRAM, *words], input=text, capture_output=True, text=True, cwd=self.folder.name, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def write(self, name, lines):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    def test_every_example_of_the_help_works(self):
        self.write("names.txt", ["anna", "bert", "carla", "dora", "emil"])
        with Server() as server:
            environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + ":" + os.environ["PATH"]}
            examples = []
            for command in ("push", "check", "sync", "pull"):
                help_text = self.run_line("redis", command, "--help")
                lines = [line.strip() for line in help_text.split("Examples:")[1].splitlines() if "redis://" in line]
                self.assertEqual(len(lines), 2, command)
                examples += lines
            for example in examples:
                line = example.replace(":6379", f":{server.port}")
                done = subprocess.run(["sh", "-c", line], cwd=self.folder.name, env=environment, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, line + "\n" + done.stderr)

    def test_a_list_is_pushed_checked_followed_and_pulled(self):
        keys = [f"user:{i}" for i in range(20000)]
        self.write("list.txt", keys)
        with Server(["HASH_KEY", "00112233445566778899aabbccddeeff"]) as server:
            url = f"redis://127.0.0.1:{server.port}/names"
            self.run_line("redis", "push", "list.txt", url, "--shards", "12", "--deletable")
            self.assertEqual(self.run_line("redis", "check", "-c", url, "list.txt"), "20000\n")
            absent = "".join(f"absent:{i}\n" for i in range(20000))
            found = subprocess.run([PROGRAM, "redis", "check", "-c", url], input=absent, capture_output=True, text=True)
            self.assertLess(int(found.stdout), 40)  # 0.1 % of 20,000 are 20
            self.run_line("redis", "pull", url, "whole.eb")
            self.assertEqual(self.run_line("check", "-c", "whole.eb", "list.txt"), "20000\n")
            followed = url.replace("names", "followed")
            self.run_line("redis", "sync", "list.txt", followed, "--shards", "5")
            self.write("list.txt", keys[5000:] + ["zoe"])
            self.assertIn("1 key added, 5,000 removed", self.run_line("redis", "sync", "list.txt", followed))
            self.assertEqual(self.run_line("redis", "check", "-c", followed, "list.txt"), "15001\n")
            self.write("gone.txt", keys[:5000])
            found = subprocess.run([PROGRAM, "redis", "check", "-c", followed, "gone.txt"], cwd=self.folder.name, capture_output=True, text=True)
            self.assertLess(int(found.stdout), 20)

    def test_parts_are_made_here_and_answer_there(self):
        self.write("list.txt", [f"user:{i}" for i in range(5000)])
        self.run_line("redis", "split", "list.txt", "--out", "part", "--shards", "3")
        with Server() as server:
            url = f"redis://127.0.0.1:{server.port}/names"
            self.run_line("redis", "push", "part.0.eb", "part.1.eb", "part.2.eb", url)
            self.assertEqual(self.run_line("redis", "check", "-c", url, "list.txt"), "5000\n")
            self.run_line("redis", "pull", url, "copy", "--separate")
            for i in range(3):
                with open(os.path.join(self.folder.name, f"part.{i}.eb"), "rb") as one, open(os.path.join(self.folder.name, f"copy.{i}"), "rb") as other:
                    self.assertEqual(one.read(), other.read())

    def test_a_password_is_needed_and_taken_from_the_environment(self):
        with Server(requirepass="secret") as server:
            url = f"redis://127.0.0.1:{server.port}/names"
            done = subprocess.run([PROGRAM, "redis", "push", "-", url], input="anna\n", capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("NOAUTH", done.stderr)
            environment = {**os.environ, "REDISCLI_AUTH": "secret"}
            done = subprocess.run([PROGRAM, "redis", "push", "-", url], input="anna\n", capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([PROGRAM, "redis", "check", url.replace("//", "//:secret@"), "-e", "anna"], capture_output=True, text=True)
            self.assertEqual(done.stdout, "anna\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
