// timeline: the bits of a key's hash, of which some say where the key is and the rest are stored, while the filter grows and shrinks.
import { Filter, hashKeyFromSeed } from "../../bindings/js/src/api.js";
import { format, parse, type State } from "./address.js";
import { chart } from "./chart.js";
import { copyButton, h, mayMove, pause, replace, svg } from "./dom.js";
import { nameOf } from "./random.js";
import { bits, digits, grouped, plural, rate, size } from "./words.js";
import type { Context, View } from "./view.js";

const fields = {
    kind: { words: ["elastic", "quotient", "dleft"], usual: "elastic" },
    keys: { least: 128, most: 16384, usual: 2048, whole: true },
    fpr: { least: 0.0001, most: 0.2, usual: 0.01 },
    at: { least: 0, most: 1000, usual: 0, whole: true },
};
type TimelineState = State<typeof fields>;

/** How the bits that are kept of a hash are divided. */
export interface Division {
    /** bits that say where the key is, and so need not be stored */
    readonly index: number;
    /** bits that are stored */
    readonly stored: number;
}
export interface Moment {
    readonly keys: number;
    readonly division: Division;
    readonly fpr: number;
    readonly bytes: number;
    readonly capacity: number;
    readonly what: string;
}

/** The division that a geometry means. */
export function divisionOf(kind: string, geometry: Record<string, number | string>): Division {
    const of = (name: string): number => Number(geometry[name] ?? 0);
    switch (kind) {
        case "quotient": { // the path: bits that move one by one; row, bucket and tag never do
            const path = of("remainder_bits") - 8 + 6;
            return { index: of("level"), stored: path - of("level") };
        }
        case "dleft": return { index: Math.log2(of("buckets")), stored: of("remainder_bits") };
        default: {
            const index = Math.log2(of("next_bits") || of("bits"));
            return { index, stored: of("word_bits") - index };
        }
    }
}

/** The bits of one key, those of the index first, as the kind takes them from the digest. */
function bitsOf(kind: string, digest: { low: bigint; high: bigint }, count: number): number[] {
    const made: number[] = [];
    for (let i = 0; i < count; ++i) {
        if (kind === "quotient") made.push(Number((digest.high >> BigInt(i)) & 1n)); // the lowest bit of the path is the first
        else if (kind === "dleft") made.push(Number((digest.low >> BigInt(count - 1 - i)) & 1n));
        else made.push(Number((digest.low >> BigInt(63 - i)) & 1n));
    }
    return made;
}

const stories: Record<string, string> = {
    elastic: "An elastic filter keeps the hashes of its keys in a slow part. The first bits of a hash say which bit of the fast part is set; the others are the fingerprint. When the fast part doubles, the index takes one bit from the fingerprint; when it halves, the bit goes back. No key is needed for that.",
    quotient: "A quotient filter stores fingerprints in lines of 64 bytes. A part of each, the path, lends its bits: with every doubling one more of them becomes part of the line’s number and is stored no longer. Lines are split one by one, so no operation stops the others. Row, bucket and tag, which never move, are not drawn.",
    dleft: "A d-left filter stores remainders in buckets. When it doubles, one bit of the remainder becomes a bit of the bucket’s number, and the place that it leaves in the cell goes to the counter.",
};

