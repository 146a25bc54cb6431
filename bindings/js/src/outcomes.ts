// outcomes: what an insertion or a removal did, by the names and in the order of everbloom.h.

/** Outcomes of an insertion. Up to "inserted_unprotected" the key was added; after any other one the filter is unchanged. */
export const insertOutcomes = [
    "inserted", // the key is present
    "inserted_counted", // it was present already; its count was incremented
    "inserted_saturated", // it is present, and a cell became saturated permanently
    "inserted_grew", // it is present, and the filter grew to take it
    "inserted_unprotected", // it is present; conflicting known negatives may be false positives again
    "full_bucket", // refused: all buckets of this key are full
    "full_counter", // refused: the count of this key is at its largest
    "growth_refused", // refused: it would have to grow and may not, or cannot
    "over_capacity", // refused: with more keys the FPR would rise above its target
    "already_present", // nothing was done: it was there already
    "not_writable", // refused: this filter is read-only
] as const;
export type InsertOutcome = (typeof insertOutcomes)[number];

/** Outcomes of a removal. Up to "removed_still_positive" an insertion was undone; otherwise the filter is unchanged. */
export const eraseOutcomes = [
    "removed", // one insertion of the key is undone
    "removed_still_positive", // undone as far as the cells allow; the key still answers "maybe"
    "not_present", // the cells prove that the key was never inserted, or was removed already
    "not_deletable", // the key may be present, but all of its cells are saturated
    "ambiguous", // more than one part answers "maybe", and removing from the wrong one would lose a key
    "unsupported", // this kind cannot remove keys
] as const;
export type EraseOutcome = (typeof eraseOutcomes)[number];

/** Whether the key is in the filter after an insertion with this outcome. */
export function wasAdded(outcome: InsertOutcome): boolean {
    return insertOutcomes.indexOf(outcome) <= 4 || outcome === "already_present";
}
/** Whether a removal with this outcome undid an insertion. */
export function wasRemoved(outcome: EraseOutcome): boolean {
    return outcome === "removed" || outcome === "removed_still_positive";
}
