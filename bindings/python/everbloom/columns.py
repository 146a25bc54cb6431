"""Columns: many keys as other packages keep them, and answers as numpy arrays where numpy is.

None of these packages is needed, and none is imported except numpy, for answers.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Type

from ._everbloom import ArrowKeys

_numpy: Any = None
_numpy_was_tried = False


def numpy_or_none() -> Any:
    """The module numpy, if it is installed. Imported when it is first needed."""
    global _numpy, _numpy_was_tried
    if not _numpy_was_tried:
        try:
            import numpy

            _numpy = numpy
        except ImportError:
            _numpy = None
        _numpy_was_tried = True
    return _numpy


def as_keys(keys: Any) -> Any:
    """An object that the extension module reads: pandas and Arrow columns become arrays, the rest stays as it is."""
    if isinstance(keys, (list, tuple, ArrowKeys)):
        return keys
    if hasattr(keys, "buffers") and hasattr(keys, "null_count"):
        return _from_arrow(keys)
    if hasattr(keys, "combine_chunks") and hasattr(keys, "chunks"):
        return _from_arrow_chunks(keys)
    if hasattr(keys, "to_numpy"):
        return keys.to_numpy()
    return keys


def _from_arrow(array: Any) -> Any:
    """An array of pyarrow: text and bytes without a copy, the rest by way of numpy."""
    if array.null_count:
        raise TypeError(f"the column has {array.null_count} missing values; drop them first, for example with drop_null()")
    if str(array.type) not in ("string", "binary", "large_string", "large_binary", "utf8", "large_utf8"):
        return array.to_numpy(zero_copy_only=False)
    _, offsets, data = array.buffers()
    if len(array) == 0 or offsets is None:
        return []
    wide = str(array.type).startswith("large_")
    view = memoryview(offsets).cast("B").cast("q" if wide else "i")
    return ArrowKeys(data if data is not None else b"", view, array.offset, len(array))


def _from_arrow_chunks(column: Any) -> Any:
    combined = column.combine_chunks()
    if hasattr(combined, "buffers"):
        return _from_arrow(combined)
    return [key for chunk in combined.chunks for key in chunk.to_pylist()]


def as_truths(answers: bytearray) -> Any:
    """One truth value per key: an array of numpy, or a list."""
    numpy = numpy_or_none()
    if numpy is None:
        return [answer != 0 for answer in answers]
    return numpy.frombuffer(answers, dtype=numpy.bool_)


def as_outcomes(outcomes: bytearray, kind: Type[IntEnum]) -> Any:
    """One outcome per key: an array of numpy (uint8, to be compared with the enum), or a list of the enum."""
    numpy = numpy_or_none()
    if numpy is None:
        return [kind(outcome) for outcome in outcomes]
    return numpy.frombuffer(outcomes, dtype=numpy.uint8)


def as_counts(counts: bytearray) -> Any:
    """One number per key: an array of numpy (uint64), or a list."""
    numpy = numpy_or_none()
    if numpy is None:
        return memoryview(counts).cast("Q").tolist()
    return numpy.frombuffer(counts, dtype=numpy.uint64)
