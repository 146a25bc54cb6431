// trace: a list's days as changes, made by a generator or read from a file of `everbloom sync --trace`.
//
// The generator (docs/web.md#the-generator) resembles a real list, 80 revisions of addresses of VPN servers over seven years: on an
// ordinary day 2.6 % of the keys are new (log-normal, sigma 0.7) and nearly as many go; on one day in thirteen the source was tidied up,
// and a fifth to nearly a half of the list is new.
import { Random } from "./random.js";

export interface Revision {
    readonly name: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
}

/** A made-up IPv4 address. */
function address(random: Random): string {
    return `${1 + random.below(223)}.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`;
}

export function generate(seed: number, days: number, keys: number): Revision[] {
    const random = new Random(seed);
    const members: string[] = [];
    const known = new Set<string>();
    const fresh = (count: number): string[] => {
        const made: string[] = [];
        while (made.length < count) {
            const one = address(random);
            if (known.has(one)) continue;
            known.add(one);
            made.push(one);
        }
        return made;
    };
    const date = new Date(Date.UTC(2026, 0, 1));
    const revisions: Revision[] = [];
    for (let day = 0; day < days; ++day) {
        let add = keys, remove = 0;
        if (day > 0) {
            if (random.share() < 1 / 13) {
                add = Math.round(members.length * (0.2 + 0.25 * random.share()));
                remove = Math.round(add * (0.45 + 0.75 * random.share()));
            } else {
                add = Math.round(members.length * Math.min(0.08, 0.026 * Math.exp(0.7 * random.normal())));
                remove = Math.round(add * (0.78 + 0.32 * random.share()));
            }
        }
        const removed: string[] = [];
        for (let i = 0; i < Math.min(remove, members.length - 1); ++i) {
            const at = random.below(members.length);
            removed.push(members[at]!);
            known.delete(members[at]!);
            members[at] = members[members.length - 1]!;
            members.pop();
        }
        const added = fresh(add);
        members.push(...added);
        revisions.push({ name: date.toISOString().slice(0, 10), added, removed });
        date.setUTCDate(date.getUTCDate() + 1);
    }
    return revisions;
}

/** As `everbloom sync --trace` reads it. */
export function formatTrace(revisions: readonly Revision[]): string {
    const lines: string[] = [];
    let size = 0;
    for (const one of revisions) {
        size += one.added.length - one.removed.length;
        lines.push(`# ${one.name} size=${size} +${one.added.length} -${one.removed.length}`, ...one.removed.map((key) => `-${key}`), ...one.added.map((key) => `+${key}`));
    }
    return lines.join("\n") + "\n";
}

const mostRevisions = 2000;

/** A comment that counts changes begins a revision. Throws an Error with a sentence. */
export function parseTrace(text: string): Revision[] {
    const revisions: { name: string; added: string[]; removed: string[] }[] = [];
    const members = new Set<string>();
    let number = 0;
    for (const raw of text.split("\n")) {
        ++number;
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line === "") continue;
        if (line.startsWith("#")) {
            if (!/\+\d+ -\d+/.test(line)) continue;
            if (revisions.length === mostRevisions) throw new Error(`It has more than ${mostRevisions} revisions; everbloom sync --trace takes more.`);
            revisions.push({ name: line.slice(1).trim().split(/\s+/)[0]!.slice(0, 40), added: [], removed: [] });
            continue;
        }
        const key = line.slice(1);
        if (line[0] !== "+" && line[0] !== "-") throw new Error(`Line ${number} begins with “${line.slice(0, 12)}”; a trace has +key, -key and # comments.`);
        const now = revisions[revisions.length - 1] ?? (revisions.push({ name: "start", added: [], removed: [] }), revisions[0]!);
        if (line[0] === "+" && !members.has(key)) {
            members.add(key);
            now.added.push(key);
        } else if (line[0] === "-" && members.delete(key)) now.removed.push(key);
    }
    if (revisions.length === 0 || members.size + revisions.reduce((sum, one) => sum + one.removed.length, 0) === 0) throw new Error("There are no changes in it: a trace has lines such as +key and -key.");
    return revisions;
}

/** The list after a revision. A key that goes and comes back on the same day is in it. */
export function follow(list: Set<string>, one: Revision): void {
    for (const key of one.removed) list.delete(key);
    for (const key of one.added) list.add(key);
}
