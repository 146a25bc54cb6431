// cells: what the cells of a filter look like, as they are, and which keys they belong to.
import type { Filter } from "../../bindings/js/src/api.js";
import { bitsAt, quotientItems, sectionsOf } from "./filter_file.js";

/** One cell of a picture. */
export interface Cell {
    /** its number among the cells of the filter; -1 for parts that are no cells (no-filters) */
    readonly index: number;
    readonly value: number;
    /** written into it, if there is room */
    readonly text: string;
    /** it can never be emptied again */
    readonly stuck: boolean;
    /** what it holds, in words */
    readonly words: string;
}
/** Cells that belong together: a block, a region, a bucket, a sub-filter. */
export interface Group {
    readonly name: string;
    readonly cells: readonly Cell[];
}
export interface Drawing {
    readonly groups: readonly Group[];
    /** cells in a row */
    readonly columns: number;
    /** as wide as a fingerprint in them */
    readonly wide: boolean;
    /** one sentence: what is drawn */
    readonly legend: string;
}

type Geometry = Record<string, number | string>;
const number = (geometry: Geometry, name: string): number => Number(geometry[name] ?? 0);

function cut(cells: readonly Cell[], size: number, name: (index: number) => string): Group[] {
    const made: Group[] = [];
    for (let from = 0; from < cells.length; from += size) {
        made.push({ name: name(made.length), cells: cells.slice(from, from + size) });
    }
    return made;
}

/** A cell that is a small number; at `most` it is stuck. */
function numbers(values: readonly number[], most: number, words: (value: number) => string): Cell[] {
    return values.map((value, index) => ({ index, value, text: value === 0 ? "" : String(value), stuck: value >= most, words: words(value) }));
}
function bitCells(values: readonly number[]): Cell[] {
    return values.map((value, index) => ({ index, value, text: "", stuck: false, words: value === 0 ? "empty bit" : "bit set" }));
}
const counter = (value: number, most: number): string =>
    value === 0 ? "counter 0" : value >= most ? `counter ${value}: saturated, it never goes down again` : `counter ${value}`;

/** How the cells of this filter are drawn. */
export function drawingOf(filter: Filter): Drawing {
    const { kind, geometry } = filter.describe();
    const values = filter.cells();
    const counterMost = 2 ** number(geometry, "counter_bits") - 1;
    const narrow = (groups: Group[], legend: string): Drawing => ({ groups, columns: 32, wide: false, legend });
    switch (kind) {
        case "blocked":
        case "elastic_blocked":
            return narrow(cut(bitCells(values), 512, (i) => `block ${i}`),
                kind === "blocked" ? "All bits of a key are in one block of 512 bits, one cache line."
                    : "Blocks of 512 bits, for queries. Beside them, not drawn, one stored hash per key: with it keys are removed for certain.");
        case "counting":
            return narrow(cut(numbers(values, counterMost, (value) => counter(value, counterMost)), values.length, () => ""),
                `Counters of ${number(geometry, "counter_bits")} bits. A key adds 1 to each of its ${number(geometry, "hashes")} cells.`);
        case "dynamic":
        case "partitioned":
            return narrow(cut(numbers(values, counterMost, (value) => counter(value, counterMost)), number(geometry, "initial_bits"), (i) => `sub-filter ${i}`),
                "A chain of counting filters of the same size; a full one gets a neighbour.");
        case "collision":
            return narrow(cut(numbers(values, 2, (value) => ["empty", "one key", "two keys met here: it stays set"][value]!), values.length, () => ""),
                "A bit, and a flag that says that two keys met there (2). A flagged bit is never cleared.");
        case "ternary":
            return narrow(cut(numbers(values, 2, (value) => ["empty", "one key", "many keys: it stays set"][value]!), values.length, () => ""),
                "Cells of three values: 0, 1 and many (2). “Many” cannot be undone.");
        case "quaternary":
            return narrow(cut(numbers(values, 3, (value) => ["empty", "one key", "two keys", "many keys: it stays set"][value]!), values.length, () => ""),
                "Cells of two bits that count to two; 3 means many, and stays.");
        case "dfp":
            return narrow(cut(numbers(values, 3, (value) => ["empty", "fingerprint 1", "fingerprint 2", "both fingerprints: it stays set"][value]!), values.length, () => ""),
                "Each cell holds a fingerprint of two bits: 1, 2, or both (3), which cannot be undone.");
        case "tombstone":
            return narrow(cut(numbers(values, 9, (value) => ["empty", "added", "removed", "added and removed"][value]!), values.length, () => ""),
                "Two Bloom filters over each other: 1 added, 3 added and removed. Members are lost where all their cells are 3.");
        case "deletable":
            return narrow(cut(numbers(values, 2, (value) => ["empty", "bit set", "bit set in a region with a collision: it stays set"][value]!),
                number(geometry, "region_bits"), (i) => `region ${i}`),
            "Bits in regions. In a region where two keys met (2) nothing is cleared any more.");
        case "fingerprint_counting":
            return fingerprints(filter, geometry, values, number(geometry, "fingerprint_bits"), counterMost,
                "Each cell has a counter, and the fingerprint of its key, in hexadecimal, as long as there is only one.");
        case "dleft":
            return dleft(filter, geometry, values);
        case "quotient":
            return quotient(filter, geometry, values);
        case "scalable":
            return narrow(scalable(values, geometry), "A chain of Bloom filters, each larger and stricter than the one before.");
        case "yes_no":
            return yesNo(filter, geometry, values);
        default:
            return narrow(cut(bitCells(values), values.length, () => ""),
                kind === "elastic" ? "Bits, for queries. Beside them, not drawn, the fingerprints from which a larger or smaller array is made."
                    : `One array of bits. A key sets ${number(geometry, "hashes")} of them; how many keys share one is not known.`);
    }
}

