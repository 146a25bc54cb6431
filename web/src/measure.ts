// measure: the false positive rate of a filter, by asking it for keys that are not in it.
import type { Filter } from "../../bindings/js/src/api.js";
import { Random } from "./random.js";

export interface Measured {
    readonly asked: number;
    readonly found: number;
    readonly share: number;
    readonly low: number;
    readonly high: number;
}

/** The interval of Wilson, 95 %: sensible also where nothing was found. */
export function interval(found: number, asked: number): { low: number; high: number } {
    const z = 1.959964, share = found / asked, z2 = (z * z) / asked;
    const middle = share + z2 / 2, spread = z * Math.sqrt((share * (1 - share)) / asked + z2 / (4 * asked));
    return { low: found === 0 ? 0 : (middle - spread) / (1 + z2), high: (middle + spread) / (1 + z2) };
}

/** Asks for random keys of 128 bits, which no list has. */
export function measureFpr(filter: Filter, asked: number, seed: number): Measured {
    const random = new Random(seed);
    const hex = (): string => random.bits().toString(16).padStart(8, "0");
    let found = 0;
    for (let done = 0; done < asked; ) {
        const count = Math.min(10_000, asked - done);
        found += filter.countContained(Array.from({ length: count }, () => `absent-${hex()}${hex()}${hex()}${hex()}`));
        done += count;
    }
    return { asked, found, share: found / asked, ...interval(found, asked) };
}