/** Fills a filter up to `most` keys and empties it again; what it looked like on the way. */
export async function record(state: TimelineState, stillWanted: () => boolean): Promise<{ moments: Moment[]; digest: { low: bigint; high: bigint } } | undefined> {
    const start = 64, steps = 48;
    // A dleft filter keeps all bits of its fingerprints: those for the largest size must be there from the start.
    const first = state.kind === "dleft" ? (state.fpr * start) / state.keys / 4 : state.fpr;
    const filter = new Filter({ kind: state.kind, capacity: start, fpr: first, hashKey: hashKeyFromSeed(1),
        ...(state.kind === "elastic" ? { parameters: { word_bits: 28 } } : {}) });
    const moments: Moment[] = [];
    let before: Division | undefined;
    const note = (keys: number): void => {
        const { geometry, capacity } = filter.describe();
        const division = divisionOf(state.kind, geometry);
        const moved = before === undefined ? 0 : division.index - before.index;
        const what = before === undefined ? "" : moved > 0 ? `${plural(moved, "bit")} went from the fingerprint to the index`
            : moved < 0 ? `${plural(-moved, "bit")} came back to the fingerprint` : "";
        moments.push({ keys, division, fpr: filter.fpr, bytes: filter.memoryBytes, capacity, what });
        before = division;
    };
    try {
        let held = 0;
        note(0);
        for (let i = 1; i <= steps; ++i) {
            const wanted = Math.round((state.keys * i) / steps);
            while (held < wanted) {
                if (filter.insert(nameOf(held)).startsWith("inserted")) {
                    ++held;
                    continue;
                }
                // Kinds that do not grow by themselves.
                filter.resize({ capacity: 2 * Math.max(filter.capacity, held), fpr: state.fpr });
                const outcome = filter.insert(nameOf(held));
                if (!outcome.startsWith("inserted")) throw new Error(`${state.kind} refuses key ${held + 1} also after it has grown: ${outcome.replaceAll("_", " ")}`);
                ++held;
            }
            note(held);
            if (i % 8 === 0) {
                await pause();
                if (!stillWanted()) return undefined;
            }
        }
        const planned = filter.capacity;
        let asked = planned;
        for (let i = steps - 1; i >= 1; --i) {
            const wanted = Math.round((state.keys * i) / steps);
            while (held > wanted) filter.erase(nameOf(--held));
            // Half of the room is empty: give it back.
            while (asked / 2 >= start && held <= asked / 2) {
                asked /= 2;
                try {
                    filter.resize({ capacity: Math.max(start, Math.ceil(asked)), fpr: state.fpr });
                } catch {
                    break; // it is as small as its keys allow
                }
            }
            note(held);
            if (i % 8 === 0) {
                await pause();
                if (!stillWanted()) return undefined;
            }
        }
        return { moments, digest: filter.digest(nameOf(1)) };
    } finally {
        filter.close();
    }
}

