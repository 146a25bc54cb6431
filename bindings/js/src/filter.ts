// Filter: a set of keys in a few bits per key, over the C interface.
import { current } from "./instance.js";
import { forEachPiece, keyFromText, keyTypes, u64, withAll, withDigests, withKey, type Key, type Keys, type KeyType } from "./keys.js";
import { FilterError, type Module } from "./module.js";
import { eraseOutcomes, insertOutcomes, wasAdded, wasRemoved, type EraseOutcome, type InsertOutcome } from "./outcomes.js";

export type Hash = "siphash" | "xxh3" | "murmur3" | "integer" | "dcso";
const hashes: readonly (Hash | "")[] = ["", "siphash", "xxh3", "murmur3", "integer", "dcso"];

/** What a new filter is made for. */
export interface FilterOptions {
    /** different keys that it must hold, at least 1; kinds that grow take more and keep their FPR */
    capacity: number | bigint;
    /** target false positive rate, between 0 and 1; 0.001 if it is not given */
    fpr?: number;
    /** "blocked" or any other of `kinds()`; without it the planner chooses */
    kind?: string;
    /** geometry instead of the planned one: { bits: 65536, hashes: 4 } */
    parameters?: Record<string, number | string>;
    /** "text" (the default), "u64", "ip", "hex", "domain" or "cidr" */
    keys?: KeyType;
    /** "siphash" is the default */
    hash?: Hash;
    /** 16 bytes; random if it is not given. Filters that are to be merged need the same one */
    hashKey?: Uint8Array;
    /** the lifetime, for the planner: keys inserted in addition and removed again, as a multiple of the capacity */
    removed?: number;
    /** how often every key is replaced by another one */
    churn?: number;
    /** the largest factor by which the set may grow; the planner uses it, so not where `kind` is given (`parameters: { planned_keys }` of quotient is) */
    growth?: number;
    /** with a lifetime: a kind may be chosen that refuses a key below its capacity */
    mayRefuse?: boolean;
    /** known negatives that `protect` will get */
    negatives?: number;
    /** accept keys beyond the capacity; the FPR then rises above its target */
    overfill?: boolean;
}

export interface Stats {
    kind: string;
    keys: number;
    keys_are_exact: boolean;
    capacity: number;
    fill: number | null;
    fpr: number;
    target_fpr: number;
    deletable_share: number | null;
    memory_bytes: number;
    bits_per_key: number | null;
}
export interface Description {
    kind: string;
    summary: string;
    capabilities: string[];
    geometry: Record<string, number | string>;
    hash: Hash;
    key_type: KeyType;
    capacity: number;
    target_fpr: number;
    mapped: boolean;
    cells: number;
    structure_bits: number;
    memory_bytes: number;
    file_bytes: number;
    attached_bytes: number;
    exclusions: { bits: number; hashes: number } | null;
    growth: Record<string, number> | null;
}
export interface Census {
    cells: number;
    values: number[];
    occupied_shares: number[];
    bucket_load_at_least?: number[];
    potential_overflows?: number;
    largest_count?: number;
}
export interface Protection {
    negatives: number;
    falsePositivesBefore: number;
    falsePositivesAfter: number;
    membersLost: number;
}
export interface ListUpdate {
    inserted: number;
    removed: number;
    undeletable: number;
    rebuilt: boolean;
    why: string;
}

/** The key of a reproducible filter, as `--seed` of the command line: the seed, little-endian, then zeros. */
export function hashKeyFromSeed(seed: number | bigint): Uint8Array {
    const key = new Uint8Array(16);
    new DataView(key.buffer).setBigUint64(0, u64(seed, "the seed"), true);
    return key;
}

const OVERFILL = 1, LIFETIME = 2, MAY_REFUSE = 4;
// Sizes and offsets in WebAssembly; bindings/js/src/layout.cpp compares them with everbloom.h when it is compiled.
const OPTIONS_BYTES = 88, RESIZE_BYTES = 32, PROTECTION_BYTES = 32, UPDATE_BYTES = 280;

