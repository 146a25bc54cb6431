"""Outcomes: what an insertion or a removal did."""

from enum import IntEnum


class InsertOutcome(IntEnum):
    """What an insertion did. `succeeded` is true if the key is in the filter now.

    >>> InsertOutcome.OVER_CAPACITY.succeeded
    False
    """

    INSERTED = 0  #: the key is present
    INSERTED_COUNTED = 1  #: it was present already; its count was incremented
    INSERTED_SATURATED = 2  #: it is present, and a cell became saturated permanently
    INSERTED_GREW = 3  #: it is present, and the filter grew to take it
    INSERTED_UNPROTECTED = 4  #: it is present; conflicting known negatives may be false positives again
    FULL_BUCKET = 5  #: refused: all buckets of this key are full
    FULL_COUNTER = 6  #: refused: the count of this key is at its largest
    GROWTH_REFUSED = 7  #: refused: the filter would have to grow and may not, or cannot
    OVER_CAPACITY = 8  #: refused: with more keys the FPR would rise above its target
    ALREADY_PRESENT = 9  #: nothing was done: the key was there already
    NOT_WRITABLE = 10  #: refused: this filter is mapped, and so read-only

    @property
    def succeeded(self) -> bool:
        return self <= InsertOutcome.INSERTED_UNPROTECTED or self is InsertOutcome.ALREADY_PRESENT


class EraseOutcome(IntEnum):
    """What a removal did. `succeeded` is true if an insertion was undone.

    >>> EraseOutcome.NOT_PRESENT.succeeded
    False
    """

    REMOVED = 0  #: one insertion of the key is undone
    REMOVED_STILL_POSITIVE = 1  #: undone as far as the cells allow; the key still answers "maybe"
    NOT_PRESENT = 2  #: the cells prove that the key was never inserted, or was removed already
    NOT_DELETABLE = 3  #: the key may be present, but all of its cells are saturated
    AMBIGUOUS = 4  #: more than one part answers "maybe", and removing from the wrong one would lose a key
    CANNOT_ERASE = 5  #: this kind cannot remove keys, or this filter is mapped

    @property
    def succeeded(self) -> bool:
        return self <= EraseOutcome.REMOVED_STILL_POSITIVE


#: Why a key was refused, for sentences.
REFUSALS = {
    InsertOutcome.FULL_BUCKET: "all buckets of the key are full",
    InsertOutcome.FULL_COUNTER: "the count of the key is at its largest",
    InsertOutcome.GROWTH_REFUSED: "the filter would have to grow and cannot",
    InsertOutcome.OVER_CAPACITY: "the filter is at its capacity, and with more keys its FPR would rise above the target; "
    "resize it, or make it with overfill=True",
    InsertOutcome.NOT_WRITABLE: "the filter is mapped, and so read-only; copy() can be changed",
}
