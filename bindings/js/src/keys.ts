// keys: how keys of JavaScript lie in the memory of a module, one or many.
//
// Text is its UTF-8 bytes; a Uint8Array is its bytes; a number or bigint is a whole number of 64 bits, for filters of key type u64. Many
// keys go over in pieces, as one run of bytes with offsets, as Arrow has them.
import { FilterError, Module } from "./module.js";

/** A key: text, bytes, or (key type u64) a whole number. */
export type Key = string | Uint8Array | number | bigint;
/** The keys of a column: key i is data[offsets[i]] up to data[offsets[i + 1]]; offsets has one element more than there are keys. */
export interface KeyColumn {
    readonly data: Uint8Array;
    readonly offsets: Int32Array;
}
/** Many keys: an array, any other iterable, a column of bytes, or an array of numbers. */
export type Keys = Iterable<Key> | KeyColumn;

export type KeyType = "text" | "u64" | "ip" | "hex" | "domain" | "cidr";
export const keyTypes: readonly KeyType[] = ["text", "u64", "ip", "hex", "domain", "cidr"];

const SHAPE_U64 = 1, SHAPE_OFFSETS32 = 3, SHAPE_DIGESTS = 7;
const KEYS_BYTES = 40; // sizeof(eb_keys)
const PIECE_KEYS = 16384, PIECE_BYTES = 1 << 20;
const U64_MOST = (1n << 64n) - 1n;
const encoder = new TextEncoder();

function bad(sentence: string): FilterError {
    return new FilterError("bad_parameter", sentence);
}

/** A whole number from 0 to 2^64 - 1, or a TypeError. */
export function u64(value: unknown, name: string): bigint {
    if (typeof value === "number" && Number.isSafeInteger(value)) value = BigInt(value);
    if (typeof value !== "bigint") throw bad(`${name} must be a whole number (a bigint above 2^53), not ${String(value)}`);
    if (value < 0n || value > U64_MOST) throw bad(`${name} must be from 0 to 2^64 - 1, not ${value}`);
    return value;
}

/** One key, as bytes in the memory of the module; `use` gets their place and number. */
export function withKey<Result>(module: Module, key: Key, use: (at: number, bytes: number) => Result): Result {
    if (typeof key === "string") return module.withUtf8(key, use);
    if (key instanceof Uint8Array) return module.withBytes(key, (at) => use(at, key.length));
    throw bad("this filter takes text and bytes (a string or a Uint8Array); numbers need a filter with keys: \"u64\"");
}

function isColumn(keys: Keys): keys is KeyColumn {
    return typeof keys === "object" && "offsets" in keys && "data" in keys;
}

/** Writes an eb_keys for the time of `use`. */
function withDescription<Result>(
    module: Module, shape: number, count: number, width: number, data: number, extents: number, use: (keys: number) => Result,
): Result {
    return module.with(KEYS_BYTES, (at) => {
        const view = module.view;
        view.setUint32(at, shape, true);
        view.setUint32(at + 4, 0, true);
        view.setBigUint64(at + 8, BigInt(count), true);
        view.setBigInt64(at + 16, 0n, true);
        view.setBigUint64(at + 24, BigInt(width), true);
        view.setUint32(at + 32, data, true);
        view.setUint32(at + 36, extents, true);
        return use(at);
    });
}

/** Digests, 16 bytes each, as `Filter.digests` returns them. */
export function withDigests<Result>(module: Module, digests: Uint8Array, use: (keys: number, count: number) => Result): Result {
    const count = digests.length / 16;
    return module.withBytes(digests, (data) => withDescription(module, SHAPE_DIGESTS, count, 0, data, 0, (keys) => use(keys, count)));
}

function withColumn(module: Module, data: Uint8Array, offsets: Int32Array, use: (keys: number, count: number) => void): void {
    const count = offsets.length - 1;
    if (count < 1) return;
    if (offsets[0]! < 0 || offsets[count]! > data.length) throw bad("the offsets of a column lie outside of its data");
    const start = offsets[0]!;
    const bytes = offsets[count]! - start;
    if (bytes < 0) throw bad("the offsets of a column fall");
    module.with(4 * offsets.length + bytes, (at) => {
        // Both begin at 0 in the module: a slice of a column carries only its own bytes.
        const moved = start === 0 ? offsets : offsets.map((one) => one - start);
        module.bytes.set(new Uint8Array(moved.buffer, moved.byteOffset, moved.byteLength), at);
        module.bytes.set(data.subarray(start, start + bytes), at + 4 * offsets.length);
        withDescription(module, SHAPE_OFFSETS32, count, Math.max(bytes, 1), at + 4 * offsets.length, at, (keys) => use(keys, count));
    });
}

function withNumbers(module: Module, numbers: BigUint64Array, use: (keys: number, count: number) => void): void {
    if (numbers.length === 0) return;
    module.withBytes(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), (data) =>
        withDescription(module, SHAPE_U64, numbers.length, 0, data, 0, (keys) => use(keys, numbers.length)));
}

