"""Dumps as RedisBloom 2.2 and later write them (BF.SCANDUMP), made here, so that the import is tested without that program.

The layout is described in include/everbloom/foreign/redisbloom_dump.hpp. `Chain` adds keys as RedisBloom does: to the last filter, and to a new one,
twice as large and half as wrong, when that is full."""

import math
import struct

MASK = (1 << 64) - 1
MULTIPLIER = 0xC6A4A7935BD1E995
LONG_HASHES, NO_ROUNDING, FIXED = 4, 1, 8


def murmur64a(key, seed):
    value = (seed ^ (len(key) * MULTIPLIER)) & MASK
    whole = len(key) // 8 * 8
    for at in range(0, whole, 8):
        word = int.from_bytes(key[at : at + 8], "little") * MULTIPLIER & MASK
        word = (word ^ (word >> 47)) * MULTIPLIER & MASK
        value = (value ^ word) * MULTIPLIER & MASK
    if whole < len(key):
        value = (value ^ int.from_bytes(key[whole:], "little")) * MULTIPLIER & MASK
    value = (value ^ (value >> 47)) * MULTIPLIER & MASK
    return value ^ (value >> 47)


class Link:
    def __init__(self, capacity, error, rounded=False):
        self.capacity, self.error, self.keys = capacity, error, 0
        self.bits_per_key = -math.log(error) / 0.480453013918201
        self.hashes = math.ceil(0.693147180559945 * self.bits_per_key)
        wanted = max(1, int(capacity * self.bits_per_key))
        self.range_bits = wanted.bit_length() if rounded else 0
        self.data = bytearray((max(wanted, 1 << self.range_bits) + 63) // 64 * 8)
        self.range = 1 << self.range_bits if rounded else len(self.data) * 8

    def positions(self, key):
        start = murmur64a(key, MULTIPLIER)
        step = murmur64a(key, start)
        return [(start + i * step & MASK) % self.range for i in range(self.hashes)]

    def has(self, key):
        return all(self.data[at // 8] >> at % 8 & 1 for at in self.positions(key))

    def add(self, key):
        for at in self.positions(key):
            self.data[at // 8] |= 1 << at % 8
        self.keys += 1

    def header(self):
        return struct.pack(
            "<QQQddIQB", len(self.data), len(self.data) * 8, self.keys, self.error, self.bits_per_key, self.hashes,
            self.capacity, self.range_bits,
        )  # fmt: skip


class Chain:
    def __init__(self, capacity, error=0.01, expansion=2, rounded=False, fixed=False):
        self.expansion, self.rounded = expansion, rounded
        self.options = LONG_HASHES | (0 if rounded else NO_ROUNDING) | (FIXED if fixed else 0)
        self.links = [Link(capacity, error if fixed else error / 2, rounded)]

    def add(self, key):
        key = key.encode() if isinstance(key, str) else key
        if any(link.has(key) for link in self.links):
            return
        last = self.links[-1]
        if last.keys >= last.capacity:
            self.links.append(Link(last.capacity * self.expansion, last.error / 2, self.rounded))
        self.links[-1].add(key)

    def has(self, key):
        key = key.encode() if isinstance(key, str) else key
        return any(link.has(key) for link in self.links)

    def keys(self):
        return sum(link.keys for link in self.links)

    def header(self):
        start = struct.pack("<QIII", self.keys(), len(self.links), self.options, self.expansion)
        return start + b"".join(link.header() for link in self.links)

    def chunks(self, most=16 << 20):
        """As BF.SCANDUMP answers: a chunk ends with its filter."""
        found, position = [(1, self.header())], 1
        for link in self.links:
            for first in range(0, len(link.data), most):
                chunk = bytes(link.data[first : first + most])
                position += len(chunk)
                found.append((position, chunk))
        return found
