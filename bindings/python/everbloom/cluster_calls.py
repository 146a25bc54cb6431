"""Cluster calls: many commands to the servers of a cluster, in one pipeline per server, repeated where that helps.

Redirections (MOVED, ASK) are followed; a server that is away, loads its data or has no quorum is asked again, with growing pauses, until
the time is up. Writes end with WAIT on the same connection where replicas have to confirm them. redis-py's own pipeline for clusters cannot do
that: it repeats redirected commands on other connections, which the WAIT then does not cover.

The client is the caller's, and nothing of redis-py is imported here: errors are told apart by the names of their classes.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

_TEMPORARY_CLASSES = {
    "ConnectionError", "TimeoutError", "BusyLoadingError", "ClusterDownError", "MasterDownError", "TryAgainError", "ReadOnlyError",
    "SlotNotCoveredError", "OSError",
}  # fmt: skip
_PERMANENT_CLASSES = {"AuthenticationError", "AuthorizationError"}  # kinds of ConnectionError in redis-py
_TEMPORARY_WORDS = ("CLUSTERDOWN", "TRYAGAIN", "LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS")
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0  # seconds
_REDIRECTIONS_AT_ONCE = 5


class Task:
    """One command about one key of the server, and what became of it: `reply`, or `error`."""

    __slots__ = ("key", "words", "about", "reply", "error", "address", "asking", "where")

    def __init__(self, key: str, words: Sequence[Any], about: Any = None) -> None:
        self.key = key
        self.words = words
        self.about = about
        self.reply: Any = None
        self.error: Optional[BaseException] = None
        self.address: Optional[Tuple[str, int]] = None  # of a redirection
        self.asking = False
        self.where = ""


class Unconfirmed(Exception):
    """The server has the keys, and too few replicas confirmed in time that they have them."""


def _class_names(error: BaseException) -> Iterable[str]:
    return (one.__name__ for one in type(error).__mro__)


def is_temporary(error: BaseException) -> bool:
    """Whether the same command may succeed later."""
    names = set(_class_names(error))
    if names & _PERMANENT_CLASSES:
        return False
    return isinstance(error, Unconfirmed) or bool(names & _TEMPORARY_CLASSES) or str(error).startswith(_TEMPORARY_WORDS)


def _redirection(error: BaseException) -> Optional[str]:
    for name in _class_names(error):
        if name in ("MovedError", "AskError"):
            return name
    return None


class Caller:
    """Runs tasks with a client of redis-py: a cluster's, or that of a single server."""

    def __init__(self, client: Any, replicas: int, wait_milliseconds: int, retry_seconds: float) -> None:
        self.client = client
        self.is_cluster = hasattr(client, "get_node_from_key")
        self.replicas = replicas
        self.wait_milliseconds = wait_milliseconds
        self.retry_seconds = retry_seconds

    def run(self, tasks: List[Task], *, writes: bool = False) -> None:
        """Every task has a reply or an error afterwards."""
        deadline = time.monotonic() + self.retry_seconds
        pause, redirections, pending = _SHORTEST_PAUSE, 0, tasks
        while pending:
            self._attempt(pending, writes)
            pending = [task for task in pending if task.error is not None and (task.address or is_temporary(task.error))]
            if not pending or time.monotonic() >= deadline:
                return
            redirected = all(task.address for task in pending)
            redirections = redirections + 1 if redirected else 0
            if not redirected or redirections > _REDIRECTIONS_AT_ONCE:
                time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
                pause = min(pause * 2, _LONGEST_PAUSE)
            if not all(task.asking for task in pending):  # ASK is about one command: the slot stays where it is
                self._refresh()

    def _attempt(self, tasks: List[Task], writes: bool) -> None:
        groups: Dict[Any, List[Task]] = {}
        nodes: Dict[str, Any] = {}
        for task in tasks:
            node = self._node_of(task)
            if node is not None:
                name = getattr(node, "name", "") if self.is_cluster else ""
                nodes[name] = node
                groups.setdefault(name, []).append(task)
        if len(groups) == 1:
            for name, group in groups.items():
                self._run_on(nodes[name], name, group, writes)
        elif groups:
            # Side by side: a server that is away does not hold up the others.
            with ThreadPoolExecutor(min(len(groups), 32)) as threads:
                for done in [threads.submit(self._run_on, nodes[name], name, group, writes) for name, group in groups.items()]:
                    done.result()

    def _node_of(self, task: Task) -> Any:
        """The server for this task; None, and the task has an error, if there is none."""
        if not self.is_cluster:
            return self.client
        address, task.address = task.address, None
        if address is not None:
            node = self.client.get_node(host=address[0], port=address[1])
            if node is not None:
                return node
            task.asking = False  # a server that the client has not heard of yet
        try:
            return self.client.get_node_from_key(task.key)
        except Exception as error:
            task.error = error
            if not is_temporary(error):
                raise
            return None

    def _run_on(self, node: Any, name: str, tasks: List[Task], writes: bool) -> None:
        waits = writes and self.replicas > 0
        asking = [task.asking for task in tasks]
        try:
            server = self.client.get_redis_connection(node) if self.is_cluster else node
            with server.pipeline(transaction=False) as pipeline:
                for task in tasks:
                    task.where = name
                    if task.asking:
                        pipeline.execute_command("ASKING")
                    pipeline.execute_command(*task.words)
                if waits:
                    pipeline.execute_command("WAIT", self.replicas, self.wait_milliseconds)
                replies = pipeline.execute(raise_on_error=False)
        except Exception as error:
            if not is_temporary(error) and not any(name == "RedisError" for name in _class_names(error)):
                raise
            for task in tasks:
                task.asking, task.error = False, error
            return
        confirmed = replies.pop() if waits else None
        at = 0
        for task, asked in zip(tasks, asking):
            at += asked
            self._take(task, replies[at])
            at += 1
            if waits and task.error is None and (not isinstance(confirmed, int) or confirmed < self.replicas):
                count = confirmed if isinstance(confirmed, int) else 0
                task.error = Unconfirmed(f"the server has the keys, but {count} of {self.replicas} replicas confirmed them in "
                                         f"{self.wait_milliseconds} ms")  # fmt: skip

    @staticmethod
    def _take(task: Task, reply: Any) -> None:
        task.asking = False
        if not isinstance(reply, BaseException):
            task.error = None
            task.reply = _merged(task.reply, reply)
            return
        task.error = reply
        redirection = _redirection(reply)
        if redirection is not None:
            task.address = (getattr(reply, "host", ""), getattr(reply, "port", 0))
            task.asking = redirection == "AskError"

    def _refresh(self) -> None:
        """Asks the cluster which server has which slot. It may not answer now: then the next attempt finds out."""
        if not self.is_cluster:
            return
        try:
            self.client.nodes_manager.initialize()
        except Exception:
            # redis-py raises several classes here (also IndexError) while a cluster elects a master.
            return


def _merged(before: Any, now: Any) -> Any:
    """A command that was repeated because replicas did not confirm it: what it changed at first it does not change again."""
    if not isinstance(before, list) or not isinstance(now, list):
        return now
    known = [one == 1 for one in before]
    return [1 if i < len(known) and known[i] and not isinstance(one, BaseException) else one for i, one in enumerate(now)]
