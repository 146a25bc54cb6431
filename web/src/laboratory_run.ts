// laboratory_run: the same operations on several filters, beside an exact set that notices every mistake.
//
// An operation is a letter: a add a new key, q ask for an absent key, r remove a member, x remove a key that was never added, g grow,
// s shrink, p protect the false positives seen so far; A, Q and R do it with a key that a person wrote: A(anna). A run is the seed and
// the operations, so that a link replays it.
import { Filter, hashKeyFromSeed, wasAdded, wasRemoved } from "../../bindings/js/src/api.js";
import { nameOf, Random } from "./random.js";
import { rate } from "./words.js";

export interface Operation {
    readonly letter: string;
    readonly key?: string;
}
export type Tone = "plain" | "warn" | "bad";
export interface Entry {
    readonly turn: number;
    readonly kind: string;
    readonly tone: Tone;
    readonly text: string;
}
/** One filter of the run, and what is exactly in it. */
export interface Subject {
    readonly kind: string;
    filter: Filter;
    /** how often each key was added and not removed */
    readonly members: Map<string, number>;
    falsePositives: number;
    asked: number;
    refusedKeys: number;
    refusedRemovals: number;
    stuck: number;
    /** members that it denies now */
    lost: Set<string>;
    /** changes with every operation */
    version: number;
}

export const letters = "aqrxgsp";
export const mostOperations = 5000;

/** "a12.q3.A(anna)" */
export function formatOperations(operations: readonly Operation[]): string {
    const parts: string[] = [];
    for (let i = 0; i < operations.length; ) {
        const one = operations[i]!;
        if (one.key !== undefined) {
            parts.push(`${one.letter}(${encodeURIComponent(one.key)})`);
            ++i;
            continue;
        }
        let end = i;
        while (end < operations.length && operations[end]!.letter === one.letter && operations[end]!.key === undefined) ++end;
        parts.push(one.letter + (end - i > 1 ? String(end - i) : ""));
        i = end;
    }
    return parts.join(".");
}
/** The operations of a link; undefined if it is none, or too long. */
export function parseOperations(text: string): Operation[] | undefined {
    const made: Operation[] = [];
    for (const part of text === "" ? [] : text.split(".")) {
        const random = /^([aqrxgsp])(\d{0,4})$/.exec(part);
        const own = /^([AQR])\((.{1,300})\)$/.exec(part);
        if (random) {
            const count = random[2] === "" ? 1 : Number(random[2]);
            for (let i = 0; i < count; ++i) made.push({ letter: random[1]! });
        } else if (own) {
            try {
                made.push({ letter: own[1]!, key: decodeURIComponent(own[2]!) });
            } catch {
                return undefined;
            }
        } else return undefined;
        if (made.length > mostOperations) return undefined;
    }
    return made;
}

export class Run {
    readonly subjects: Subject[] = [];
    readonly log: Entry[] = [];
    readonly operations: Operation[] = [];
    /** the keys of the last operation, to be pointed at */
    lastKey = "";
    private readonly random: Random;
    private added = 0;
    private visitors = 0;
    private readonly members: string[] = [];
    private readonly seenFalsePositives = new Set<string>();

    constructor(kinds: readonly string[], readonly capacity: number, fpr: number, seed: number) {
        this.random = new Random(seed);
        for (const kind of kinds) {
            this.subjects.push({
                kind, filter: new Filter({ kind, capacity, fpr, hashKey: hashKeyFromSeed(seed) }), members: new Map(), falsePositives: 0, asked: 0,
                refusedKeys: 0, refusedRemovals: 0, stuck: 0, lost: new Set(), version: 0,
            });
        }
    }
    close(): void {
        for (const one of this.subjects) one.filter.close();
    }
    /** What a person would do next: fill it, ask, remove something, fill it again. */
    suggestion(): string {
        if (this.members.length < 3) return "a";
        const dice = this.random.share(), full = this.members.length >= this.capacity;
        if (dice < (full ? 0.1 : 0.55)) return "a";
        return dice < 0.8 ? "q" : "r";
    }
    get exactSize(): number {
        return this.members.length;
    }

    apply(operation: Operation): void {
        if (this.operations.length >= mostOperations) return;
        this.operations.push(operation);
        const { letter } = operation;
        switch (letter) {
            case "a": this.add(nameOf(this.added++)); break;
            case "A": this.add(operation.key!); break;
            case "q": this.ask(`visitor ${++this.visitors}`); break;
            case "Q": this.ask(operation.key!); break;
            case "r": if (this.members.length > 0) this.remove(this.members[this.random.below(this.members.length)]!); break;
            case "R": this.remove(operation.key!); break;
            case "x": this.removeStranger(`visitor ${++this.visitors}`); break;
            case "g": this.resize(2); break;
            case "s": this.resize(0.5); break;
            case "p": this.protect(); break;
        }
        for (const one of this.subjects) {
            ++one.version;
            this.lookForLost(one);
        }
    }
    private note(kind: string, tone: Tone, text: string): void {
        this.log.push({ turn: this.operations.length, kind, tone, text });
        if (this.log.length > 2000) this.log.splice(0, 1000);
    }

