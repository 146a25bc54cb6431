"""A server with the module for tests: loopback, a free port, a folder that goes away, ended by its process id."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

MODULE = os.environ["EVERBLOOM_REDIS_MODULE"]
SANITIZED = bool(os.environ.get("EVERBLOOM_REDIS_SANITIZED"))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Error(Exception):
    """An error reply."""


class Verbatim(str):
    """A simple string, to be told from a bulk string."""


class Client:
    """The protocol by hand, so that the tests see every byte of a reply; RESP2 or RESP3."""

    def __init__(self, port, resp=2, timeout=60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.file = self.socket.makefile("rb")
        if resp == 3:
            self.call("HELLO", "3")

    def close(self):
        self.file.close()
        self.socket.close()

    @staticmethod
    def encoded(*words):
        parts = [b"*%d\r\n" % len(words)]
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
        return b"".join(parts)

    def send(self, *words):
        self.socket.sendall(self.encoded(*words))

    def pipeline(self, commands):
        """The replies to many commands, in a thousand at a time; errors are values."""
        replies = []
        for first in range(0, len(commands), 1000):
            group = commands[first : first + 1000]
            self.socket.sendall(b"".join(self.encoded(*one) for one in group))
            replies += [self.read() for _ in group]
        return replies

    def read(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the server went away")
        kind, rest = line[:1], line[1:-2]
        if kind == b"+":
            return Verbatim(rest.decode())
        if kind == b"-":
            return Error(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        if kind == b"%":
            return {self.read(): self.read() for _ in range(int(rest))}
        if kind == b"#":
            return rest == b"t"
        if kind == b"_":
            return None
        if kind == b",":
            return float(rest)
        if kind == b"=":
            return self.file.read(int(rest) + 2)[4:-2]
        if kind == b"~":
            return [self.read() for _ in range(int(rest))]
        raise ValueError(line)

    def reply(self, *words):
        """The reply, errors as values."""
        self.send(*words)
        return self.read()

    def call(self, *words):
        """The reply; an error is raised."""
        reply = self.reply(*words)
        if isinstance(reply, Error):
            raise reply
        return reply


    def used_memory(self):
        return int(self.call("INFO", "memory").decode().split("used_memory:")[1].split()[0])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def server_environment():
    """That of the tests; for a module with sanitizers, also what lets a server without them load it."""
    if not SANITIZED:
        return None
    runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    # The server itself leaves memory behind when it ends, and asks for more than there is when it is told to.
    asan = "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1:quarantine_size_mb=16"
    return {**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": asan, "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


class Server:
    """Options are those of the configuration file, with _ for -."""

    def __init__(self, arguments=(), folder=None, modules=None, port=None, **options):
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="everbloom-redis-")
        self.port = port or free_port()
        options = {"save": '""', "enable_debug_command": "yes", "appendonly": "no", "loglevel": "notice", **options}
        modules = modules if modules is not None else [[MODULE, *arguments]]
        lines = [f"port {self.port}", "bind 127.0.0.1", f'dir "{self.folder}"', "daemonize no"]
        lines += [f"{name.replace('_', '-')} {value}" for name, value in options.items()]
        lines += ["loadmodule " + " ".join(words) for words in modules]
        config = os.path.join(self.folder, "redis.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.log_path = os.path.join(self.folder, "log.txt")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                ["redis-server", config], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=server_environment()
            )
        self.clients = []
        self.wait()

    def wait(self):
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError("the server did not start:\n" + self.log())
            try:
                client = Client(self.port)
                if str(client.reply("PING")).startswith(("PONG", "NOAUTH")):
                    self.clients.append(client)
                    return
                client.close()
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("the server does not answer:\n" + self.log())

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_rewrite(self, client):
        """Until BGREWRITEAOF is done; it must have worked."""
        for _ in range(300):
            info = client.call("INFO", "persistence").decode()
            if "aof_rewrite_in_progress:0" in info and "aof_rewrite_scheduled:0" in info:
                break
            time.sleep(0.1)
        if "aof_last_bgrewrite_status:ok" not in info:
            raise AssertionError(self.log())

    def client(self, resp=2):
        self.clients.append(Client(self.port, resp))
        return self.clients[-1]

    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends the process; the folder stays if it was given."""
        for client in self.clients:
            client.close()
        self.clients = []
        if self.is_alive():
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        # A module that fails under a sanitizer must not go unnoticed where a test expected the server to end. That the server asks for more
        # memory than there is, because a dump says so, is a warning.
        fault = re.search("ERROR: [A-Za-z]*Sanitizer|runtime error:", self.log()) if SANITIZED else None
        if fault:
            raise AssertionError(self.log()[max(0, fault.start() - 4000) : fault.start() + 4000])
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def wait_for_replica(client):
    """Until the replica that this client talks to has its primary's data."""
    for _ in range(300):
        if "master_link_status:up" in client.call("INFO", "replication").decode():
            return
        time.sleep(0.1)
    raise AssertionError("the replica has no link to its primary")


def keys(first, last, prefix="key"):
    """Some keys, as text."""
    return [f"{prefix}:{i}" for i in range(first, last)]


class ServerTest(unittest.TestCase):
    """Tests that share one server, which is empty before each."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = cls.server.client()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.client.call("FLUSHALL")
