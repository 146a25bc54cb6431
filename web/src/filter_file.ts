// filter_file: the sections of a saved filter, for pictures of what its cells alone do not show. docs/format.md is the specification.
//
// Only bytes that the library has just written come here, so there is nothing to check.

export interface FilterFile {
    /** the sections, in the order of the kind */
    readonly sections: readonly Uint8Array[];
}

export function sectionsOf(file: Uint8Array): FilterFile {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const headerBytes = view.getUint32(20, true), parameters = view.getUint32(64, true), count = view.getUint32(68, true);
    const sections: Uint8Array[] = [];
    let at = headerBytes;
    for (let i = 0; i < count; ++i) {
        const bytes = 64 * Number(view.getBigUint64(72 + 8 * (parameters + i), true));
        sections.push(file.subarray(at, at + bytes));
        at += bytes;
    }
    return { sections };
}

/** `count` bits from bit `first` on, the lowest first; at most 48. */
export function bitsAt(section: Uint8Array, first: number, count: number): number {
    let made = 0;
    for (let i = 0; i < count; ++i) {
        if (((section[(first + i) >> 3] ?? 0) >> ((first + i) & 7)) & 1) made += 2 ** i;
    }
    return made;
}

export interface QuotientItem {
    readonly line: number;
    readonly bucket: number;
    readonly stored: number;
    /** bits that are stored for it, besides the tag */
    readonly bits: number;
}

/** The items in the lines of a quotient filter: what is stored of each, and where. */
export function quotientItems(file: FilterFile, geometry: Record<string, number | string>): QuotientItem[] {
    const of = (name: string): number => Number(geometry[name] ?? 0);
    const buckets = of("buckets"), extension = of("remainder_bits") - 8, rows = of("rows"), level = of("level"), frontier = of("frontier");
    const lines = rows * 2 ** level + frontier;
    const made: QuotientItem[] = [];
    for (let line = 0; line < lines; ++line) {
        const bytes = file.sections[0]!.subarray(64 * line, 64 * line + 64);
        const here = line < frontier || line >= rows * 2 ** level ? level + 1 : level;
        const e = Math.max(0, extension - here);
        const slots = Math.min(Math.floor((511 - buckets) / (9 + e)), 127 - buckets);
        let bucket = 0;
        let item = 0;
        for (let at = 1; bucket < buckets && at <= buckets + slots; ++at) {
            if (bitsAt(bytes, at, 1) === 1) {
                ++bucket;
                continue;
            }
            const low = bitsAt(bytes, 1 + buckets + slots + e * item, e);
            const byte = bitsAt(bytes, 512 - 8 * slots + 8 * item, 8);
            made.push({ line, bucket, stored: (byte & 63) * 2 ** e + low, bits: e + Math.min(6, extension + 6 - here) });
            ++item;
        }
    }
    return made;
}