    private add(key: string): void {
        this.lastKey = key;
        this.members.push(key);
        for (const one of this.subjects) {
            const outcome = one.filter.insert(key);
            if (!wasAdded(outcome)) {
                ++one.refusedKeys;
                this.note(one.kind, "warn", `refused ${key}: ${outcome.replaceAll("_", " ")}`);
                continue;
            }
            one.members.set(key, (one.members.get(key) ?? 0) + 1);
            one.lost.delete(key);
            if (outcome === "inserted_saturated") {
                ++one.stuck;
                this.note(one.kind, "warn", `${key} filled a cell permanently: keys in it can no longer be removed`);
            }
            if (outcome === "inserted_grew") this.note(one.kind, "plain", `grew to take ${key}`);
            if (outcome === "inserted_unprotected") this.note(one.kind, "warn", `${key} is in; a known negative may match again`);
        }
    }
    private ask(key: string): void {
        this.lastKey = key;
        for (const one of this.subjects) {
            const maybe = one.filter.has(key), member = one.members.has(key);
            if (!member) ++one.asked;
            if (maybe && !member) {
                ++one.falsePositives;
                this.seenFalsePositives.add(key);
                this.note(one.kind, "bad", `false positive: “maybe” for ${key}, which was never added or is removed`);
            } else if (!maybe && member) this.note(one.kind, "bad", `false negative: “surely not” for the member ${key}`);
        }
    }
    private remove(key: string): void {
        this.lastKey = key;
        const at = this.members.indexOf(key);
        if (at < 0) {
            this.note("exact set", "warn", `${key} is not a member; only keys that were added may be removed`);
            return;
        }
        this.members.splice(at, 1);
        for (const one of this.subjects) {
            const copies = one.members.get(key) ?? 0;
            if (copies === 0) continue; // it was refused before
            const outcome = one.filter.erase(key);
            if (wasRemoved(outcome)) {
                if (copies === 1) one.members.delete(key);
                else one.members.set(key, copies - 1);
                if (outcome === "removed_still_positive" && copies === 1) {
                    this.note(one.kind, "warn", `${key} is removed, but still answers “maybe”: its cells are shared`);
                }
            } else {
                ++one.refusedRemovals;
                // Gone from the list, but not from the filter: from now on it is a false positive that stays.
                if (copies === 1) one.members.delete(key);
                else one.members.set(key, copies - 1);
                this.note(one.kind, "warn", outcome === "unsupported" ? `cannot remove ${key}: this kind only adds` : `cannot remove ${key}: ${outcome.replaceAll("_", " ")}`);
            }
        }
    }
    private removeStranger(key: string): void {
        this.lastKey = key;
        for (const one of this.subjects) {
            const outcome = one.filter.erase(key);
            if (wasRemoved(outcome)) this.note(one.kind, "bad", `removed ${key}, which was never added: it shared its cells with members`);
        }
    }
    private resize(factor: number): void {
        for (const one of this.subjects) {
            const wanted = Math.max(1, Math.round(one.filter.capacity * factor));
            try {
                one.filter.resize({ capacity: wanted });
                this.note(one.kind, "plain", `${factor > 1 ? "grew" : "shrank"} to a capacity of ${one.filter.capacity}, without the keys; current FPR ${rate(one.filter.fpr)}`);
            } catch (error) {
                this.note(one.kind, "warn", error instanceof Error ? error.message : String(error));
            }
        }
    }
    private protect(): void {
        const negatives = [...this.seenFalsePositives].filter((key) => !this.members.includes(key));
        if (negatives.length === 0) {
            this.note("exact set", "plain", "no false positives have been seen yet; ask for absent keys first");
            return;
        }
        for (const one of this.subjects) {
            try {
                const own = one.filter.describe().capabilities.includes("protect");
                const done = own ? one.filter.protect([...one.members.keys()], negatives) : one.filter.exclude(negatives);
                this.note(one.kind, "plain", `${own ? "its no-filters" : "an exclusion list in front of it"}: of ${done.negatives} known negatives ` +
                    `${done.falsePositivesBefore} answered “maybe” before, ${done.falsePositivesAfter} now`);
            } catch (error) {
                this.note(one.kind, "warn", error instanceof Error ? error.message : String(error));
            }
        }
    }
    private lookForLost(one: Subject): void {
        for (const key of one.members.keys()) {
            const found = one.filter.has(key);
            if (!found && !one.lost.has(key)) {
                one.lost.add(key);
                this.note(one.kind, "bad", `lost the member ${key}: a removal took a cell that it needs`);
            } else if (found) one.lost.delete(key);
        }
    }
}
