"""Membership filters: sets in a few bits per key, which answer "certainly not" or "maybe".

>>> from everbloom import Filter
>>> seen = Filter(capacity=1000, fpr=0.01)
>>> seen.add("anna")
>>> "anna" in seen
True

A filter is used like a set. It also deletes keys with a verdict for each, grows, merges, excludes known negatives, and
tells its current false positive rate (FPR). The tutorial is docs/python.md.
"""

from ._everbloom import ArrowKeys, FilterError, version as __version__
from .filter import Filter
from .laboratory import deletability, fpr, kinds, model, plan, refusal, simulate
from .outcomes import EraseOutcome, InsertOutcome

__all__ = [
    "ArrowKeys",
    "EraseOutcome",
    "Filter",
    "FilterError",
    "InsertOutcome",
    "deletability",
    "fpr",
    "kinds",
    "model",
    "plan",
    "refusal",
    "simulate",
]
