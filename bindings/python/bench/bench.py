"""Speed of the package, beside a Python set and the C interface itself: the table of docs/python.md.

    python bench.py [--keys N] [--rounds N]

Best of several rounds, interleaved, in CPU time; only the two threads are measured in elapsed time, and need two idle processors.
"""

import argparse
import random
import threading
import time

import numpy as np

from everbloom import ArrowKeys, Filter


def best(rounds, jobs, clock=time.process_time):
    """The best time of each job, in seconds; the jobs take turns."""
    found = {name: float("inf") for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            start = clock()
            job()
            found[name] = min(found[name], clock() - start)
    return found


def texts(first, count, seed):
    made = [f"user-{i:09d}@example" for i in range(first, first + count)]
    random.Random(seed).shuffle(made)
    return made


def ask_one_by_one(holder, keys):
    for key in keys:
        key in holder


def in_two_threads(job):
    threads = [threading.Thread(target=job) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--keys", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    n, rounds = given.keys, given.rounds

    members, asked = texts(0, n, 1), texts(n // 2, n, 2)
    exact = set(members)
    rows = []

    def row(what, seconds, count, beside=""):
        rows.append(f"| {what} | {1e9 * seconds / count:.1f} | {count / seconds / 1e6:.1f} | {beside} |")

    for kind, hash in (("quotient", None), ("blocked", None), ("blocked", "xxh3")):
        f = Filter.of(members, 0.001, kind=kind, hash=hash)
        name = f"{kind}, {f.hash}"
        found = best(rounds, {
            "loop": lambda: [None for _ in asked],
            "set": lambda: ask_one_by_one(exact, asked),
            "in": lambda: ask_one_by_one(f, asked),
            "list": lambda: f.contains_many(asked),
        })  # fmt: skip
        row(f"`s in f`, {name}", found["in"], n, f"{found['in'] / found['set']:.2f} x a set ({1e9 * found['set'] / n:.1f} ns)")
        row(f"`contains_many`, list of str, {name}", found["list"], n)

    joined = "".join(asked).encode()
    offsets = np.zeros(n + 1, dtype=np.int32)
    np.cumsum([len(key) for key in asked], out=offsets[1:])
    arrow, fixed_u, fixed_s = ArrowKeys(joined, offsets), np.array(asked), np.array(asked).astype("S")
    f = Filter.of(members, 0.001, kind="blocked", hash="xxh3")
    found = best(rounds, {
        "arrow": lambda: f.contains_many(arrow),
        "U": lambda: f.contains_many(fixed_u),
        "S": lambda: f.contains_many(fixed_s),
    })  # fmt: skip
    for name, what in (("arrow", "Arrow text"), ("U", "numpy text (U)"), ("S", "numpy bytes (S)")):
        row(f"`contains_many`, {what}, blocked, xxh3", found[name], n)

    numbers = np.random.default_rng(1).integers(0, 2**63, 2 * n, dtype=np.uint64)
    for kind in ("blocked", "quotient"):
        ids = Filter.of(numbers[:n], 0.001, kind=kind, hash="integer")
        found = best(rounds, {
            "answers": lambda: ids.contains_many(numbers),
            "library": lambda: ids._contains_many(numbers, False, False),
        })  # fmt: skip
        row(f"`contains_many`, uint64, {kind}, integer", found["answers"], 2 * n,
            f"{found['answers'] / found['library']:.2f} x `eb_query` without answers")  # fmt: skip
        repeated = lambda: [ids.contains_many(numbers) for _ in range(4)]
        both = best(rounds, {"one": lambda: (repeated(), repeated()), "two": lambda: in_two_threads(repeated)}, time.perf_counter)
        row(f"the same in two threads, {kind}", both["two"], 16 * n, f"{both['one'] / both['two']:.2f} x one thread")
        added = best(3, {"add": lambda: Filter(n, 0.001, kind=kind, hash="integer", keys=int).update(numbers[:n])})
        row(f"`update`, uint64, {kind}, integer", added["add"], n)

    print("| what | ns per key | million keys per s | beside |\n|---|---|---|---|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
