// churn: a list that changes from day to day, and filters that follow it, with their sizes and rates after each day.
import { columnOf, Filter, hashKeyFromSeed, kinds, type KeyColumn } from "../../bindings/js/src/api.js";
import { format, parse, type State } from "./address.js";
import { chart } from "./chart.js";
import { copyButton, download, h, pause, replace, tableHead } from "./dom.js";
import { follow, formatTrace, generate, parseTrace, type Revision } from "./trace.js";
import { bits, grouped, plural, rate, shown, size } from "./words.js";
import type { Context, View } from "./view.js";

const fields = {
    kinds: { pattern: /^[a-z_]+(,[a-z_]+)*$/, most: 200, usual: "quotient,dleft,deletable,bloom" },
    days: { least: 2, most: 365, usual: 80, whole: true },
    keys: { least: 100, most: 50_000, usual: 3000, whole: true },
    fpr: { least: 1e-5, most: 0.2, usual: 0.001 },
    seed: { least: 0, most: 2 ** 32 - 1, usual: 1, whole: true },
};
type ChurnState = State<typeof fields>;
const mostBytes = 32 * 2 ** 20;

/** One filter, and what each day did to it. */
export interface Follower {
    readonly kind: string;
    readonly bytes: number[];
    readonly fpr: number[];
    readonly missed: number[];
    rebuilds: number;
    undeletable: number;
    removed: number;
}
export interface Replayed {
    readonly names: string[];
    readonly sizes: number[];
    readonly listBytes: number[];
    readonly followers: Follower[];
}

/** As `everbloom sync` makes a new filter: a quarter more than the list, for kinds that do not grow by themselves. */
function roomFor(keys: number, kind: string): number {
    const least = Math.max(keys, 1000);
    return kinds().find((one) => one.name === kind)?.grows_by_itself ? least : least + Math.floor(least / 4);
}

/** Replays day by day; `shownSoFar` is called now and then. undefined if it was interrupted. */
export async function replay(revisions: readonly Revision[], kindNames: readonly string[], fpr: number, seed: number,
    shownSoFar: (done: number) => Promise<boolean>): Promise<Replayed | undefined> {
    const made: Replayed = { names: [], sizes: [], listBytes: [], followers: kindNames.map((kind) => ({ kind, bytes: [], fpr: [], missed: [], rebuilds: 0, undeletable: 0, removed: 0 })) };
    const list = new Set<string>();
    let before: KeyColumn = columnOf([]);
    const filters: Filter[] = [];
    try {
        for (const [day, revision] of revisions.entries()) {
            follow(list, revision);
            if (list.size === 0) throw new Error(`On ${revision.name} the list is empty.`);
            const after = columnOf(list);
            made.names.push(revision.name);
            made.sizes.push(list.size);
            made.listBytes.push(after.data.length + list.size);
            for (const [i, one] of made.followers.entries()) {
                filters[i] ??= new Filter({ kind: one.kind, capacity: roomFor(list.size, one.kind), fpr, hashKey: hashKeyFromSeed(seed) });
                const filter = filters[i]!;
                const done = filter.sync(before, after, one.undeletable);
                one.undeletable = done.undeletable;
                one.removed += done.removed;
                if (done.rebuilt && day > 0) ++one.rebuilds;
                one.bytes.push(filter.memoryBytes);
                one.fpr.push(filter.fpr);
                one.missed.push(list.size - filter.countContained(after));
            }
            before = after;
            if (day % 5 === 4 && !(await shownSoFar(day + 1))) return undefined;
        }
        return made;
    } finally {
        for (const one of filters) one.close();
    }
}

