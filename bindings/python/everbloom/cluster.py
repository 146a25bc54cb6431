"""One set over many servers: a filter that is spread over a Redis Cluster with the module everbloom.so.

The set `names` is in the filters `names:{0}` to `names:{N-1}` of the server; a key belongs to the filter whose number is XXH3 of the key modulo
N, and `names:shards` holds N. Every client that follows this rule (docs/cluster.md) sees the same set.

    from everbloom.cluster import ShardedFilter, connect

    client = connect(["10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"])
    names = ShardedFilter.create(client, "names", shards=64, capacity=10_000_000)
    names.update(["anna", "bert"])
    print("anna" in names, names.contains_many(["bert", "carla"]))

`connect` needs the package redis (redis-py); a client made otherwise, also of a single server, will do as well.
"""

from __future__ import annotations

import importlib
import itertools
import math
import time
from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Tuple, Type, TypeVar, Union

from . import _everbloom
from ._everbloom import FilterError
from .cluster_calls import Caller, Task, is_temporary

__all__ = ["IncompleteError", "ShardedFilter", "connect", "shard"]

Key = Union[str, bytes, bytearray, memoryview]
_Self = TypeVar("_Self", bound="ShardedFilter")

_MOST_SHARDS = 16_384  # a cluster has no more slots; the command line has the same limit
_KEYS_AT_ONCE = 65_536  # read from an iterable before servers are asked
_KEYS_PER_COMMAND = 1_000  # a server does nothing else meanwhile


def shard(key: Key, shards: int) -> int:
    """The number of the filter that a key belongs to: XXH3 (64 bits, seed 0) of its bytes, modulo the number of shards.

    >>> from everbloom.cluster import shard
    >>> shard("anna", 12), shard(b"anna", 64)
    (9, 57)
    """
    return _everbloom.shard(key if isinstance(key, (str, bytes)) else _bytes_of(key), shards)


def connect(addresses: Iterable[Union[str, Tuple[str, int]]], *, seconds: float = 30.0, **options: Any) -> Any:
    """A cluster client of redis-py (`redis.cluster.RedisCluster`) that knows several start nodes and waits for one that answers.

    :param addresses: "host:port", or (host, port); name several, for any of them may be down
    :param seconds: how long to try
    :param options: those of RedisCluster. Without `socket_timeout`, which is 5 seconds here, a server that hangs would be waited for forever
    """
    redis = importlib.import_module("redis.cluster")
    known = [_address(one) for one in addresses]
    if not known:
        raise ValueError("connect needs at least one address")
    options.setdefault("socket_timeout", 5.0)
    options.setdefault("socket_connect_timeout", 2.0)
    deadline = time.monotonic() + seconds
    # Each of them is the first once: some versions of redis-py give up while the first one is down.
    for turn in itertools.count():
        first = turn % len(known)
        nodes = [redis.ClusterNode(host, port) for host, port in known[first:] + known[:first]]
        try:
            return redis.RedisCluster(startup_nodes=nodes, **options)
        except Exception as error:
            if isinstance(error, TypeError) or any(one.__name__ == "AuthenticationError" for one in type(error).__mro__):
                raise
            if time.monotonic() >= deadline:
                tried = ", ".join(f"{host}:{port}" for host, port in known)
                raise ConnectionError(f"no node of the cluster could be used in {seconds:g} s (tried {tried}): {error}") from error
        if first == len(known) - 1:
            time.sleep(max(0.0, min(0.2, deadline - time.monotonic())))


class IncompleteError(FilterError):
    """Some keys of a call could not be handled; all others were.

    :ivar done: the number of keys that were handled, and confirmed by replicas if that was asked for
    :ivar failed: the other keys. They may or may not have been added or removed; doing it again is safe
    :ivar reasons: why, by number of the shard
    :ivar code: "incomplete"
    """

    def __init__(self, sentence: str, done: int, failed: List[Any], reasons: Dict[int, str]) -> None:
        super().__init__(sentence)
        self.code = "incomplete"
        self.done = done
        self.failed = failed
        self.reasons = reasons