export function timeline(context: Context): View {
    let state: TimelineState = parse(fields, "").state;
    let turn = 0, timer = 0;
    let moments: Moment[] = [];
    let digest = { low: 0n, high: 0n };

    const slider = h("input", { type: "range", id: "timeline-at", min: 0, max: 0, value: 0, "aria-label": "Moment" });
    const play = h("button", { type: "button" }, "Play");
    const keyBits = h("div", { class: "keybits" });
    const bands = h("div", { class: "bands" });
    const about = h("p", { class: "answer", "aria-live": "polite" });
    const story = h("p", {});
    const charts = h("div", { class: "two" });
    const tabs = fields.kind.words.map((name) => h("button", { type: "button", role: "tab", onclick: () => { state = { ...state, kind: name, at: 0 }; void begin(); } }, name));
    const keys = h("select", { id: "timeline-keys" }, ...[256, 1024, 2048, 8192, 16384].map((one) => h("option", { value: one }, grouped(one))));
    keys.addEventListener("change", () => {
        state = { ...state, keys: Number(keys.value), at: 0 };
        void begin();
    });
    slider.addEventListener("input", () => {
        stop();
        show(Number(slider.value));
    });
    const stop = (): void => {
        clearInterval(timer);
        timer = 0;
        play.textContent = "Play";
    };
    play.addEventListener("click", () => {
        if (timer !== 0) {
            stop();
            return;
        }
        play.textContent = "Pause";
        if (state.at >= moments.length - 1) state = { ...state, at: 0 };
        timer = window.setInterval(() => {
            if (state.at >= moments.length - 1) stop();
            else show(state.at + 1);
        }, mayMove() ? 140 : 800);
    });
    const element = h("section", { class: "view" },
        h("h2", {}, "Elastic timeline"),
        h("p", { class: "lead" }, "How a filter grows without its keys: bits of each key’s hash move between the index and the stored fingerprint, and come back when it shrinks."),
        h("div", { class: "panel controls" }, h("div", { class: "row" }, h("div", { class: "tabs", role: "tablist", "aria-label": "Kind" }, ...tabs),
            h("label", { for: "timeline-keys" }, "up to"), keys, h("span", {}, "keys, and back"), play, copyButton("Copy the link", () => context.link())), slider),
        about, keyBits, bands, story, charts);

    async function begin(): Promise<void> {
        stop();
        const mine = ++turn;
        tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(fields.kind.words[i] === state.kind)));
        if (![...keys.options].some((one) => Number(one.value) === state.keys)) keys.append(h("option", { value: state.keys }, grouped(state.keys)));
        keys.value = String(state.keys);
        story.textContent = stories[state.kind]!;
        about.textContent = "Filling and emptying it …";
        try {
            const found = await record(state, () => mine === turn);
            if (!found) return;
            ({ moments, digest } = found);
        } catch (error) {
            context.fail(error);
            return;
        }
        slider.max = String(moments.length - 1);
        drawBands();
        const x = moments.map((_, i) => i), xTicks = [0, 48, moments.length - 1];
        const at = (index: number): string => grouped(moments[Math.round(index)]?.keys ?? 0);
        replace(charts,
            chart({ title: "Memory", x, xTicks, xName: "keys", xText: at, yText: size, unit: 1024, lines: [{ name: state.kind, values: moments.map((one) => one.bytes) }],
                note: "It follows the keys, up and down. While a filter resizes, it holds both sizes for a moment.", onPick: (index) => show(index) }),
            chart({ title: "False positive rate now", x, xTicks, xName: "keys", xText: at, yText: rate, logarithmic: true, lines: [{ name: state.kind, values: moments.map((one) => one.fpr) }],
                mark: { value: state.fpr, name: "target" }, note: "Computed from the real cells at every moment.", onPick: (index) => show(index) }));
        show(Math.min(state.at, moments.length - 1));
    }

    /** A column per moment: the index below, the fingerprint above. */
    function drawBands(): void {
        const height = 150;
        const total = Math.max(...moments.map((one) => one.division.index + one.division.stored));
        // One unit per column, stretched to the width there is; the words are outside.
        const picture = svg("svg", { viewBox: `0 0 ${moments.length} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": "Index and fingerprint over the life of the filter" });
        moments.forEach((one, i) => {
            const index = (height * one.division.index) / total, stored = (height * one.division.stored) / total;
            picture.append(
                svg("rect", { x: i, y: height - index, width: 0.94, height: index, class: "band index", "data-at": i }),
                svg("rect", { x: i, y: height - index - stored, width: 0.94, height: stored, class: "band stored", "data-at": i }));
        });
        picture.append(svg("line", { class: "cursor", y1: 0, y2: height, "vector-effect": "non-scaling-stroke" }));
        const move = (event: PointerEvent): void => {
            const at = (event.target as Element).getAttribute("data-at");
            if (at !== null) {
                stop();
                show(Number(at));
            }
        };
        picture.addEventListener("pointerdown", move);
        picture.addEventListener("pointermove", (event) => { if (event.buttons === 1) move(event); });
        replace(bands, h("figure", { class: "figure" }, h("figcaption", {}, `${total} bits of each hash, over the life of the filter`),
            h("p", { class: "legend" }, h("span", { class: "entry" }, h("span", { class: "swatch stored" }), "fingerprint: what is stored"),
                h("span", { class: "entry" }, h("span", { class: "swatch index" }), "index: where the key is")),
            picture, h("div", { class: "ends" }, h("span", {}, "empty"), h("span", {}, `${grouped(state.keys)} keys`), h("span", {}, "nearly empty again"))));
    }

    function show(at: number): void {
        const one = moments[at];
        if (!one) return;
        state = { ...state, at };
        slider.value = String(at);
        context.remember(format(fields, state));
        const cursor = bands.querySelector("line.cursor");
        for (const name of ["x1", "x2"]) cursor?.setAttribute(name, String(at + 0.47));
        const { index, stored } = one.division;
        about.textContent = `${plural(one.keys, "key")}: ${index} bits of index, ${stored} bits of fingerprint; ${size(one.bytes)}` +
            `${one.keys > 0 ? ` (${bits((8 * one.bytes) / one.keys)} bits per key)` : ""}, FPR now ${rate(one.fpr)}.${one.what === "" ? "" : ` Just now ${one.what}.`}`;
        const values = bitsOf(state.kind, digest, index + stored);
        replace(keyBits, h("span", { class: "label" }, `the hash of “${nameOf(1)}”`),
            ...values.map((value, i) => h("span", { class: `bit ${i < index ? "index" : "stored"}`, title: i < index ? "index" : "fingerprint" }, value)));
        slider.setAttribute("aria-valuetext", `${plural(one.keys, "key")}, ${digits(index)} bits of index`);
    }

    return {
        element,
        title: "elastic timeline",
        enter(query) {
            const read = parse(fields, query);
            state = read.state;
            void begin();
            return read.complaints;
        },
        leave() {
            ++turn;
            stop();
        },
    };
}