export function churnReplay(context: Context): View {
    let state: ChurnState = parse(fields, "").state;
    let own: { name: string; revisions: Revision[] } | undefined;
    let revisions: Revision[] = [];
    let turn = 0;
    const known = kinds().filter((kind) => kind.name !== "yes_no" && kind.capabilities.includes("insert"));

    const status = h("p", { class: "answer", "aria-live": "polite" });
    const charts = h("div", { class: "two" });
    const table = h("div", {});
    const day = h("p", { class: "reading" });
    const chips = h("div", { class: "chips", role: "group", "aria-label": "Kinds" });
    const file = h("input", { type: "file", id: "churn-file", class: "hidden-file" });
    const number = (name: "days" | "keys" | "seed", label: string): HTMLElement[] => {
        const input = h("input", { type: "number", id: `churn-${name}`, min: fields[name].least, max: fields[name].most });
        inputs[name] = input;
        input.addEventListener("change", () => {
            const value = Math.round(Number(input.value));
            if (!(value >= fields[name].least && value <= fields[name].most)) {
                context.notice(`${label} must lie between ${grouped(fields[name].least)} and ${grouped(fields[name].most)}.`);
                input.value = String(state[name]);
                return;
            }
            own = undefined;
            state = { ...state, [name]: value };
            void begin();
        });
        return [h("label", { for: input.id }, label), input];
    };
    const inputs: Partial<Record<"days" | "keys" | "seed", HTMLInputElement>> = {};
    const fpr = h("select", { id: "churn-fpr" }, ...[0.01, 0.001, 0.0001].map((one) => h("option", { value: one }, rate(one))));
    fpr.addEventListener("change", () => {
        state = { ...state, fpr: Number(fpr.value) };
        void begin();
    });
    const panel = h("div", { class: "panel controls drop-quiet", id: "churn-drop" },
        h("div", { class: "row" }, ...number("days", "Days"), ...number("keys", "Keys on the first day"), h("label", { for: "churn-fpr" }, "FPR"), fpr, ...number("seed", "Seed"),
            h("label", { for: "churn-file", class: "button quiet" }, "Your own trace"), file,
            h("button", { type: "button", class: "quiet", onclick: () => download("changes.trace", formatTrace(revisions)) }, "Download this trace"), copyButton("Copy the link", () => context.link())),
        chips);
    const element = h("section", { class: "view" },
        h("h2", {}, "Churn replay"),
        h("p", { class: "lead" }, "Blocklists change every day. Here filters follow such a list: keys that left it are removed, new ones are added, and a filter that cannot do that, or is worn out, is built again from the list."),
        panel, status, charts, day, table,
        h("p", { class: "hint" }, "The list is made by a generator with the statistics of a real one (the addresses of VPN servers, 80 revisions in seven years): on most days 2 to 3 % of the keys are new and nearly as many go; about once in thirteen days the source is tidied up. Drop a trace of your own on the panel above: lines ",
            h("code", {}, "+key"), " and ", h("code", {}, "-key"), ", and ", h("code", {}, "# 2026-01-02 +3 -1"), " before each day, as everbloom sync --trace takes it."));

    async function open(given: File): Promise<void> {
        try {
            if (given.size > mostBytes) throw new Error(`it has ${size(given.size)}; this page replays up to ${size(mostBytes)}. everbloom sync --trace has no limit.`);
            own = { name: given.name, revisions: parseTrace(await given.text()) };
            void begin();
        } catch (error) {
            context.notice(`${shown(given.name)}: ${error instanceof Error ? error.message : String(error)}`);
        }
    }
    file.addEventListener("change", () => {
        const given = file.files?.[0];
        file.value = "";
        if (given) void open(given);
    });
    panel.addEventListener("dragover", (event) => event.preventDefault());
    panel.addEventListener("drop", (event) => {
        event.preventDefault();
        const given = event.dataTransfer?.files[0];
        if (given) void open(given);
    });

    async function begin(): Promise<void> {
        const mine = ++turn;
        const names = state.kinds.split(",");
        if (!own) context.remember(format(fields, state));
        for (const name of ["days", "keys", "seed"] as const) inputs[name]!.value = String(state[name]);
        if (![...fpr.options].some((one) => Number(one.value) === state.fpr)) fpr.append(h("option", { value: state.fpr }, rate(state.fpr)));
        fpr.value = String(state.fpr);
        replace(chips, ...known.map((kind) => h("button", { type: "button", class: "chip", title: kind.summary, "aria-pressed": String(names.includes(kind.name)), onclick: () => {
            const next = names.includes(kind.name) ? names.filter((one) => one !== kind.name) : [...names, kind.name];
            if (next.length === 0 || next.length > 6) {
                context.notice(next.length === 0 ? "One kind stays." : "Six kinds are as many as one can tell apart in the charts.");
                return;
            }
            state = { ...state, kinds: next.join(",") };
            void begin();
        } }, kind.name)));
        revisions = own?.revisions ?? generate(state.seed, state.days, state.keys);
        let found: Replayed | undefined;
        try {
            found = await replay(revisions, names, state.fpr, state.seed, async (done) => {
                status.textContent = `Day ${done} of ${revisions.length} …`;
                await pause();
                return mine === turn;
            });
        } catch (error) {
            if (mine === turn) {
                status.textContent = "";
                context.fail(error);
            }
            return;
        }
        if (found && mine === turn) show(found);
    }

    function show(found: Replayed): void {
        const { followers, sizes, names } = found;
        const added = revisions.reduce((sum, one) => sum + one.added.length, 0), removed = revisions.reduce((sum, one) => sum + one.removed.length, 0);
        const missed = followers.reduce((sum, one) => sum + one.missed.reduce((a, b) => a + b, 0), 0);
        status.textContent = `${own ? `${shown(own.name)}: ` : ""}${plural(names.length, "day")}, ${grouped(added)} additions, ${grouped(removed)} removals, between ${grouped(Math.min(...sizes))} and ${grouped(Math.max(...sizes))} keys. ` +
            (missed === 0 ? "After every day every member was found." : `${grouped(missed)} members were missed.`);
        const x = names.map((_, i) => i), at = (index: number): string => (names[Math.round(index)] ?? "").slice(5) || String(index);
        const pick = (index: number): void => {
            const change = revisions[index];
            if (change) day.textContent = `${names[index]}: ${grouped(change.added.length)} added, ${grouped(change.removed.length)} removed, ${plural(sizes[index]!, "key")} in the list.`;
        };
        pick(names.length - 1);
        replace(charts,
            chart({ title: "The list", x, xName: "day", xText: at, yText: (value) => (value >= 10_000 ? `${Math.round(value / 1000)}k` : grouped(value)), lines: [{ name: "keys", values: sizes }, { name: "added", values: revisions.map((one, i) => (i === 0 ? null : one.added.length)) }, { name: "removed", values: revisions.map((one, i) => (i === 0 ? null : one.removed.length)) }], onPick: pick }),
            chart({ title: "Memory of the filters", x, xName: "day", xText: at, yText: size, unit: 1024, lines: [...followers.map((one) => ({ name: one.kind, values: one.bytes })), { name: "the list itself", values: found.listBytes }].slice(0, 6), onPick: pick }),
            chart({ title: "False positive rate now", x, xName: "day", xText: at, yText: rate, logarithmic: true, lines: followers.map((one) => ({ name: one.kind, values: one.fpr })), mark: { value: state.fpr, name: "target" }, onPick: pick }));
        replace(table, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "What the days did" }, h("table", { class: "ranking" },
            tableHead("kind", "#memory at the end", "#bits per key", "#highest FPR", "#keys removed", "#rebuilt", "#could not be removed"),
            h("tbody", {}, ...followers.map((one) => h("tr", {}, h("td", {}, h("strong", {}, one.kind)), h("td", { class: "number" }, size(one.bytes[one.bytes.length - 1]!)),
                h("td", { class: "number" }, bits((8 * one.bytes[one.bytes.length - 1]!) / sizes[sizes.length - 1]!)), h("td", { class: "number" }, rate(Math.max(...one.fpr))),
                h("td", { class: "number" }, grouped(one.removed)), h("td", { class: "number" }, plural(one.rebuilds, "time")), h("td", { class: "number" }, grouped(one.undeletable))))))));
    }

    return {
        element,
        title: "churn replay",
        enter(query) {
            const read = parse(fields, query);
            own = undefined;
            const names = read.state.kinds.split(",").filter((name) => known.some((kind) => kind.name === name)).slice(0, 6);
            state = { ...read.state, kinds: names.length > 0 ? [...new Set(names)].join(",") : fields.kinds.usual };
            void begin();
            return read.complaints;
        },
        leave() {
            ++turn;
        },
    };
}
