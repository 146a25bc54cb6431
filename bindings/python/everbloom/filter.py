"""Filter: a set of keys in a few bits per key. What is called for every key is in the extension module; this is the rest."""

from __future__ import annotations

import errno
import json
import os
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NoReturn, Optional, Type, TypeVar, Union

from . import columns
from ._everbloom import FilterBase, FilterError
from .outcomes import REFUSALS, EraseOutcome, InsertOutcome

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
_Self = TypeVar("_Self", bound="Filter")

# As in everbloom.h; a test compares them.
_KEY_TYPES = {"text": 0, "u64": 1, "ip": 2, "hex": 3, "domain": 4, "cidr": 5}
_KEY_CLASSES = {str: "text", int: "u64", bytes: "hex", tuple: "hex"}
_HASHES = {"siphash": 1, "xxh3": 2, "murmur3": 3, "integer": 4, "dcso": 5}
_CAPABILITIES = (
    "query", "insert", "erase", "count", "merge", "grow", "shrink", "resize", "intersect", "confirm", "protect",
    "query_copy", "build",
)  # fmt: skip
_OVERFILL, _LIFETIME, _MAY_REFUSE = 1, 2, 4
_MOST = 2**64 - 1


def _whole(name: str, value: Any) -> int:
    """A number of keys or bytes: 1000, 1e6, numpy.int64(5); not 1.5, not -1."""
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"{name} must be a whole number, not {value!r}")
        value = int(value)
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not 0 <= number <= _MOST:
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {number}")
    return int(number)


def _choice(name: str, value: Any, known: Mapping[str, int]) -> int:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    return known[value]


def _key_type_of(keys: Any) -> str:
    if isinstance(keys, type):
        if keys not in _KEY_CLASSES:
            raise ValueError(f"keys must be str, int, bytes, tuple or a key type ({', '.join(_KEY_TYPES)}), not {keys.__name__}")
        return _KEY_CLASSES[keys]
    _choice("keys", keys, _KEY_TYPES)
    return str(keys)


def _raise_system_error(error: OSError, path: Path, folder_too: bool = False) -> NoReturn:
    """The library says in words what failed; Python's own call finds out the number, and so the class: FileNotFoundError and so on."""
    name = os.fspath(path)
    number = errno.EIO
    try:
        if folder_too:
            parent = os.path.dirname(os.path.abspath(name))
            os.stat(parent)
            if not os.access(parent, os.W_OK):
                number = errno.EACCES
        else:
            with open(name, "rb"):
                pass
    except OSError as found:
        number = found.errno or number
    if getattr(error, "code", "") == "busy":
        number = errno.EBUSY
    raise OSError(number, str(error), os.fsdecode(name)) from None


