"""A Redis Cluster with the module for tests: masters and replicas on the loopback interface, free ports, everything ended by process id."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from server import Client, Error, Server, free_port

# Milliseconds after which a node that does not answer counts as failed. Short, so that tests do not wait; a real cluster has 15,000.
NODE_TIMEOUT = 2000


class Unsettled(AssertionError):
    """The servers do not agree in time on who has what; nothing is known about the members yet."""


class Cluster:
    """Options are those of the configuration file, with _ for -."""

    def __init__(self, masters=3, replicas=3, **options):
        self.folder = tempfile.mkdtemp(prefix="everbloom-cluster-")
        self.options = {
            "cluster_enabled": "yes",
            "cluster_node_timeout": NODE_TIMEOUT,
            # The filters of the other masters go on answering while one is away.
            "cluster_require_full_coverage": "no",
            "cluster_allow_replica_migration": "no",
            "appendonly": "yes",
            # A reply means: in the file, and the file on the disk. The default, everysec, may lose the last second or two.
            "appendfsync": "always",
            "repl_diskless_sync_delay": "0",
            # A replica whose link to its master hangs tries again after ten seconds, not after the usual sixty.
            "repl_timeout": "10",
            "repl_ping_replica_period": "1",
            **options,
        }
        self.nodes = []
        self.ports = []
        try:
            self._start(masters + replicas)
            self._join(masters, replicas)
        except BaseException:
            self.stop()
            raise

    def _start(self, count):
        for number in range(count):
            os.mkdir(self._folder_of(number))
            for attempt in range(5):
                ports = free_port(), free_port()
                try:
                    node = self._server(number, ports)
                    break
                except RuntimeError:  # another process took one of the ports meanwhile
                    if attempt == 4:
                        raise
            self.nodes.append(node)
            self.ports.append(ports)

    def _folder_of(self, number):
        return os.path.join(self.folder, str(number))

    def _server(self, number, ports):
        return Server(folder=self._folder_of(number), port=ports[0], cluster_port=ports[1], **self.options)

    def _join(self, masters, replicas):
        if replicas or masters >= 3:
            words = ["--cluster-replicas", str(replicas // masters)] if replicas else []
            self.cli("create", *(f"127.0.0.1:{node.port}" for node in self.nodes), *words, "--cluster-yes")
        else:  # redis-cli wants three
            for number, node in enumerate(self.nodes):
                first, last = 16384 * number // masters, 16384 * (number + 1) // masters - 1
                client = node.client()
                client.call("CLUSTER", "ADDSLOTSRANGE", first, last)
                client.call("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
                if number:
                    client.call("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.ports[0][1])
        self.wait()

    def cli(self, *words):
        """redis-cli --cluster; its output."""
        done = subprocess.run(
            ["redis-cli", "--cluster", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode != 0:
            raise AssertionError(f"redis-cli --cluster {words[0]}: {done.stdout[-3000:]}{done.stderr[-1000:]}")
        return done.stdout

    def addresses(self):
        return [f"127.0.0.1:{ports[0]}" for ports in self.ports]

    # ---- what it looks like ----

    def alive(self):
        return [node for node in self.nodes if node.is_alive()]

    def view(self, timeout=1.0):
        """As one of the nodes sees it: a row per node, with slots for masters."""
        for node in self.alive():
            try:
                client = Client(node.port, timeout=timeout)
            except OSError:
                continue
            try:
                text = client.call("CLUSTER", "NODES").decode()
                return [parse_node(line) for line in text.splitlines()]
            except (OSError, Error):
                continue
            finally:
                client.close()
        raise ConnectionError("no node of the cluster answers")

    def number_of(self, port):
        return next(i for i, ports in enumerate(self.ports) if ports[0] == port)

    def masters(self):
        """Port and ranges of slots of every master that has slots and is not failed."""
        return {one["port"]: one["slots"] for one in self.view() if one["slots"] and "fail" not in one["flags"]}

    def replicas(self):
        """Port of every replica: the port of its master."""
        view = self.view()
        ports = {one["id"]: one["port"] for one in view}
        return {one["port"]: ports[one["master"]] for one in view if "slave" in one["flags"] and "fail" not in one["flags"]}

    def wait(self, seconds=180):
        """Until every node says that all slots have a master, every replica is linked, and all agree."""
        deadline = time.monotonic() + seconds
        why = ""
        while time.monotonic() < deadline:
            try:
                why = self._unsettled()
            except (OSError, Error, ValueError) as error:
                why = repr(error)
            if not why:
                return
            time.sleep(0.05)
        logs = "".join(f"\n--- {node.port}, its last words:\n{node.log()[-1500:]}" for node in self.nodes)
        raise Unsettled(f"the cluster does not settle: {why}{logs}")

    def _unsettled(self):
        views = []
        for node in self.alive():
            client = Client(node.port, timeout=2.0)
            try:
                info = client.call("CLUSTER", "INFO").decode()
                if "cluster_state:ok" not in info or "cluster_slots_ok:16384" not in info:
                    return f"{node.port}: {info[:60]!r}"
                if f"cluster_known_nodes:{len(self.nodes)}" not in info:
                    return f"{node.port} does not know all nodes"
                role = client.call("INFO", "replication").decode()
                if "role:slave" in role and "master_link_status:up" not in role:
                    return f"{node.port} has no link to its master"
                rows = [parse_node(line) for line in client.call("CLUSTER", "NODES").decode().splitlines()]
                views.append(sorted((one["port"], one["master"], one["slots"], "fail" in one["flags"]) for one in rows))
            finally:
                client.close()
        return "" if all(view == views[0] for view in views) else "nodes disagree"

    def wait_for_replicas(self, seconds=120):
        """Until every replica has everything that its master has. Nobody may write."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            pairs = self.replicas()
            if all(offset_of(replica) == offset_of(master) for replica, master in pairs.items()):
                return pairs
            time.sleep(0.05)
        raise AssertionError("replicas do not catch up")

    # ---- accidents ----

    def kill(self, number):
        """kill -9."""
        node = self.nodes[number]
        node.process.kill()
        node.process.wait()

    def end(self, number):
        """As for maintenance: SIGTERM."""
        node = self.nodes[number]
        node.process.terminate()
        node.process.wait(60)

    def restart(self, numbers):
        with ThreadPoolExecutor(len(numbers)) as threads:
            started = list(threads.map(lambda number: self._server(number, self.ports[number]), numbers))
        for number, node in zip(numbers, started):
            for client in self.nodes[number].clients:
                client.close()
            self.nodes[number] = node

    def pause(self, number):
        self.nodes[number].process.send_signal(signal.SIGSTOP)

    def resume(self, number):
        self.nodes[number].process.send_signal(signal.SIGCONT)

    def stop(self):
        for node in self.nodes:
            if node.is_alive():
                node.process.send_signal(signal.SIGCONT)
        with ThreadPoolExecutor(max(1, len(self.nodes))) as threads:
            list(threads.map(lambda node: node.stop(), self.nodes))
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def parse_node(line):
    """A line of CLUSTER NODES. Slots that are about to move ("[93-<-...]") are not slots."""
    words = line.split()
    port = int(words[1].split("@")[0].rsplit(":", 1)[1])
    slots = tuple(
        (int(word.split("-")[0]), int(word.split("-")[-1])) for word in words[8:] if not word.startswith("[")
    )
    return {"id": words[0], "port": port, "flags": words[2].split(","), "master": words[3], "slots": slots}


def offset_of(port):
    client = Client(port, timeout=2.0)
    try:
        text = client.call("INFO", "replication").decode()
    finally:
        client.close()
    name = "slave_repl_offset:" if "role:slave" in text else "master_repl_offset:"
    return int(text.split(name)[1].split()[0])
