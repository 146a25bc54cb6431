// words: numbers as people write them, the same as on the command line.

/** 21,290 */
export function grouped(value: number): string {
    return (Math.round(value) + 0).toLocaleString("en-US"); // + 0: of -0, too
}
/** Three significant digits, as C's %.3g. */
export function digits(value: number, count = 3): string {
    if (value === 0) return "0";
    const exponent = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
    if (exponent < -4 || exponent >= 9) return value.toExponential(count - 1).replace(/\.?0+e/, "e").replace(/e([+-])(\d)$/, "e$10$2");
    return String(Number(value.toPrecision(count)));
}
/** 0.1 %, < 1e-9 */
export function rate(value: number | null | undefined): string {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value <= 0) return "0";
    if (value < 1e-9) return "< 1e-9";
    return `${digits(100 * value)} %`;
}
/** 131 KiB */
export function size(bytes: number): string {
    let value = bytes;
    for (const unit of ["bytes", "KiB", "MiB", "GiB", "TiB"]) {
        if (value < 1024 || unit === "TiB") return unit === "bytes" ? `${grouped(value)} ${unit}` : `${value.toFixed(1)} ${unit}`;
        value /= 1024;
    }
    return "";
}
export function bits(perKey: number | null | undefined): string {
    return perKey === null || perKey === undefined || !Number.isFinite(perKey) ? "–" : perKey.toFixed(1);
}
export function plural(count: number, word: string, words = `${word}s`): string {
    return `${grouped(count)} ${count === 1 ? word : words}`;
}
/** The name of a kind as a word of a sentence. */
export function article(word: string): string {
    return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}
/** Text of a user, short enough for a line and without control characters. */
export function shown(text: string, most = 40): string {
    const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\u00b7");
    return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}