class ShardedFilter:
    """A set that is spread over the filters `name:{0}` to `name:{N-1}` of a cluster; `create` makes one, this opens it.

    :param client: of redis-py: a cluster's (see `connect`), or that of a single server
    :param name: of the set
    :param shards: the number of filters if you know it: another one is refused. None: what the server says
    :param replicas: replicas that must confirm every change (WAIT). With 0 the loss of a server may take the last changes along; with 1
        they survive it
    :param wait_milliseconds: how long to wait for the replicas, each time; must be below the client's socket_timeout
    :param retry_seconds: how long a call repeats commands that fail for reasons that pass: a server is away, a failover, a slot that moves

    Keys are str (their UTF-8 bytes) or bytes. Any number of threads may use it if they may use the client. It is a set: adding a key twice
    and removing it once removes it.
    """

    def __init__(
        self,
        client: Any,
        name: str,
        shards: Optional[int] = None,
        *,
        replicas: int = 0,
        wait_milliseconds: int = 1000,
        retry_seconds: float = 30.0,
    ) -> None:
        self._caller = _caller(client, replicas, wait_milliseconds, retry_seconds)
        self.name = str(name)
        found = self._recorded_shards()
        if found is None:
            raise _error("mismatch", f"there is no spread filter {self.name!r} on the server ({self.name}:shards is absent); "
                         "ShardedFilter.create makes one")  # fmt: skip
        if shards is not None and shards != found:
            raise _error("mismatch", f"{self.name!r} is spread over {found:,} filters, not {shards:,}: with another number every key "
                         "would be looked for in the wrong place")  # fmt: skip
        self.shards = found
        missing = [task.about for task in self._ask_every("EXISTS") if not task.reply]
        if missing:
            raise self._missing(missing)

    @classmethod
    def create(
        cls: Type[_Self],
        client: Any,
        name: str,
        shards: int,
        capacity: int,
        error: float = 0.001,
        *,
        deletable: bool = True,
        replicas: int = 0,
        wait_milliseconds: int = 1000,
        retry_seconds: float = 30.0,
    ) -> _Self:
        """Makes a spread filter: all of it, or nothing and an error.

        :param shards: the number of filters; well above the number of masters that you will ever have, for it cannot be changed without
            the keys
        :param capacity: keys of the whole set. The filters grow beyond it
        :param error: false positive rate of queries; filters that can delete are far below
        :param deletable: whether keys can be removed (38 bits per key instead of 19 at 0.1 %)
        """
        made = cls.__new__(cls)
        made._caller = _caller(client, replicas, wait_milliseconds, retry_seconds)
        made.name = str(name)
        made.shards = _whole("shards", shards, _MOST_SHARDS)
        mean = _whole("capacity", capacity, 2**62) / made.shards
        if not 0 < error < 1:
            raise ValueError(f"error must lie between 0 and 1, not {error!r}")
        room = math.ceil(mean + 4 * math.sqrt(mean)) + 1  # shards are not equal
        words = ["DELETABLE"] if deletable else []
        made._claim()
        tasks = [Task(key, ("BF.RESERVE", key, repr(float(error)), room, *words), i) for i, key in made._filters()]
        made._caller.run(tasks, writes=True)
        failed = [task for task in tasks if task.error is not None and "item exists" not in str(task.error)]
        if failed:
            made._undo(failed[0])
        return made

    def _claim(self) -> None:
        """Writes the number of shards; an error if there is one, or filters of an earlier set."""
        task = Task(self._count_key, ("SET", self._count_key, str(self.shards), "NX"))
        self._caller.run([task], writes=True)
        _raise_error(task)
        there = [one.about for one in self._ask_every("EXISTS") if one.reply]
        if task.reply and there:
            self._caller.run([Task(self._count_key, ("DEL", self._count_key))], writes=True)
            raise _error("mismatch", f"{_filter_names(self.name, there)} of another set exist already; remove them, or take another name")
        # The number alone, and the same: our own whose reply was lost, or an attempt that ended here. It is completed.
        recorded = self.shards if task.reply else self._recorded_shards()
        if there or recorded != self.shards:
            raise _error("mismatch", f"there is a spread filter {self.name!r} already, of {recorded} filters")

    def _undo(self, reason: Task) -> NoReturn:
        """Half a set would take keys for absent: none is left."""
        tasks = [Task(key, ("UNLINK", key)) for key in [self._count_key, *(key for _, key in self._filters())]]
        self._caller.run(tasks, writes=True)
        left = [task.key for task in tasks if task.error is not None]
        words = f"; {len(left)} keys could not be removed again, among them {left[0]}" if left else "; nothing was left on the servers"
        raise _error("refused", f"the filter {reason.key} was not made{_place(reason)}: {_words(reason.error)}{words}") from reason.error

    # ---- one key ----

    def add(self, key: Key) -> bool:
        """Adds a key. True if it was not there."""
        return self.update([key]) == 1

    def contains(self, key: Key) -> bool:
        """Whether the key may be in the set; `key in filter` is the same."""
        return self.contains_many([key])[0]

    def __contains__(self, key: Key) -> bool:
        return self.contains(key)

    def discard(self, key: Key) -> bool:
        """Removes a key. True if it was there; False, and nothing happened, if not."""
        return self.remove_many([key])[0]

    # ---- many keys ----

    def update(self, keys: Iterable[Key]) -> int:
        """Adds all keys; returns how many of them were new.

        IncompleteError names those that could not be added, after all others were: a server is full (OOM), or was away for too long. After
        repeated commands the number is a lower bound: a key whose reply was lost counts as present.
        """
        return sum(self._each(keys, lambda key: ("BF.INSERT", key, "NOCREATE", "ITEMS"), "added", writes=True))

    def contains_many(self, keys: Iterable[Key]) -> List[bool]:
        """Asks for each key whether it may be in the set."""
        return self._each(keys, lambda key: ("BF.MEXISTS", key), "looked up", writes=False)

    def remove_many(self, keys: Iterable[Key]) -> List[bool]:
        """Removes all keys; tells for each whether it was there. Errors as `update`."""
        return self._each(keys, lambda key: ("BF.MDEL", key), "removed", writes=True)

    def _each(self, keys: Iterable[Key], words: Callable[[str], Tuple[str, ...]], deed: str, *, writes: bool) -> List[bool]:
        answers: List[bool] = []
        failed: List[Any] = []
        reasons: Dict[int, str] = {}
        if isinstance(keys, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"many keys are a list or another iterable, not one {type(keys).__name__}")
        rest = iter(keys)
        while True:
            given = list(itertools.islice(rest, _KEYS_AT_ONCE))
            if not given:
                break
            answers += self._piece(given, words, writes, failed, reasons)
        if failed:
            shown = "; ".join(f"shard {number}: {why}" for number, why in itertools.islice(sorted(reasons.items()), 3))
            more = f"; and {len(reasons) - 3} more shards" if len(reasons) > 3 else ""
            raise IncompleteError(
                f"{len(failed):,} of {len(answers):,} keys were not {deed} ({shown}{more}); the others were. It is safe to do it again "
                "for error.failed",
                len(answers) - len(failed), failed, reasons,
            )  # fmt: skip
        return answers

    def _piece(
        self, given: List[Any], words: Callable[[str], Tuple[str, ...]], writes: bool, failed: List[Any], reasons: Dict[int, str]
    ) -> List[bool]:
        items = [_bytes_of(key) for key in given]
        parts: Dict[int, List[int]] = {}
        for position, number in enumerate(memoryview(_everbloom.shards(items, self.shards)).cast("I")):
            parts.setdefault(number, []).append(position)
        tasks, present = [], []
        for number, positions in parts.items():
            if number in reasons:  # failed before in this call: once is enough
                failed += [given[i] for i in positions]
                continue
            key = self._key(number)
            if not writes:  # an absent filter would answer "no"
                present.append(Task(key, ("EXISTS", key), (number, positions)))
            for first in range(0, len(positions), _KEYS_PER_COMMAND):
                some = positions[first : first + _KEYS_PER_COMMAND]
                tasks.append(Task(key, (*words(key), *(items[i] for i in some)), (number, some)))
        self._caller.run(present + tasks, writes=writes)
        missing = [task.about[0] for task in present if task.error is None and not task.reply]
        if missing:
            raise self._missing(missing)
        answers = [False] * len(given)
        for task in tasks:
            number, positions = task.about
            done, error = _answers(task)
            for position, answer in zip(positions, done):
                answers[position] = answer
            if error is not None:
                failed += [given[i] for i in positions[len(done) :]]
                reasons[number] = f"{self._key(number)}{_place(task)}: {_words(error)}"
        return answers

    # ---- the whole set ----

    def __len__(self) -> int:
        """The number of keys."""
        return sum(int(task.reply) for task in self._ask_every("BF.CARD"))

    def stats(self) -> Dict[str, Any]:
        """Keys, capacity, memory, current error rate, and what is on which server.

        `nodes` has for each server its shards, keys, bytes of filters, and the version of its module: servers with different versions are
        allowed while an upgrade lasts, and show here.
        """
        nodes: Dict[str, Dict[str, Any]] = {}
        total: Dict[str, Any] = {"name": self.name, "shards": self.shards, "keys": 0, "capacity": 0, "memory_bytes": 0, "current_fpr": 0.0}
        for task in self._ask_every("EB.INFO"):
            facts = _pairs(task.reply)
            node = nodes.setdefault(task.where, {"shards": 0, "keys": 0, "memory_bytes": 0, "module": None})
            node["shards"] += 1
            for ours, theirs in (("keys", "keys"), ("memory_bytes", "memory"), ("capacity", "capacity")):
                total[ours] += int(facts[theirs])
                if ours in node:
                    node[ours] += int(facts[theirs])
            # A key is asked for in one filter: the rate of the set is the mean.
            total["current_fpr"] += float(facts["current error rate"]) / self.shards
        for where, node in nodes.items():
            node["module"] = self._module_version(where)
        total["nodes"] = nodes
        total["module_versions"] = sorted({node["module"] for node in nodes.values() if node["module"] is not None})
        return total

    def delete(self) -> None:
        """Removes the set from the servers."""
        tasks = [Task(key, ("UNLINK", key)) for _, key in self._filters()]
        self._caller.run(tasks, writes=True)
        for task in tasks:
            _raise_error(task)
        # The last one, so that what is left after a failure can still be opened and removed.
        last = Task(self._count_key, ("UNLINK", self._count_key))
        self._caller.run([last], writes=True)
        _raise_error(last)

    def __repr__(self) -> str:
        return f"<everbloom.cluster.ShardedFilter: {self.name!r}, {self.shards:,} shards>"

    # ---- names of the server's keys, and questions to all of them ----

    def _key(self, number: int) -> str:
        return f"{self.name}:{{{number}}}"

    @property
    def _count_key(self) -> str:
        return f"{self.name}:shards"

    def _filters(self) -> Iterable[Tuple[int, str]]:
        return ((i, self._key(i)) for i in range(self.shards))

    def _recorded_shards(self) -> Optional[int]:
        task = Task(self._count_key, ("GET", self._count_key))
        self._caller.run([task])
        _raise_error(task)
        if task.reply is None:
            return None
        text = _text(task.reply)
        if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 5 or not 1 <= int(text) <= _MOST_SHARDS:
            raise _error("damaged", f"{self._count_key} must hold the number of shards, from 1 to {_MOST_SHARDS:,}, not {text[:40]!r}")
        return int(text)

    def _ask_every(self, command: str) -> List[Task]:
        tasks = [Task(key, (command, key), i) for i, key in self._filters()]
        self._caller.run(tasks)
        for task in tasks:
            _raise_error(task)
        return tasks

    def _missing(self, numbers: List[int]) -> FilterError:
        return _error("damaged", f"{_filter_names(self.name, numbers)} of {self.name!r} ({self.shards:,} shards) are not on the server: they "
                      "were removed or evicted, or a server lost its data")  # fmt: skip

    def _module_version(self, where: str) -> Optional[int]:
        client = self._caller.client
        try:
            server = client.get_redis_connection(client.get_node(node_name=where)) if self._caller.is_cluster else client
            for one in server.execute_command("MODULE LIST"):
                facts = _pairs(one)
                if _text(facts.get("name", "")) == "everbloom":
                    return int(facts["ver"])
        except Exception as error:
            if not is_temporary(error) and "NOPERM" not in str(error).upper() and "permission" not in str(error):
                raise
        return None