const forgotten = new FinalizationRegistry<{ module: Module; at: number }>(({ module, at }) => module.call["eb_free"]!(at));

/** A key that was refused, and why. */
const refusals: Partial<Record<InsertOutcome, string>> = {
    full_bucket: "all buckets of the key are full",
    full_counter: "the count of the key is at its largest",
    growth_refused: "the filter would have to grow and cannot",
    over_capacity: "the filter is at its capacity, and with more keys its FPR would rise above the target; resize it, or make it with overfill",
    not_writable: "the filter is read-only",
};

/**
 * A membership filter. `has` is false for a key that is certainly not in it, and true for "maybe": all keys that were added, and a small
 * share of the others, the false positive rate (FPR).
 *
 *     await load();
 *     const seen = new Filter({ capacity: 1_000_000, fpr: 0.01 });
 *     seen.add("anna").has("anna"); // true
 *
 * Memory is freed when the object is collected; `close` does it at once.
 */
export class Filter {
    readonly #module: Module;
    readonly #type: KeyType;
    #at: number;

    /** Makes an empty filter. */
    constructor(options: FilterOptions);
    /** @internal */
    constructor(made: { at: number });
    constructor(options: FilterOptions | { at: number }) {
        this.#module = current();
        this.#at = "at" in options ? options.at : make(this.#module, options);
        this.#type = keyTypes[this.#module.call["eb_key_type_of"]!(this.#at) as number]!;
        forgotten.register(this, { module: this.#module, at: this.#at }, this);
    }

    /** A filter of these keys, just large enough. */
    static of(keys: Keys, options: Omit<FilterOptions, "capacity"> & { capacity?: number } = {}): Filter {
        const given = typeof keys === "object" && "offsets" in keys ? keys : Array.isArray(keys) ? keys : [...(keys as Iterable<Key>)];
        const count = "offsets" in given ? given.offsets.length - 1 : given.length;
        const made = new Filter({ capacity: Math.max(count, 1), ...options });
        made.addMany(given);
        return made;
    }
    /** A filter from the bytes of a file: of `save`, the command line, or any other binding. Every byte is checked. */
    static load(bytes: Uint8Array): Filter {
        const module = current();
        return new Filter({
            at: module.pointer(module.withBytes(bytes, (at) => module.call["eb_read_memory"]!(at, bytes.length, module.errorAt) as number)),
        });
    }
    /** A filter from the bytes of a .bloom file (DCSO's program `bloom`), not compressed. */
    static loadDcso(bytes: Uint8Array): Filter {
        const module = current();
        return new Filter({
            at: module.pointer(module.withBytes(bytes, (at) => module.call["eb_read_dcso"]!(at, bytes.length, module.errorAt) as number)),
        });
    }
    /** The file as bytes. They contain the secret hash key. */
    save(): Uint8Array {
        const module = this.#module;
        const length = module.number(module.call["eb_saved_bytes"]!(this.handle, module.errorAt) as bigint);
        return module.with(length, (at) => {
            module.number(module.call["eb_write_memory"]!(this.handle, at, length, module.errorAt) as bigint);
            return module.bytes.slice(at, at + length);
        });
    }
    /** Frees the memory now; later calls fail. */
    close(): void {
        if (this.#at === 0) return;
        forgotten.unregister(this);
        this.#module.call["eb_free"]!(this.#at);
        this.#at = 0;
    }
    private get handle(): number {
        if (this.#at === 0) throw new FilterError("bad_parameter", "this filter is closed");
        return this.#at;
    }

    // ---- one key ----

    /** False: certainly not in it. True: maybe. */
    has(key: Key): boolean {
        return this.#one("query", key) === 1;
    }
    /** As `has`, and a "maybe" is verified by the stored hash of the key, for kinds that can ("confirm" in its capabilities). */
    hasVerified(key: Key): boolean {
        return this.#pieces([key], (piece) => this.#module.call["eb_query_verified"]!(this.handle, piece, 0, this.#module.errorAt) as bigint) === 1;
    }
    /** Adds a key, as that of a Set. An error if it is refused. */
    add(key: Key): this {
        const outcome = this.insert(key);
        if (!wasAdded(outcome)) throw new FilterError("no_room", refusals[outcome] ?? outcome);
        return this;
    }
    /** Removes a key, as that of a Set: whether it was there. Only keys that were added may be removed. */
    delete(key: Key): boolean {
        const outcome = this.erase(key);
        if (wasRemoved(outcome)) return true;
        if (outcome === "not_present") return false;
        if (outcome === "unsupported") throw new FilterError("unsupported", `a filter of kind ${this.kind} cannot remove keys`);
        throw new FilterError("unsupported", `this key cannot be removed: ${outcome.replaceAll("_", " ")}`);
    }
    /** Adds a key, and tells what that did. */
    insert(key: Key): InsertOutcome {
        return insertOutcomes[this.#one("insert", key)]!;
    }
    /** Removes one insertion of a key, and tells what that did. */
    erase(key: Key): EraseOutcome {
        return eraseOutcomes[this.#one("erase", key)]!;
    }
    /** What `erase` would return; changes nothing. */
    canErase(key: Key): EraseOutcome {
        const outcomes = new Uint8Array(1);
        this.#many("eb_can_erase", [key], outcomes);
        return eraseOutcomes[outcomes[0]!]!;
    }
    #one(verb: "query" | "insert" | "erase", key: Key): number {
        const module = this.#module;
        const found =
            this.#type === "u64"
                ? (module.call[`eb_${verb}_u64`]!(this.handle, u64(key, "a key of this filter")) as number)
                : withKey(module, key, (at, bytes) => module.call[`eb_${verb}_bytes`]!(this.handle, at, bytes) as number);
        if (found < 0) throw new FilterError("bad_parameter", "this is no key for this filter");
        return found;
    }

    // ---- many keys ----

    /** Adds all keys; returns the number of those that were added. An error if some were refused, after all others were added. */
    addMany(keys: Keys): number {
        let given = 0;
        const added = this.#pieces(keys, (piece, count) => {
            given += count;
            return this.#module.call["eb_insert"]!(this.handle, piece, 0, this.#module.errorAt) as bigint;
        });
        if (added < given) throw new FilterError("no_room", `${given - added} of ${given} keys were refused; insertMany tells why for each`);
        return added;
    }
    /** Adds all keys; an outcome for each, as a number: insertOutcomes[n] is its name. */
    insertMany(keys: readonly Key[]): Uint8Array {
        const outcomes = new Uint8Array(keys.length);
        this.#many("eb_insert", keys, outcomes);
        return outcomes;
    }
    /** Removes all keys; an outcome for each, as a number: eraseOutcomes[n] is its name. */
    eraseMany(keys: readonly Key[]): Uint8Array {
        const outcomes = new Uint8Array(keys.length);
        this.#many("eb_erase", keys, outcomes);
        return outcomes;
    }
    /** Asks for each key: 1 for maybe, 0 for certainly not. */
    hasMany(keys: readonly Key[]): Uint8Array {
        const answers = new Uint8Array(keys.length);
        this.#many("eb_query", keys, answers);
        return answers;
    }
    /** The number of keys that may be in it. */
    countContained(keys: Keys): number {
        return this.#pieces(keys, (piece) => this.#module.call["eb_query"]!(this.handle, piece, 0, this.#module.errorAt) as bigint);
    }
    /** How often a key was added, never too low, for kinds that count. */
    count(key: Key): number {
        const module = this.#module;
        let found = 0;
        this.#pieces([key], (piece) =>
            module.with(8, (at) => {
                const done = module.call["eb_count"]!(this.handle, piece, at, module.errorAt) as bigint;
                found = Number(module.view.getBigUint64(at, true));
                return done;
            }));
        return found;
    }
    /** A key of this filter's type from its text, as the command line reads it: "10.0.0.1", "ff00", "0x2a". */
    keyFromText(text: string): Key {
        return keyFromText(this.#module, this.#type, text);
    }
    /** The 128 bits that the hash function makes of a key: low, then high. */
    digest(key: Key): { low: bigint; high: bigint } {
        const module = this.#module;
        let low = 0n, high = 0n;
        this.#pieces([key], (piece) =>
            module.with(16, (at) => {
                const done = module.call["eb_digests"]!(this.handle, piece, at, module.errorAt) as bigint;
                low = module.view.getBigUint64(at, true);
                high = module.view.getBigUint64(at + 8, true);
                return done;
            }));
        return { low, high };
    }
    /** Asks with digests of any filter with the same hash and hash key, 16 bytes each. */
    hasDigests(digests: Uint8Array): number {
        const module = this.#module;
        if (digests.length === 0) return 0;
        return withDigests(module, digests, (keys) => module.number(module.call["eb_query"]!(this.handle, keys, 0, module.errorAt) as bigint));
    }
    #pieces(keys: Keys, use: (piece: number, count: number) => bigint): number {
        let sum = 0;
        forEachPiece(this.#module, this.#type, keys, (piece, count) => {
            sum += this.#module.number(use(piece, count));
        });
        return sum;
    }
    #many(name: string, keys: readonly Key[], into: Uint8Array): void {
        const module = this.#module;
        let done = 0;
        this.#pieces(keys, (piece, count) =>
            module.with(count, (at) => {
                const found = module.call[name]!(this.handle, piece, at, module.errorAt) as bigint;
                into.set(module.bytes.subarray(at, at + count), done);
                done += count;
                return found;
            }));
    }

    // ---- whole filters ----

    clone(): Filter {
        return new Filter({ at: this.#module.pointer(this.#module.call["eb_clone"]!(this.handle, this.#module.errorAt) as number) });
    }
    /** Removes all keys; size and hash key stay. */
    clear(): void {
        this.#module.check(this.#module.call["eb_clear"]!(this.handle, this.#module.errorAt) as number);
    }
    /** Adds the keys of a filter of the same kind, geometry, hash and hash key. */
    merge(other: Filter): void {
        this.#module.check(this.#module.call["eb_merge"]!(this.handle, other.handle, this.#module.errorAt) as number);
    }
    /** Keeps the keys that the other filter holds as well. */
    intersect(other: Filter): void {
        this.#module.check(this.#module.call["eb_intersect"]!(this.handle, other.handle, this.#module.errorAt) as number);
    }
    /** Another capacity, FPR or size, without the keys, for kinds that can. */
    resize(wanted: { capacity?: number; fpr?: number; bytes?: number }): void {
        const module = this.#module;
        module.with(RESIZE_BYTES, (at) => {
            const view = module.view;
            view.setBigUint64(at, 0n, true);
            view.setUint32(at, RESIZE_BYTES, true);
            view.setBigUint64(at + 8, u64(wanted.capacity ?? 0, "capacity"), true);
            view.setFloat64(at + 16, wanted.fpr ?? 0, true);
            view.setBigUint64(at + 24, u64(wanted.bytes ?? 0, "bytes"), true);
            module.check(module.call["eb_resize"]!(this.handle, at, module.errorAt) as number);
        });
    }
    /** A smaller copy with this FPR, for programs that only ask, for kinds that can (quotient, elastic_blocked). */
    export(fpr: number): Filter {
        return new Filter({ at: this.#module.pointer(this.#module.call["eb_export"]!(this.handle, fpr, this.#module.errorAt) as number) });
    }
    /** Whether both have the same kind, geometry, hash, hash key and cells. */
    equals(other: Filter): boolean {
        return this.#module.number(this.#module.call["eb_equal"]!(this.handle, other.handle, this.#module.errorAt) as number) === 1;
    }
    /** Known negatives are answered "certainly not" from now on: a list in front of a filter of any kind. */
    exclude(negatives: Keys): Protection {
        return this.#protection((at) =>
            withAll(this.#module, this.#type, negatives, (keys) => this.#module.call["eb_exclude"]!(this.handle, keys, at, this.#module.errorAt) as number));
    }
    /** The same by the kind's own means (yes_no). Needs all members, so that none of them is lost. */
    protect(members: Keys, negatives: Keys): Protection {
        const module = this.#module;
        return this.#protection((at) =>
            withAll(module, this.#type, members, (held) =>
                withAll(module, this.#type, negatives, (keys) =>
                    module.call["eb_protect"]!(this.handle, held, keys, 0, at, module.errorAt) as number)));
    }
    #protection(work: (at: number) => number): Protection {
        const module = this.#module;
        return module.with(PROTECTION_BYTES, (at) => {
            module.check(work(at));
            const number = (i: number): number => Number(module.view.getBigUint64(at + 8 * i, true));
            return { negatives: number(0), falsePositivesBefore: number(1), falsePositivesAfter: number(2), membersLost: number(3) };
        });
    }
    dropExclusions(): void {
        this.#module.check(this.#module.call["eb_drop_exclusions"]!(this.handle, this.#module.errorAt) as number);
    }
    /** Follows a list: the filter holds the keys of `before` (and `undeletable` of earlier updates); afterwards it holds those of `after`. */
    sync(before: Keys, after: Keys, undeletable = 0): ListUpdate {
        const module = this.#module;
        return module.with(UPDATE_BYTES, (at) => {
            module.check(
                withAll(module, this.#type, before, (old) =>
                    withAll(module, this.#type, after, (next) =>
                        module.call["eb_sync"]!(this.handle, old, next, u64(undeletable, "undeletable"), at, module.errorAt) as number)));
            const number = (i: number): number => Number(module.view.getBigUint64(at + 8 * i, true));
            return {
                inserted: number(0), removed: number(1), undeletable: number(2), rebuilt: module.view.getInt32(at + 24, true) === 1,
                why: module.text(at + 28),
            };
        });
    }

    // ---- facts ----

    get kind(): string {
        return this.#module.text(this.#module.call["eb_kind"]!(this.handle) as number);
    }
    get keyType(): KeyType {
        return this.#type;
    }
    get hash(): Hash {
        return hashes[this.#module.call["eb_hash_of"]!(this.handle) as number] as Hash;
    }
    /** The secret 16 bytes with which other filters can be made that may be merged with this one. */
    get hashKey(): Uint8Array {
        const module = this.#module;
        return module.with(16, (at) => {
            module.check(module.call["eb_hash_key_of"]!(this.handle, at, module.errorAt) as number);
            return module.bytes.slice(at, at + 16);
        });
    }
    get capacity(): number {
        return Number(BigInt.asUintN(64, this.#module.call["eb_capacity"]!(this.handle) as bigint));
    }
    get targetFpr(): number {
        return this.#module.call["eb_target_fpr"]!(this.handle) as number;
    }
    get memoryBytes(): number {
        return Number(BigInt.asUintN(64, this.#module.call["eb_memory_bytes"]!(this.handle) as bigint));
    }
    /** The number of different keys: exact for kinds that keep count, otherwise estimated from all cells. */
    get size(): number {
        return this.#module.number(this.#module.call["eb_key_count"]!(this.handle, this.#module.errorAt) as bigint);
    }
    /** The current FPR, computed from the real cells. */
    get fpr(): number {
        return this.#module.number(this.#module.call["eb_current_fpr"]!(this.handle, this.#module.errorAt) as number);
    }
    /** A checksum of all that determines its answers. */
    get identity(): bigint {
        const module = this.#module;
        return module.with(8, (at) => {
            module.check(module.call["eb_identity"]!(this.handle, at, module.errorAt) as number);
            return module.view.getBigUint64(at, true);
        });
    }
    stats(): Stats {
        return this.#module.document((at, size) => this.#module.call["eb_stats"]!(this.handle, at, size, this.#module.errorAt)) as Stats;
    }
    describe(): Description {
        return this.#module.document((at, size) => this.#module.call["eb_describe"]!(this.handle, at, size, this.#module.errorAt)) as Description;
    }
    /** What the cells look like, for pictures: occupied shares of equal slices, and how many cells hold which value. */
    census(slices = 64, values = 16): Census {
        return this.#module.document(
            (at, size) => this.#module.call["eb_census"]!(this.handle, slices, values, at, size, this.#module.errorAt), 65536) as Census;
    }
    /** The values of cells, 0 for empty ones. What a cell is depends on the kind. */
    cells(first = 0, count = 65536): number[] {
        const module = this.#module;
        return module.with(8 * count, (at) => {
            const read = module.number(module.call["eb_cells"]!(this.handle, BigInt(first), BigInt(count), at, module.errorAt) as bigint);
            return Array.from({ length: read }, (_, i) => Number(module.view.getBigUint64(at + 8 * i, true)));
        });
    }
}

/** Fills an eb_options and makes the filter. */
function make(module: Module, options: FilterOptions): number {
    const type = keyTypes.indexOf(options.keys ?? "text");
    if (type < 0) throw new FilterError("bad_parameter", `keys must be one of ${keyTypes.join(", ")}, not ${String(options.keys)}`);
    const hash = options.hash === undefined ? 0 : hashes.indexOf(options.hash);
    if (hash < 0) throw new FilterError("bad_parameter", `hash must be one of ${hashes.slice(1).join(", ")}, not ${String(options.hash)}`);
    if (options.hashKey && options.hashKey.length !== 16) throw new FilterError("bad_parameter", `hashKey must have 16 bytes, not ${options.hashKey.length}`);
    const fpr = options.fpr ?? 0.001;
    if (!(fpr > 0 && fpr < 1)) throw new FilterError("bad_parameter", `fpr must lie between 0 and 1, not ${String(fpr)}`);
    const lifetime = [options.removed, options.churn, options.growth, options.mayRefuse].some((one) => one !== undefined);
    const flags = (options.overfill ? OVERFILL : 0) | (lifetime ? LIFETIME : 0) | (options.mayRefuse ? MAY_REFUSE : 0);
    const parameters = Object.entries(options.parameters ?? {}).map(([name, value]) => `${name}=${value}`).join(" ");
    return module.withText(options.kind, (kind) =>
        module.withText(parameters, (geometry) =>
            module.withBytes(options.hashKey ?? new Uint8Array(0), (key) =>
                module.with(OPTIONS_BYTES, (at) => {
                    module.bytes.fill(0, at, at + OPTIONS_BYTES);
                    const view = module.view;
                    view.setUint32(at, OPTIONS_BYTES, true);
                    view.setBigUint64(at + 8, u64(options.capacity, "capacity"), true);
                    view.setFloat64(at + 16, fpr, true);
                    view.setUint32(at + 24, kind, true);
                    view.setUint32(at + 28, geometry, true);
                    view.setUint32(at + 32, options.hashKey ? key : 0, true);
                    view.setInt32(at + 36, hash, true);
                    view.setInt32(at + 40, type, true);
                    view.setUint32(at + 44, flags, true);
                    view.setFloat64(at + 56, options.removed ?? 0, true);
                    view.setFloat64(at + 64, options.churn ?? 0, true);
                    view.setFloat64(at + 72, options.growth ?? 0, true);
                    view.setBigUint64(at + 80, u64(options.negatives ?? 0, "negatives"), true);
                    return module.pointer(module.call["eb_make"]!(at, module.errorAt) as number);
                }))));
}