function fingerprints(filter: Filter, geometry: Geometry, values: readonly number[], width: number, most: number, legend: string): Drawing {
    const section = sectionsOf(filter.save()).sections[0]!;
    const counterBits = number(geometry, "counter_bits"), cellBits = width + counterBits;
    const cells = values.map((value, index): Cell => {
        const tag = bitsAt(section, index * cellBits + counterBits, width).toString(16);
        return { index, value, stuck: value >= most, text: value === 0 ? "" : value === 1 ? tag : `${tag}·${value}`,
            words: value === 0 ? "empty" : `fingerprint ${tag}, ${counter(value, most)}` };
    });
    return { groups: [{ name: "", cells }], columns: 16, wide: true, legend };
}

function dleft(filter: Filter, geometry: Geometry, values: readonly number[]): Drawing {
    const section = sectionsOf(filter.save()).sections[0]!;
    const counterBits = number(geometry, "counter_bits"), remainder = number(geometry, "remainder_bits");
    const perBucket = number(geometry, "bucket_cells"), buckets = number(geometry, "buckets");
    const cells = values.map((value, index): Cell => {
        const stored = bitsAt(section, index * (counterBits + remainder) + counterBits, remainder).toString(16);
        return { index, value, stuck: false, text: value === 0 ? "" : value === 1 ? stored : `${stored}·${value}`,
            words: value === 0 ? "empty" : `fingerprint ${stored}${value > 1 ? `, ${value} copies` : ""}` };
    });
    return { groups: cut(cells, perBucket, (i) => `subtable ${Math.floor(i / buckets)}, bucket ${i % buckets}`), columns: perBucket, wide: true,
        legend: "Buckets of fingerprints. A key has one bucket in each subtable and is put into the emptier one." };
}

function quotient(filter: Filter, geometry: Geometry, values: readonly number[]): Drawing {
    const perLine = number(geometry, "buckets");
    const items = quotientItems(sectionsOf(filter.save()), geometry);
    const inCell = new Map<number, string[]>();
    for (const item of items) {
        const at = item.line * perLine + item.bucket;
        inCell.set(at, [...(inCell.get(at) ?? []), item.stored.toString(16)]);
    }
    const cells = values.map((value, index): Cell => {
        const held = inCell.get(index) ?? [];
        return { index, value, stuck: false, text: value === 0 ? "" : String(value),
            words: value === 0 ? "empty bucket" : `${value === 1 ? "fingerprint" : `${value} fingerprints:`} ${held.join(", ")}` };
    });
    return { groups: cut(cells, perLine, (i) => `line ${i}`), columns: 32, wide: false,
        legend: `Lines of 64 bytes with ${perLine} buckets; a bucket holds the fingerprints of its keys. Each key has two lines to choose from.` };
}

function scalable(values: readonly number[], geometry: Geometry): Group[] {
    const cells = bitCells(values);
    const made: Group[] = [];
    for (let from = 0, size = number(geometry, "initial_bits"); from < cells.length; from += size, size *= number(geometry, "growth")) {
        made.push({ name: `sub-filter ${made.length}`, cells: cells.slice(from, from + size) });
        if (size === 0) break;
    }
    return made;
}

function yesNo(filter: Filter, geometry: Geometry, values: readonly number[]): Drawing {
    const parts = number(geometry, "parts"), perPart = number(geometry, "yes_bits");
    const r = number(geometry, "no_filters"), q = number(geometry, "no_bits");
    const section = sectionsOf(filter.save()).sections[1]!;
    const groups = cut(bitCells(values), perPart, (i) => (parts === 1 ? "yes-filter" : `yes-filter of part ${i}`));
    const partBits = 64 * Math.ceil((r * q) / 64);
    for (let part = 0; part < parts; ++part) {
        for (let j = 0; j < r; ++j) {
            const cells = Array.from({ length: q }, (_, i): Cell => {
                const value = bitsAt(section, part * partBits + i * r + j, 1);
                return { index: -1, value, text: "", stuck: false, words: value === 0 ? "empty bit of a no-filter" : "bit of a no-filter: part of a key that must not match" };
            });
            groups.push({ name: `no-filter ${j + 1}${parts === 1 ? "" : ` of part ${part}`}`, cells });
        }
    }
    return { groups, columns: 32, wide: false,
        legend: "A Bloom filter for the members (yes), and small ones for known negatives that it would answer “maybe” (no)." };
}

/** Kinds that put a key where there is room: its cells are those that change when it goes. */
const placed = new Set(["dleft", "quotient", "dynamic", "partitioned"]);

/**
 * The cells of a key: where it would be in an empty filter of the same size, or, for kinds that choose a place, what changes in a copy
 * from which it is removed. undefined where that cannot be told.
 */
export function cellsOf(filter: Filter, key: string, values: readonly number[]): number[] | undefined {
    const kind = filter.kind;
    if (kind === "scalable") return undefined; // which sub-filter a key went to is not known afterwards
    const copy = filter.clone();
    try {
        if (placed.has(kind)) {
            const outcome = copy.erase(key);
            if (outcome !== "removed" && outcome !== "removed_still_positive") return undefined;
        } else {
            copy.clear();
            copy.insert(key);
        }
        const after = copy.cells();
        if (after.length !== values.length) return undefined; // in the middle of a resize
        const made: number[] = [];
        after.forEach((value, i) => {
            if (placed.has(kind) ? value !== values[i] : value !== 0) made.push(i);
        });
        return made;
    } finally {
        copy.close();
    }
}