def _caller(client: Any, replicas: int, wait_milliseconds: int, retry_seconds: float) -> Caller:
    if not hasattr(client, "pipeline"):
        raise TypeError(f"client must be a client of redis-py, not {type(client).__name__}")
    if replicas < 0 or wait_milliseconds < 1 or not retry_seconds >= 0:
        raise ValueError("replicas and retry_seconds must not be negative, and wait_milliseconds must be 1 or more: 0 would wait forever")
    return Caller(client, replicas, wait_milliseconds, retry_seconds)


def _bytes_of(key: Any) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, bytes):
        return key
    if isinstance(key, (bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"{type(key).__name__} is no key of a spread filter, whose keys are str or bytes; write numbers as text, as on the server")


def _answers(task: Task) -> Tuple[List[bool], Optional[BaseException]]:
    """The answers of a task, and why the rest of its keys has none. A reply of the server is cut at the first key that it refuses."""
    if task.error is not None:
        return [], task.error
    reply = task.reply
    if reply and isinstance(reply[-1], BaseException):
        return [one == 1 for one in reply[:-1]], reply[-1]
    return [one == 1 for one in reply], None


def _address(given: Union[str, Tuple[str, int]]) -> Tuple[str, int]:
    if not isinstance(given, str):
        return given[0], int(given[1])
    host, colon, port = given.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit():
        raise ValueError(f"an address is host:port, not {given!r}")
    return host.strip("[]"), int(port)


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = int(value.__index__())
    if not 1 <= number <= most:
        raise ValueError(f"{name} must be from 1 to {most:,}, not {number:,}")
    return number


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _pairs(reply: Any) -> Dict[str, Any]:
    """A map of RESP3, or its flat list of RESP2."""
    if isinstance(reply, dict):
        return {_text(name): value for name, value in reply.items()}
    return {_text(name): value for name, value in zip(reply[::2], reply[1::2])}


def _filter_names(name: str, numbers: List[int]) -> str:
    shown = ", ".join(f"{name}:{{{number}}}" for number in numbers[:3])
    return f"{len(numbers):,} filters ({shown}{', ...' if len(numbers) > 3 else ''})"


def _error(code: str, sentence: str) -> FilterError:
    made = FilterError(sentence)
    made.code = code
    return made


def _place(task: Task) -> str:
    return f" at {task.where}" if task.where else ""


def _words(error: Optional[BaseException]) -> str:
    text = str(error) or type(error).__name__
    if text.startswith("MOVED "):
        return f"{text} (the server belongs to a cluster: give a client of the cluster, as everbloom.cluster.connect makes)"
    return text


def _raise_error(task: Task) -> None:
    if task.error is not None:
        raise _error("refused", f"{task.words[0]} {task.key}{_place(task)}: {_words(task.error)}") from task.error