class Filter(FilterBase):
    """A membership filter: a set of keys in a few bits per key.

    `key in filter` is False for a key that is certainly not in it, and True for "maybe": all keys that were added, and a
    small share of the others, the false positive rate (FPR).

    :param capacity: different keys that it must hold; kinds that grow take more and keep their FPR, others refuse them
    :param fpr: target FPR, between 0 and 1
    :param kind: "blocked", "quotient" or any other of `everbloom.kinds()`; None: the planner chooses
    :param keys: str (also bytes; text is its UTF-8 bytes), int, bytes, or a key type: "text", "u64", "hex", "ip", "domain", "cidr"
    :param hash: "siphash", "xxh3", "murmur3", "integer" or "dcso"; None: siphash, with a secret key
    :param hash_key: 16 bytes; None: random. Filters that are to be merged or compared need the same one
    :param removed, churn, growth, may_refuse: what will happen, as in `everbloom.plan`: the planner chooses a kind for it, a
        given kind is sized for it. Without any of them everything may happen; `removed=0` means "insert only"
    :param negatives: the number of known negatives that `protect` will get, for kinds made for them
    :param overfill: accept keys beyond the capacity; the FPR then rises above its target
    :param parameters: geometry instead of the planned one: {"bits": 65536, "hashes": 4}

    >>> names = Filter(1000, 0.01)
    >>> names.update(["anna", "bert"])
    >>> "anna" in names, b"bert" in names, len(names)
    (True, True, 2)
    >>> ids = Filter(1000, keys=int, kind="blocked", hash="integer")
    >>> ids.add(42)
    >>> 42 in ids
    True

    A filter that can remove keys is a multiset: a key that was added twice has to be removed twice.

    Any number of threads may use a filter at the same time. Bulk calls release the global interpreter lock; those that only
    read run beside each other, one that changes the filter runs alone.
    """

    __slots__ = ("__weakref__",)
    # A set that can change has no hash.
    __hash__ = None  # type: ignore[assignment]

    def __new__(
        cls: Type[_Self],
        capacity: float,
        fpr: float = 0.001,
        *,
        kind: Optional[str] = None,
        keys: Union[str, type] = str,
        hash: Optional[str] = None,
        hash_key: Optional[bytes] = None,
        removed: Optional[float] = None,
        churn: Optional[float] = None,
        growth: Optional[float] = None,
        may_refuse: Optional[bool] = None,
        negatives: int = 0,
        overfill: bool = False,
        parameters: Optional[Mapping[str, Any]] = None,
    ) -> _Self:
        flags = _OVERFILL if overfill else 0
        if not (removed is churn is growth is may_refuse is None):
            flags |= _LIFETIME | (_MAY_REFUSE if may_refuse else 0)
        fpr = float(fpr)
        if not 0 < fpr < 1:  # 0 would mean "the default" to the library
            raise ValueError(f"fpr must lie between 0 and 1, not {fpr!r}")
        if hash_key is not None:
            hash_key = bytes(hash_key)
            if len(hash_key) != 16:
                raise ValueError(f"hash_key must have 16 bytes, not {len(hash_key)}")
        return cls._make(
            _whole("capacity", capacity),
            fpr,
            kind,
            " ".join(f"{name}={value}" for name, value in (parameters or {}).items()) or None,
            0 if hash is None else _choice("hash", hash, _HASHES),
            hash_key,
            _KEY_TYPES[_key_type_of(keys)],
            flags,
            float(removed or 0),
            float(churn or 0),
            float(growth or 0),
            _whole("negatives", negatives),
        )

    @classmethod
    def of(cls: Type[_Self], members: Iterable[Any], /, fpr: float = 0.001, **options: Any) -> _Self:
        """A filter of these keys, just large enough. The key type follows from them unless `options` (those of `Filter`) say it.

        >>> "anna" in Filter.of(["anna", "bert"])
        True
        >>> 7 in Filter.of(range(10), 0.01, kind="blocked")
        True
        """
        given = columns.as_keys(members)
        try:
            count = len(given)
        except TypeError:
            given = list(given)
            count = len(given)
        options.setdefault("capacity", max(count, 1))
        if "keys" not in options:
            options["keys"] = _guess_key_class(given)
        made = cls(fpr=fpr, **options)
        if "build" in made.capabilities:
            made.build(given)
        else:
            made.update(given)
        return made

    # ---- files and bytes ----

    @classmethod
    def open(cls: Type[_Self], path: Path) -> _Self:
        """Reads a file into memory, where the filter can be changed. Every byte is compared with its checksum."""
        try:
            return cls._open(path)
        except OSError as error:
            _raise_system_error(error, path)

    @classmethod
    def map(cls: Type[_Self], path: Path, *, verify: bool = True) -> _Self:
        """Answers from a file without reading it into memory, shared between processes, read-only.

        `verify=False` compares only the checksum of the header: opens files of gigabytes at once. The file may be replaced
        meanwhile, as `save` does, but not changed in place.
        """
        try:
            return cls._map(path, not verify)
        except OSError as error:
            _raise_system_error(error, path)

    @classmethod
    def load(cls: Type[_Self], data: Any) -> _Self:
        """A filter from the bytes of `to_bytes`, or of a file.

        >>> copy = Filter.load(Filter.of(["anna"]).to_bytes())
        >>> "anna" in copy
        True
        """
        return cls._from_bytes(data)

    def save(self, path: Path) -> None:
        """Writes a file, durably: until it is complete, the old file stays. A new file is readable for its owner only."""
        try:
            self._save(path)
        except OSError as error:
            _raise_system_error(error, path, folder_too=True)

    def to_bytes(self) -> bytes:
        """The file as bytes: for databases, networks, pickles. They contain the secret hash key."""
        return self._to_bytes()

    def close(self) -> None:
        """Frees the memory, or ends the mapping, now and not when the object is collected. Later calls fail."""
        self._close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return (_load, (type(self), self.to_bytes()))

    # ---- one key ----

    def insert(self, key: Any) -> InsertOutcome:
        """Adds a key, and tells what that did. Unlike `add` it does not raise if the key is refused.

        >>> Filter(10).insert("anna").succeeded
        True
        """
        return InsertOutcome(self._insert(key))

    def erase(self, key: Any) -> EraseOutcome:
        """Removes one insertion of a key, and tells what that did.

        Erase only keys that were added: a key that was never added may share its cells with members, and take them away.

        >>> names = Filter.of(["anna"])
        >>> names.erase("anna").name, names.erase("anna").name
        ('REMOVED', 'NOT_PRESENT')
        """
        return EraseOutcome(self._erase(key))

    def can_erase(self, key: Any) -> EraseOutcome:
        """What `erase` would return; changes nothing."""
        return EraseOutcome(self._erase_many([key], True)[2][0])

    def remove(self, key: Any) -> None:
        """Removes a key, as `set.remove`: KeyError if it is certainly not in the filter."""
        outcome = self.erase(key)
        if outcome is EraseOutcome.NOT_PRESENT:
            raise KeyError(key)
        self._check_erased(outcome)

    def discard(self, key: Any) -> None:
        """Removes a key, as `set.discard`: no error if it is not in the filter. Only keys that were added may be removed."""
        outcome = self.erase(key)
        if outcome is not EraseOutcome.NOT_PRESENT:
            self._check_erased(outcome)

    def contains_verified(self, key: Any) -> bool:
        """As `in`, and a "maybe" is verified by the stored hash of the key, for kinds that can ("confirm" in `capabilities`)."""
        return bool(self._contains_many([key], True, False)[1])

    def count(self, key: Any) -> int:
        """How often a key was added, never too low, for kinds that count.

        >>> visits = Filter(100, kind="counting", parameters={"counter_bits": 4})
        >>> visits.add("anna"); visits.add("anna")
        >>> visits.count("anna")
        2
        """
        return memoryview(self._count_many([key])[2]).cast("Q")[0]

    # ---- many keys ----

    def update(self, *others: Any) -> None:
        """Adds all keys of these iterables, arrays or columns; or of another filter, as `|=`.

        Raises FilterError if keys were refused, after all others were added. If something is no key, the keys before it may
        have been added.

        >>> names = Filter(100)
        >>> names.update(["anna", "bert"], ("carla",))
        >>> len(names)
        3
        """
        for keys in others:
            if isinstance(keys, FilterBase):
                self._merge(keys)
                continue
            keys = columns.as_keys(keys)
            given, added, _ = self._insert_many(keys, False, False)
            if added < given:
                raise self._refusal(f"{given - added:,} of {given:,} keys were refused; insert_many(keys) tells why for each")

    def insert_many(self, keys: Any, *, only_new: bool = False) -> Any:
        """Adds all keys, and returns an InsertOutcome for each: a numpy array of uint8, or a list.

        `only_new` leaves out keys that are there already (ALREADY_PRESENT), for kinds where that is safe.
        """
        return columns.as_outcomes(self._insert_many(columns.as_keys(keys), only_new, True)[2], InsertOutcome)

    def contains_many(self, keys: Any, *, verified: bool = False) -> Any:
        """Asks for each key: a numpy array of bool, or a list where numpy is not installed.

        `keys` is a list or any other iterable of keys; a numpy array of integers, fixed-width text (U) or bytes (S, V); a
        column of pandas, polars or pyarrow; or ArrowKeys. `verified` is as in `contains_verified`.

        >>> [bool(answer) for answer in Filter.of(["anna"]).contains_many(["anna", "bert"])]
        [True, False]
        """
        return columns.as_truths(self._contains_many(columns.as_keys(keys), verified, True)[2])

    def count_contained(self, keys: Any, *, verified: bool = False) -> int:
        """The number of keys that may be in it: the sum of `contains_many`, without the array."""
        return self._contains_many(columns.as_keys(keys), verified, False)[1]

    def erase_many(self, keys: Any) -> Any:
        """Removes all keys, and returns an EraseOutcome for each: a numpy array of uint8, or a list.

        >>> names = Filter.of(["anna", "bert"])
        >>> [EraseOutcome(one).name for one in names.erase_many(["anna", "carla"])]
        ['REMOVED', 'NOT_PRESENT']
        """
        return columns.as_outcomes(self._erase_many(columns.as_keys(keys), False)[2], EraseOutcome)

    def can_erase_many(self, keys: Any) -> Any:
        """What `erase_many` would return for each key by itself; changes nothing."""
        return columns.as_outcomes(self._erase_many(columns.as_keys(keys), True)[2], EraseOutcome)

    def difference_update(self, *others: Any) -> None:
        """Removes all keys of these iterables. If a dry run suggests that keys would be removed that were never added, nothing
        is removed (FilterError)."""
        for keys in others:
            self._erase_members(columns.as_keys(keys))

    def count_many(self, keys: Any) -> Any:
        """How often each key was added: a numpy array of uint64, or a list."""
        return columns.as_counts(self._count_many(columns.as_keys(keys))[2])

    # ---- whole filters ----

    def __len__(self) -> int:
        """The number of keys. Kinds that remove keys keep an exact count, in which a key that was added twice counts twice;
        others estimate the number of different keys from all cells."""
        return self._key_count()

    def __bool__(self) -> bool:
        return self._key_count() != 0

    def __eq__(self, other: object) -> Any:
        """Equal filters have the same kind, geometry, hash, hash key and cells."""
        return self._equals(other) if isinstance(other, FilterBase) else NotImplemented

    def copy(self: _Self) -> _Self:
        """A copy in memory. The copy of a mapped filter can be changed."""
        return self._clone()

    __copy__ = copy

    def export(self: _Self, fpr: float, kind: Optional[str] = None) -> _Self:
        """A smaller copy with this FPR for programs that only ask, made without the keys (kinds quotient and elastic_blocked).

        It is of the kind that takes the fewest bytes, mostly "fuse", which only answers. `kind="quotient"`, or "bloom" for
        elastic_blocked: a copy that can be merged.

        >>> names = Filter.of(f"name {i}" for i in range(1000))
        >>> shipped = names.export(0.01)
        >>> len(shipped.to_bytes()) < len(names.to_bytes()) and "name 7" in shipped
        True
        """
        return self._export(fpr, kind)

    def __deepcopy__(self: _Self, memo: Any) -> _Self:
        return self._clone()

    def __ior__(self: _Self, other: Any) -> _Self:
        """Adds the keys of the other filter. Both need the same kind, geometry and hash key (`hash_key=`)."""
        if not isinstance(other, FilterBase):
            return NotImplemented
        self._merge(other)
        return self

    def __or__(self: _Self, other: Any) -> _Self:
        if not isinstance(other, FilterBase):
            return NotImplemented
        made = self._clone()
        made._merge(other)
        return made

    def __iand__(self: _Self, other: Any) -> _Self:
        """Keeps the keys that the other filter holds as well."""
        if not isinstance(other, FilterBase):
            return NotImplemented
        self._intersect(other)
        return self

    def __and__(self: _Self, other: Any) -> _Self:
        if not isinstance(other, FilterBase):
            return NotImplemented
        made = self._clone()
        made._intersect(other)
        return made

    def clear(self) -> None:
        """Removes all keys; size and hash key stay."""
        self._clear()

    def resize(
        self, *, capacity: Optional[float] = None, fpr: Optional[float] = None, memory_bytes: Optional[float] = None
    ) -> None:
        """Another capacity, FPR or size, without the keys, for kinds that can.

        >>> names = Filter.of(["anna"], kind="quotient")
        >>> names.resize(capacity=5000)
        >>> names.capacity
        5000
        """
        if fpr is not None and not 0 < fpr < 1:
            raise ValueError(f"fpr must lie between 0 and 1, not {fpr!r}")
        wanted_keys = 0 if capacity is None else _whole("capacity", capacity)
        wanted_bytes = 0 if memory_bytes is None else _whole("memory_bytes", memory_bytes)
        if (capacity is not None and wanted_keys == 0) or (memory_bytes is not None and wanted_bytes == 0):
            raise ValueError("capacity and memory_bytes must be at least 1")
        self._resize(wanted_keys, 0.0 if fpr is None else float(fpr), wanted_bytes)

    def protect(self, negatives: Any, members: Any = None, *, may_lose_members: bool = False) -> Dict[str, int]:
        """Known negatives: these keys are answered "certainly not" from now on.

        Without `members`: an exclusion list in front of the filter, of any kind; it replaces an earlier one. With all
        members, for the kind yes_no: by the kind's own means, in a third of the bits. Returns what was reached.

        >>> names = Filter.of(["anna", "bert"], 0.5, kind="bloom")
        >>> names.protect(["carla", "dora"])["false_positives_after"]
        0
        """
        if members is None:
            return self._exclude(columns.as_keys(negatives))
        return self._protect(columns.as_keys(members), columns.as_keys(negatives), may_lose_members)

    def build(self, keys: Any) -> None:
        """Makes it hold exactly these keys, for a kind that is built from all of them at once ("build" in `capabilities`: fuse).

        >>> names = Filter(capacity=2, fpr=0.01, kind="fuse")
        >>> names.build(["anna", "bert"])
        >>> "anna" in names
        True
        """
        self._build(columns.as_keys(keys))

    def drop_exclusions(self) -> None:
        """Drops the exclusion list of `protect`, if there is one."""
        self._drop_exclusions()

    def sync(self, before: Any, after: Any, *, undeletable: int = 0) -> Dict[str, Any]:
        """Follows a list: the filter holds the keys of `before`, and afterwards those of `after`.

        Keys that left the list are removed, new ones inserted; a filter that cannot remove is built again. The result has
        "inserted", "removed", "rebuilt", "why", and "undeletable", which the next call gets.

        >>> blocked = Filter.of(["anna", "bert"])
        >>> done = blocked.sync(["anna", "bert"], ["bert", "carla"])
        >>> done["inserted"], done["removed"], "anna" in blocked
        (1, 1, False)
        """
        return self._sync(columns.as_keys(before), columns.as_keys(after), _whole("undeletable", undeletable))

    # ---- facts ----

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return self._facts()[0]

    @property
    def key_type(self) -> str:
        """'text', 'u64', 'ip', 'hex', 'domain' or 'cidr'."""
        return _name(_KEY_TYPES, self._facts()[1])

    @property
    def hash(self) -> str:
        """The name of its hash function."""
        return _name(_HASHES, self._facts()[2])

    @property
    def hash_key(self) -> bytes:
        """The key of the hash function: a secret, with which filters can be made that may be merged with this one."""
        return self._hash_key()

    @property
    def capacity(self) -> int:
        """Keys at the target FPR; 0 for a filter that was made without."""
        return self._facts()[3]

    @property
    def target_fpr(self) -> float:
        return self._facts()[4]

    @property
    def current_fpr(self) -> float:
        """The FPR now, computed from the real cells. Reads all of them."""
        return self._current_fpr()

    @property
    def memory_bytes(self) -> int:
        return self._facts()[5]

    @property
    def capabilities(self) -> FrozenSet[str]:
        """What it can do: 'query', 'insert', 'erase', 'count', 'merge', 'resize' and so on."""
        bits = self._facts()[6]
        return frozenset(name for place, name in enumerate(_CAPABILITIES) if bits >> place & 1)

    @property
    def mapped(self) -> bool:
        """Whether it answers from a file, read-only."""
        return not {"insert", "build"} & self.capabilities

    @property
    def identity(self) -> int:
        """A checksum of all that determines its answers. Equal filters have equal ones. Reads all cells."""
        return self._identity()

    def stats(self) -> Dict[str, Any]:
        """Keys, capacity, fill, current FPR, memory, bits per key. Reads every cell: for a report, not for every request.

        >>> sorted(Filter(10).stats())[:4]
        ['bits_per_key', 'capacity', 'deletable_share', 'fill']
        """
        made: Dict[str, Any] = json.loads(self._stats())
        return made

    def describe(self) -> Dict[str, Any]:
        """Kind, geometry, hash, capabilities, bytes of its file, exclusions, growth. Reads no cells."""
        made: Dict[str, Any] = json.loads(self._describe())
        return made

    def census(self, slices: int = 64, values: int = 16) -> Dict[str, Any]:
        """What the cells look like, for pictures: how many hold which value, and the share of occupied ones per slice."""
        made: Dict[str, Any] = json.loads(self._census(_whole("slices", slices), _whole("values", values)))
        return made

    def __repr__(self) -> str:
        if self.closed:
            return "<everbloom.Filter: closed>"
        kind, key_type, _, capacity, fpr, memory, _, _ = self._facts()
        return (
            f"<everbloom.Filter: {kind}, capacity {capacity:,} keys ({_name(_KEY_TYPES, key_type)}) "
            f"at {fpr:g} FPR, {memory:,} bytes{', mapped' if self.mapped else ''}>"
        )

    def _repr_html_(self) -> str:
        from .picture import html_of

        return html_of(self)

    # ---- refusals ----

    def _refusal(self, sentence: str) -> FilterError:
        error = FilterError(sentence)
        error.code = "refused"
        return error

    def _raise_refused(self, outcome: int) -> NoReturn:
        """The extension module calls this when `add` found no room."""
        raise self._refusal(f"the key was refused: {REFUSALS.get(InsertOutcome(outcome), InsertOutcome(outcome).name.lower())}")

    def _check_erased(self, outcome: EraseOutcome) -> None:
        if outcome.succeeded:
            return
        why = {
            EraseOutcome.NOT_DELETABLE: "its cells are saturated",
            EraseOutcome.AMBIGUOUS: "more than one part of the filter may hold it",
        }.get(outcome, f"a filter of kind {self.kind} {'that is mapped ' if self.mapped else ''}cannot remove keys")
        raise self._refusal(f"the key was not removed: {why}")


def _name(numbers: Mapping[str, int], wanted: int) -> str:
    for name, number in numbers.items():
        if number == wanted:
            return name
    return str(wanted)


def _load(cls: Type[_Self], data: bytes) -> _Self:
    return cls.load(data)


def _guess_key_class(keys: Any) -> type:
    """int if the first key is one, otherwise str. An array says it without its elements."""
    kind = getattr(getattr(keys, "dtype", None), "kind", None)
    if kind in ("i", "u", "b"):
        return int
    if kind in ("S", "U", "V"):
        return str
    code = getattr(keys, "typecode", getattr(keys, "format", None))  # array.array, memoryview
    if code is not None:
        return int
    if isinstance(keys, (str, bytes, bytearray)) or not hasattr(keys, "__iter__"):
        return str
    first: List[Any] = []
    for key in keys:
        first.append(key)
        break
    return int if first and hasattr(first[0], "__index__") else str
