// laboratory: several kinds side by side, cell by cell.
import { kinds } from "../../bindings/js/src/api.js";
import { format, parse, type State } from "./address.js";
import { cellsOf, drawingOf, type Cell, type Drawing } from "./cells.js";
import { copyButton, h, mayMove, replace, svg } from "./dom.js";
import { formatOperations, mostOperations, parseOperations, Run, type Subject } from "./laboratory_run.js";
import { bits, plural, rate, shown, size } from "./words.js";
import type { Context, View } from "./view.js";

const fields = {
    kinds: { pattern: /^[a-z_]+(,[a-z_]+)*$/, most: 300, usual: "bloom,counting,deletable,quotient" },
    capacity: { least: 4, most: 256, usual: 40, whole: true },
    fpr: { least: 0.001, most: 0.5, usual: 0.05 },
    seed: { least: 0, most: 2 ** 32 - 1, usual: 1, whole: true },
    ops: { pattern: /^[A-Za-z0-9().%_~*'!-]*$/, most: 15_000, usual: "" },
};
type LabState = State<typeof fields>;
const mostKinds = 6, mostDrawn = 2048;
const beginning = "a38.q40.r4";

/** The card of one filter: its numbers, its cells, and whose they are. */
class Card {
    readonly element: HTMLElement;
    private readonly numbers = h("dl", { class: "numbers" });
    private readonly picture = h("div", { class: "cells" });
    private readonly about = h("p", { class: "reading", "aria-live": "polite" });
    private drawing: Drawing | undefined;
    private flat: Cell[] = [];
    private boxes: SVGRectElement[] = [];
    private owners: Map<number, string[]> | undefined;
    private values: number[] = [];
    private picked = -1;

    constructor(private readonly subject: Subject, summary: string) {
        this.element = h("article", { class: "panel card" }, h("h3", {}, subject.kind), h("p", { class: "summary" }, summary), this.numbers, this.picture, this.about);
    }

    update(lastKey: string): void {
        const { filter, members } = this.subject;
        const stats = filter.stats();
        replace(this.numbers,
            ...pair("keys", `${members.size}${stats.keys_are_exact ? "" : `, estimated ${Math.round(stats.keys)}`}`),
            ...pair("size", `${size(stats.memory_bytes)}, ${bits(stats.bits_per_key)} bits per key`),
            ...pair("FPR now", `${rate(stats.fpr)} (target ${rate(stats.target_fpr)})`),
            ...pair("asked", `${this.subject.asked} absent, ${this.subject.falsePositives} false positive`),
            ...pair("removable", stats.deletable_share === null ? "never" : `${Math.round(100 * stats.deletable_share)} %`),
            ...pair("refused", `${plural(this.subject.refusedKeys, "key")}, ${plural(this.subject.refusedRemovals, "removal")}`),
            ...(this.subject.lost.size > 0 ? pair("lost members", String(this.subject.lost.size)) : []));
        this.owners = undefined;
        this.values = filter.cells();
        this.draw(lastKey);
    }

    private draw(lastKey: string): void {
        if (this.values.length > mostDrawn) {
            this.boxes = [];
            replace(this.picture, h("p", { class: "hint" }, `${plural(this.values.length, "cell")}: too many to draw each of them. A smaller capacity shows them.`));
            return;
        }
        const before = this.drawing === undefined ? [] : this.flat.map((cell) => cell.text + cell.value);
        this.drawing = drawingOf(this.subject.filter);
        this.flat = this.drawing.groups.flatMap((group) => [...group.cells]);
        const touched = new Set(lastKey === "" ? [] : (cellsOf(this.subject.filter, lastKey, this.values) ?? []));
        const { wide, groups } = this.drawing;
        const narrow = this.picture.clientWidth > 0 && this.picture.clientWidth < 400; // a phone
        const across = (wide ? 10 : 32) / (narrow ? 2 : 1), columns = Math.min(this.drawing.columns, across);
        const side = 14, cellWidth = wide ? 42 : side, named = groups.some((group) => group.name !== "");
        // Narrow groups (buckets, regions) stand beside each other.
        const perRow = Math.max(1, Math.floor(across / Math.min(columns, groups[0]?.cells.length ?? 1)));
        const bandWidth = Math.min(columns, groups[0]?.cells.length ?? 1) * cellWidth + 8;
        const whole = Math.max(perRow * bandWidth, across * cellWidth + 8);
        const root = svg("svg", { role: "img", tabindex: 0, "aria-label": `The cells of ${this.subject.kind}. Arrow keys move from cell to cell.` });
        this.boxes = [];
        let y = 0, inRow = 0, rowHeight = 0, flatIndex = 0;
        for (const group of groups) {
            const width = Math.min(columns, group.cells.length);
            if (inRow === perRow) {
                y += rowHeight;
                inRow = rowHeight = 0;
            }
            const left = inRow * bandWidth;
            const top = y + (named ? 12 : 0);
            if (named) root.append(svg("text", { x: left, y: y + 9, class: "group" }, group.name));
            group.cells.forEach((cell, i) => {
                const x = left + (i % width) * cellWidth, cellTop = top + Math.floor(i / width) * side;
                const changed = before.length > 0 && before[flatIndex] !== cell.text + cell.value;
                const box = svg("rect", { x, y: cellTop, width: cellWidth - 1, height: side - 1, rx: 1.5,
                    class: `cell ${cell.value === 0 ? "empty" : cell.index < 0 ? "no" : "full"}${cell.stuck ? " stuck" : ""}${changed ? " changed" : ""}${touched.has(cell.index) && cell.index >= 0 ? " touched" : ""}`,
                    style: cell.value > 1 && !cell.stuck ? `--more:${Math.min(1, (cell.value - 1) / 4)}` : undefined, "data-cell": flatIndex });
                root.append(box);
                if (cell.text !== "") root.append(svg("text", { x: x + (cellWidth - 1) / 2, y: cellTop + 10, class: `value${cell.stuck ? " stuck" : ""}`, "text-anchor": "middle" }, cell.text));
                this.boxes.push(box);
                ++flatIndex;
            });
            rowHeight = Math.max(rowHeight, (named ? 14 : 0) + Math.ceil(group.cells.length / width) * side + 4);
            ++inRow;
        }
        root.setAttribute("viewBox", `0 0 ${whole} ${y + rowHeight}`);
        root.addEventListener("pointermove", (event) => this.pickBox(event.target));
        root.addEventListener("pointerdown", (event) => this.pickBox(event.target));
        root.addEventListener("keydown", (event) => {
            const rowLength = Math.min(columns, groups[0]?.cells.length ?? 1);
            const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: rowLength, ArrowUp: -rowLength }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            this.pick(Math.min(this.flat.length - 1, Math.max(0, this.picked < 0 ? 0 : this.picked + step)));
        });
        const scroll = this.picture.scrollTop;
        replace(this.picture, root);
        this.picture.scrollTop = scroll;
        if (this.picked >= this.flat.length) this.picked = -1;
        if (this.picked >= 0) this.pick(this.picked);
        else this.about.textContent = this.drawing.legend;
    }
    private pickBox(target: EventTarget | null): void {
        const at = (target as Element | null)?.getAttribute?.("data-cell");
        if (at !== null && at !== undefined && Number(at) !== this.picked) this.pick(Number(at));
    }
    private pick(at: number): void {
        this.boxes[this.picked]?.classList.remove("picked");
        this.picked = at;
        this.boxes[at]?.classList.add("picked");
        const cell = this.flat[at];
        if (!cell) return;
        const owners = cell.index < 0 ? undefined : this.ownersOf(cell.index);
        const whose = owners === undefined ? "" : owners.length === 0 ? (cell.value === 0 ? "" : " No member is in it any more.") : ` Its keys: ${owners.map((key) => shown(key, 24)).join(", ")}.`;
        this.about.textContent = `${cell.index < 0 ? "" : `Cell ${cell.index}: `}${cell.words}.${whose}`;
    }
    /** All owners are found at once, when somebody first asks. undefined: this kind does not tell. */
    private ownersOf(cell: number): string[] | undefined {
        if (this.subject.kind === "scalable") return undefined;
        if (!this.owners) {
            this.owners = new Map();
            for (const key of this.subject.members.keys()) {
                for (const at of cellsOf(this.subject.filter, key, this.values) ?? []) this.owners.set(at, [...(this.owners.get(at) ?? []), key]);
            }
        }
        return this.owners.get(cell) ?? [];
    }
}

const pair = (name: string, text: string): HTMLElement[] => [h("dt", {}, name), h("dd", {}, text)];

export function laboratory(context: Context): View {
    const known = kinds().filter((kind) => kind.capabilities.includes("insert"));
    let state: LabState = parse(fields, "").state;
    let run: Run | undefined;
    let cards: Card[] = [];
    let timer = 0;

    const chips = h("div", { class: "chips", role: "group", "aria-label": "Kinds" });
    const grid = h("div", { class: "cards" });
    const log = h("ol", { class: "log", tabindex: 0, "aria-label": "The log, newest first" });
    const exact = h("p", { class: "hint" });
    const play = h("button", { type: "button" }, "Play");
    const key = h("input", { type: "text", id: "lab-key", placeholder: "a key of your own", maxlength: 200, autocomplete: "off", "aria-label": "A key of your own" });
    const act = (letter: string, own?: string): void => {
        if (!run) return;
        if (run.operations.length >= mostOperations) {
            stop();
            context.notice(`${mostOperations} operations are enough for one run; reset it to go on.`);
            return;
        }
        run.apply(own === undefined ? { letter } : { letter, key: own });
        show();
    };
    const own = (letter: string): void => {
        if (key.value === "") {
            key.focus();
            return;
        }
        act(letter, key.value);
    };
    const button = (label: string, letter: string, hint: string): HTMLElement => h("button", { type: "button", title: hint, onclick: () => act(letter) }, label);
    const stop = (): void => {
        clearInterval(timer);
        timer = 0;
        play.textContent = "Play";
        play.setAttribute("aria-pressed", "false");
    };
    play.addEventListener("click", () => {
        if (timer !== 0) {
            stop();
            return;
        }
        play.textContent = "Pause";
        play.setAttribute("aria-pressed", "true");
        // Less motion: slower steps; nothing slides or fades in any case.
        timer = window.setInterval(() => run && act(run.suggestion()), mayMove() ? 350 : 1200);
    });
    const capacity = h("input", { type: "number", id: "lab-capacity", min: fields.capacity.least, max: fields.capacity.most });
    const fpr = h("select", { id: "lab-fpr" }, ...[0.2, 0.1, 0.05, 0.02, 0.01].map((one) => h("option", { value: one }, rate(one))));
    const seed = h("input", { type: "number", id: "lab-seed", min: 0, max: 2 ** 32 - 1 });
    const set = (): void => {
        const wanted = Number(capacity.value), wantedSeed = Number(seed.value);
        if (!(wanted >= fields.capacity.least && wanted <= fields.capacity.most)) return;
        if (!Number.isSafeInteger(wantedSeed) || wantedSeed < 0 || wantedSeed > fields.seed.most) return;
        state = { ...state, capacity: Math.round(wanted), fpr: Number(fpr.value), seed: wantedSeed, ops: beginning };
        begin();
    };
    for (const one of [capacity, fpr, seed]) one.addEventListener("change", set);

    const element = h("section", { class: "view" },
        h("h2", {}, "Laboratory"),
        h("p", { class: "lead" }, "The same keys go to several kinds. Each square is a cell as it is in memory; point at one to see whose it is. An exact set beside them notices every mistake."),
        chips,
        h("div", { class: "panel controls" },
            h("div", { class: "row" },
                button("Add", "a", "a new key"), button("Ask", "q", "for a key that was never added"), button("Remove", "r", "a member"),
                button("Remove a non-member", "x", "a key that was never added: dangerous, and here you see why"),
                button("Grow", "g", "double the capacity, without the keys"), button("Shrink", "s", "halve it"),
                button("Protect", "p", "make known negatives of the false positives seen so far"),
                play, h("button", { type: "button", class: "quiet", onclick: () => { state = { ...state, ops: "" }; begin(); } }, "Reset")),
            h("div", { class: "row" },
                key, h("button", { type: "button", class: "quiet", onclick: () => own("A") }, "Add it"), h("button", { type: "button", class: "quiet", onclick: () => own("Q") }, "Ask it"),
                h("button", { type: "button", class: "quiet", onclick: () => own("R") }, "Remove it"),
                h("label", { for: "lab-capacity" }, "Capacity"), capacity, h("label", { for: "lab-fpr" }, "FPR"), fpr, h("label", { for: "lab-seed" }, "Seed"), seed,
                copyButton("Copy the link to this run", () => context.link()))),
        exact, grid,
        h("div", { class: "panel below" }, h("h3", {}, "What the exact set noticed"), log));

    function chosen(): string[] {
        return state.kinds.split(",").filter((name) => known.some((kind) => kind.name === name));
    }
    function begin(): void {
        stop();
        run?.close();
        const names = chosen();
        try {
            run = new Run(names, state.capacity, state.fpr, state.seed);
        } catch (error) {
            run = undefined;
            context.fail(error);
            return;
        }
        for (const one of parseOperations(state.ops) ?? []) run.apply(one);
        cards = run.subjects.map((subject) => new Card(subject, known.find((kind) => kind.name === subject.kind)!.summary));
        replace(grid, ...cards.map((card) => card.element));
        replace(chips, ...known.map((kind) => h("button", { type: "button", class: "chip", "aria-pressed": String(names.includes(kind.name)), title: kind.summary, onclick: () => toggle(kind.name) }, kind.name)));
        capacity.value = String(state.capacity);
        if (![...fpr.options].some((one) => Number(one.value) === state.fpr)) fpr.append(h("option", { value: state.fpr }, rate(state.fpr)));
        fpr.value = String(state.fpr);
        seed.value = String(state.seed);
        show();
    }
    function toggle(name: string): void {
        const names = chosen();
        const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
        if (next.length === 0 || next.length > mostKinds) {
            context.notice(next.length === 0 ? "One kind stays." : `${mostKinds} kinds are as many as fit side by side; take one away first.`);
            return;
        }
        state = { ...state, kinds: next.join(",") };
        begin();
    }
    function show(): void {
        if (!run) return;
        state = { ...state, ops: formatOperations(run.operations) };
        context.remember(format(fields, state));
        cards.forEach((card) => card.update(run!.lastKey));
        exact.textContent = `${plural(run.operations.length, "operation")} so far. The exact set holds ${plural(run.exactSize, "key")}` +
            (run.lastKey === "" ? "." : `; the cells of the last key, ${shown(run.lastKey)}, have a thick edge.`);
        const newest = run.log.slice(-120).reverse();
        replace(log, ...(newest.length === 0 ? [h("li", { class: "hint" }, "Nothing yet: every answer was right, and every key was taken.")]
            : newest.map((one) => h("li", { class: one.tone }, h("span", { class: "turn" }, one.turn), h("strong", {}, one.kind), ` ${shown(one.text, 200)}`))));
    }

    return {
        element,
        title: "laboratory",
        enter(query) {
            const read = parse(fields, query === "" ? `ops=${beginning}` : query);
            const complaints = [...read.complaints];
            state = read.state;
            const unknown = state.kinds.split(",").filter((name) => !known.some((kind) => kind.name === name));
            if (unknown.length > 0) complaints.push(`there is no kind “${unknown[0]!.slice(0, 30)}”`);
            const names = chosen().slice(0, mostKinds);
            state = { ...state, kinds: names.length > 0 ? [...new Set(names)].join(",") : fields.kinds.usual };
            if (parseOperations(state.ops) === undefined) {
                complaints.push("the operations make no sense; the run begins empty");
                state = { ...state, ops: "" };
            }
            begin();
            return complaints;
        },
        leave: stop,
    };
}
