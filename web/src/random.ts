// random: numbers and keys that follow from a seed, so that a link replays what it shows.

/** SplitMix32: short, and good enough for choosing keys. */
export class Random {
    private state: number;
    constructor(seed: number) {
        this.state = seed | 0;
    }
    /** From 0 to 2^32 - 1. */
    bits(): number {
        this.state = (this.state + 0x9e3779b9) | 0;
        let mixed = this.state ^ (this.state >>> 16);
        mixed = Math.imul(mixed, 0x21f0aaad);
        mixed ^= mixed >>> 15;
        mixed = Math.imul(mixed, 0x735a2d97);
        return (mixed ^ (mixed >>> 15)) >>> 0;
    }
    /** From 0 up to 1, without it. */
    share(): number {
        return this.bits() / 2 ** 32;
    }
    /** A whole number below `limit`. */
    below(limit: number): number {
        return Math.floor(this.share() * limit);
    }
    /** Normally distributed, mean 0 and deviation 1 (Box and Muller). */
    normal(): number {
        return Math.sqrt(-2 * Math.log(1 - this.share())) * Math.cos(2 * Math.PI * this.share());
    }
}

const names = (
    "ada anna bert carla dora emil finn greta hugo ida jan kai lena max nora olaf paul rosa sven tina udo vera wim xenia yara zoe " +
    "amir bela cleo dara enzo fay gina hana igor juno kira liam mila nils opal pia quin remy sami tara uma vito wren yuri"
).split(" ");

/** The key number `index` of a run: a name, and from the second round on a number with it. */
export function nameOf(index: number): string {
    const round = Math.floor(index / names.length);
    return names[index % names.length]! + (round === 0 ? "" : `-${round + 1}`);
}
