"""Threads, processes, and the end of the interpreter. Nothing here is timed; what hangs is ended by the time limit of the run."""

import os
import signal
import subprocess
import sys
import threading
import unittest
from multiprocessing import get_context

from everbloom import Filter, FilterError

KEY = bytes(16)


def in_threads(*jobs):
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as failure:  # to be seen by the test
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class ThreadTest(unittest.TestCase):
    def test_writers_and_readers_in_bulk(self):
        f = Filter(100_000, 0.01, keys=int)

        def write(first):
            for start in range(first, first + 20_000, 2_000):
                f.update(range(start, start + 2_000))
                self.assertTrue(all(f.contains_many(range(start, start + 2_000))))

        in_threads(*(lambda first=first: write(first) for first in range(0, 80_000, 20_000)))
        self.assertEqual(f.count_contained(range(80_000)), 80_000)
        self.assertEqual(len(f), 80_000)

    def test_single_keys_beside_bulk_calls(self):
        f = Filter(200_000, 0.01)
        many = [f"many {i}" for i in range(50_000)]

        def single():
            for i in range(20_000):
                f.add(f"one {i}")
                self.assertIn(f"one {i}", f)
            for i in range(0, 20_000, 2):
                f.remove(f"one {i}")

        in_threads(single, lambda: f.update(many), lambda: f.contains_many(many), lambda: f.stats())
        self.assertTrue(all(f.contains_many(many)))
        self.assertEqual(len(f), 60_000)

    def test_filters_merged_in_both_directions(self):
        a, b = (Filter(20_000, 0.01, kind="elastic_blocked", hash_key=KEY, keys=int) for _ in "ab")
        a.update(range(5_000))
        b.update(range(5_000, 10_000))

        # Each merge adds copies; taking turns they nearly double, and may reach the largest count: then a merge is refused, and that is right.
        def merge(into, other):
            for _ in range(20):
                try:
                    into |= other
                except FilterError as refused:
                    self.assertIn("more copies than can be counted", str(refused))
                self.assertIs(type(into == other), bool)

        in_threads(lambda: merge(a, b), lambda: merge(b, a), lambda: a.update(range(100)), lambda: b.contains_many(range(1000)))
        self.assertEqual(a.count_contained(range(10_000)), 10_000)

    def test_closed_by_another_thread(self):
        for _ in range(20):
            f = Filter(10_000, keys=int)

            def use():
                try:
                    for _ in range(50):
                        f.update(range(500))
                        1 in f
                except FilterError as closed:
                    self.assertIn("closed", str(closed))

            in_threads(use, use, f.close)
            self.assertTrue(f.closed)

    def test_a_list_changed_by_another_thread(self):
        f = Filter(200_000, 0.01)
        keys = [f"key {i}" for i in range(30_000)]

        def change():
            for _ in range(100):
                keys.append("x")
                keys[:100] = [f"new {i}" for i in range(100)]
                del keys[-1]

        in_threads(change, lambda: f.update(keys), lambda: f.contains_many(keys))
        self.assertIn("key 29000", f)


def child(path, f, answers):
    mapped = Filter.map(path)
    answers.put((all(mapped.contains_many(range(1000))), 5 in f, len(f)))


class ProcessTest(unittest.TestCase):
    def test_forked_and_spawned_processes(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ids.eb")
            f = Filter.of(range(1000))
            f.save(path)
            for method in ("fork", "spawn"):
                context = get_context(method)
                answers = context.Queue()
                process = context.Process(target=child, args=(path, f, answers))
                process.start()
                self.assertEqual(answers.get(timeout=60), (True, True, 1000))
                process.join()
                self.assertEqual(process.exitcode, 0)

    def test_fork_while_another_thread_is_inside(self):
        # In the child the filter works, or says that it is incomplete; it never hangs. The parent's filter is complete.
        code = """
import os, sys, threading
from everbloom import Filter, FilterError
f = Filter(3_000_000, 0.01, keys=int, kind="blocked")
from array import array
keys = array("Q", range(2_000_000))
stop = False
def write():
    while not stop:
        f.update(keys)
def read():
    while not stop:
        f.contains_many(keys)
threads = [threading.Thread(target=t) for t in (write, read)]
for t in threads: t.start()
bad = 0
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        try:
            1 in f
            f.add(1)
            f.contains_many([1])
            f.update([1])
            os._exit(0)
        except FilterError as torn:
            os._exit(0 if "forked" in str(torn) else 3)
        except BaseException:
            os._exit(4)
    bad |= os.waitpid(pid, 0)[1]
stop = True
for t in threads: t.join()
assert f.count_contained(keys) == len(keys)
sys.exit(1 if bad else 0)
"""
        self.run_code(code)

    def run_code(self, code, status=0):
        done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr[-2000:])
        return done

    def test_the_interpreter_ends_with_live_filters(self):
        self.run_code("import everbloom, builtins; builtins.f = everbloom.Filter(1000); f.add('a')")
        self.run_code("from everbloom import *; f = Filter(10); g = [f]; g.append(g)")

    def test_the_interpreter_ends_while_daemon_threads_are_inside(self):
        code = """
import threading, time
from array import array
from everbloom import Filter
f = Filter(3_000_000, keys=int)
keys = array("Q", range(1_000_000))
names = [str(i) for i in range(300_000)]
g = Filter(3_000_000)
def write():
    while True: f.update(keys)
def read():
    while True: g.contains_many(names)
for job in (write, read, write, read):
    threading.Thread(target=job, daemon=True).start()
time.sleep(0.3)
"""
        for _ in range(3):
            self.run_code(code)

    def test_a_waiting_call_can_be_interrupted(self):
        code = """
import threading, signal, os, time
from array import array
from everbloom import Filter
f = Filter(30_000_000, keys=int, kind="blocked")
keys = array("Q", range(1_000_000))
stop = False
def write():
    while not stop: f.update(keys)
t = threading.Thread(target=write); t.start()
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True: f.add(1)
except KeyboardInterrupt:
    print("interrupted")
stop = True
t.join()
"""
        self.assertIn("interrupted", self.run_code(code).stdout)

    def test_one_interpreter_only(self):
        code = """
import everbloom
import _xxsubinterpreters as sub
other = sub.create()
try:
    sub.run_string(other, "import everbloom")
except sub.RunFailedError as refused:
    print(refused)
sub.destroy(other)
everbloom.Filter.of(["anna"])
"""
        if sys.version_info >= (3, 13):
            self.skipTest("the module for this has another name")
        self.assertRegex(self.run_code(code).stdout, "one interpreter|subinterpreters")


if __name__ == "__main__":
    unittest.main()