/** Calls `use` for pieces of the keys, in order: an eb_keys in the memory of the module, and their number. */
export function forEachPiece(module: Module, type: KeyType, keys: Keys, use: (keys: number, count: number) => void): void {
    if (isColumn(keys)) {
        if (type === "u64") throw bad("this filter holds numbers; a column has bytes");
        for (let from = 0; from + 1 < keys.offsets.length; from += PIECE_KEYS) {
            withColumn(module, keys.data, keys.offsets.subarray(from, Math.min(from + PIECE_KEYS + 1, keys.offsets.length)), use);
        }
        return;
    }
    if (typeof keys === "string") throw bad("one text is not many keys; use an array of texts");
    if (type === "u64") {
        if (keys instanceof BigUint64Array) {
            for (let from = 0; from < keys.length; from += PIECE_KEYS) withNumbers(module, keys.subarray(from, from + PIECE_KEYS), use);
            return;
        }
        let piece = new BigUint64Array(PIECE_KEYS), count = 0;
        for (const key of keys as Iterable<Key>) {
            piece[count++] = u64(key, "a key of this filter");
            if (count === PIECE_KEYS) {
                withNumbers(module, piece, use);
                count = 0;
            }
        }
        withNumbers(module, piece.subarray(0, count), use);
        return;
    }
    let data = new Uint8Array(PIECE_BYTES), used = 0;
    let offsets = new Int32Array(PIECE_KEYS + 1), count = 0;
    const flush = (): void => {
        withColumn(module, data, offsets.subarray(0, count + 1), use);
        used = count = 0;
    };
    for (const key of keys as Iterable<Key>) {
        const most = typeof key === "string" ? 3 * key.length : key instanceof Uint8Array ? key.length : -1;
        if (most < 0) throw bad("this filter takes text and bytes (strings or Uint8Arrays); numbers need a filter with keys: \"u64\"");
        if (used + most > data.length) flush();
        if (most > data.length) data = new Uint8Array(most);
        if (typeof key === "string") {
            used += encoder.encodeInto(key, data.subarray(used)).written;
        } else {
            data.set(key as Uint8Array, used);
            used += (key as Uint8Array).length;
        }
        offsets[++count] = used;
        if (count === PIECE_KEYS) flush();
    }
    flush();
}

/** The keys as one eb_keys, for functions that need all of them at once. */
export function withAll<Result>(module: Module, type: KeyType, keys: Keys, use: (keys: number) => Result): Result {
    if (type === "u64") {
        const numbers = keys instanceof BigUint64Array ? keys : BigUint64Array.from([...(keys as Iterable<Key>)], (key) => u64(key, "a key"));
        if (numbers.length === 0) return withDescription(module, SHAPE_U64, 0, 0, 0, 0, use);
        return module.withBytes(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), (data) =>
            withDescription(module, SHAPE_U64, numbers.length, 0, data, 0, use));
    }
    const column = isColumn(keys) ? keys : columnOf(keys as Iterable<Key>);
    const count = column.offsets.length - 1;
    if (count < 1) return withDescription(module, SHAPE_OFFSETS32, 0, 0, 0, 0, use);
    return module.with(4 * (count + 1) + column.data.length, (at) => {
        module.bytes.set(new Uint8Array(column.offsets.buffer, column.offsets.byteOffset, column.offsets.byteLength), at);
        module.bytes.set(column.data, at + 4 * (count + 1));
        return withDescription(module, SHAPE_OFFSETS32, count, Math.max(column.data.length, 1), at + 4 * (count + 1), at, use);
    });
}

/** Texts and bytes as a column, which goes over to the module quicker if it is used more than once. */
export function columnOf(keys: Iterable<Key>): KeyColumn {
    const parts: Uint8Array[] = [];
    const offsets: number[] = [0];
    let bytes = 0;
    for (const key of keys) {
        if (typeof key !== "string" && !(key instanceof Uint8Array)) throw bad("a column has texts and bytes");
        const part = typeof key === "string" ? encoder.encode(key) : key;
        parts.push(part);
        bytes += part.length;
        if (bytes > 0x7fffffff) throw bad("a column has at most 2 GiB");
        offsets.push(bytes);
    }
    const data = new Uint8Array(bytes);
    parts.forEach((part, i) => data.set(part, offsets[i]!));
    return { data, offsets: Int32Array.from(offsets) };
}

/** A key that is written as text, as the command line reads it: "10.0.0.1" (ip), "ff00" (hex), "0x2a" (u64), "10.0.0.0/8" (cidr). */
export function keyFromText(module: Module, type: KeyType, text: string): Key {
    if (type === "text") return text;
    const bytes = module.withUtf8(text, (at, length) =>
        module.with(length + 16, (into) => {
            const found = module.number(module.call["eb_key_from_text"]!(keyTypes.indexOf(type), at, length, into, length + 16, module.errorAt) as bigint);
            return module.bytes.slice(into, into + found);
        }));
    return type === "u64" ? new DataView(bytes.buffer).getBigUint64(0, true) : bytes;
}
