// planner: a workload becomes a ranking of the kinds, with curves over its life, the reasons, and commands to copy.
import { kinds, model, plan, type Candidate, type Plan, type PlanRequest } from "../../bindings/js/src/api.js";
import { amount, format, parse, type State } from "./address.js";
import { chart } from "./chart.js";
import { copyButton, h, pause, replace, tableHead } from "./dom.js";
import { bits, digits, grouped, plural, rate, size } from "./words.js";
import { snippets, type Snippet } from "./snippets.js";
import type { Context, View } from "./view.js";

const optional = (least: number, most: number, usual = "") => ({ pattern: /^[0-9.,_e+ kMGTiB%-]*$/, most: 20, usual, range: [least, most] as const });
const fields = {
    capacity: { least: 1, most: 1e12, usual: 1e6, whole: true },
    fpr: { least: 1e-9, most: 0.5, usual: 0.001 },
    remove: optional(0, 1000, "30%"),
    churn: optional(0, 1e6),
    growth: optional(1, 1e9),
    negatives: optional(0, 1e12),
    memory: optional(1, 1e18),
    kind: { pattern: /^[a-z_]*$/, most: 30, usual: "" },
};
type PlannerState = State<typeof fields>;

const examples: { name: string; state: Partial<PlannerState> }[] = [
    { name: "A set that changes", state: {} },
    { name: "Insert only", state: { capacity: 1e7, fpr: 0.01, remove: "0" } },
    { name: "Blocklist, replaced over and over", state: { capacity: 1e5, fpr: 0.001, remove: "", churn: "100" } },
    { name: "Grows from small to large", state: { capacity: 1e5, fpr: 0.001, remove: "30%", growth: "64" } },
    { name: "Known negatives", state: { capacity: 1e5, fpr: 0.01, remove: "0", negatives: "10000" } },
];

/** The request of a state. An empty lifetime means that everything may happen. */
export function requestOf(state: PlannerState): PlanRequest {
    const made: PlanRequest = { capacity: state.capacity, fpr: state.fpr };
    const put = (name: "removed" | "churn" | "growth" | "negatives" | "memory_bytes", text: string): void => {
        if (text.trim() !== "") made[name] = amount(text);
    };
    put("removed", state.remove);
    put("churn", state.churn);
    put("growth", state.growth);
    put("negatives", state.negatives);
    put("memory_bytes", state.memory);
    return made;
}

/** Why a candidate costs what it costs, in the words of the command line. */
export function whyOf(one: Candidate, request: PlanRequest): string {
    const why: string[] = [];
    if (Number(request.growth ?? 1) > 1) why.push(one.first_bytes < one.bytes ? `grows, ${size(one.first_bytes)} initially` : "full size from the start");
    if (one.slow_bytes > 0) why.push(`${size(one.slow_bytes)} of it is memory that queries do not read`);
    if (one.made_for_fpr !== null && one.made_for_fpr < Number(request.fpr) * 0.999) why.push(`degrades, so made for ${rate(one.made_for_fpr)} FPR`);
    if (one.exclusion_bytes > 0) why.push(`${size(one.exclusion_bytes)} of it for the known negatives`);
    why.push(`${plural(one.query_lines, "cache line")} per query`);
    return why.join("; ");
}

const points = 33, fewRows = 6;

export function planner(context: Context): View {
    const summaries = new Map(kinds().map((kind) => [kind.name, kind.summary]));
    let state: PlannerState = parse(fields, "").state;
    let running = 0;
    let showsAll = false;

    const inputs: Partial<Record<keyof PlannerState, HTMLInputElement>> = {};
    const field = (name: keyof PlannerState, label: string, hint: string): HTMLElement => {
        const input = h("input", { type: "text", id: `plan-${name}`, autocomplete: "off", spellcheck: "false", "aria-describedby": `plan-${name}-hint` });
        inputs[name] = input;
        input.addEventListener("input", () => take());
        return h("div", { class: "field" }, h("label", { for: input.id }, label), input, h("small", { id: `plan-${name}-hint` }, hint));
    };
    const problem = h("p", { class: "problem", role: "alert" });
    const form = h("form", { class: "panel form", onsubmit: (event: Event) => event.preventDefault() },
        h("h3", {}, "The workload"),
        field("capacity", "Keys", "how many it holds: 1M, 2.5e6"),
        field("fpr", "False positive rate", "share of absent keys answered “maybe”: 0.1%"),
        field("remove", "Removed", "extra keys added and removed again: 30%"),
        field("churn", "Churn rounds", "how often every key is replaced; 100: permanently"),
        field("growth", "Growth", "the set may grow to this multiple: 16"),
        field("negatives", "Known negatives", "keys that must never match: 10k"),
        field("memory", "Memory limit", "64 MiB; empty: none"),
        problem);
    const presets = h("div", { class: "chips", role: "group", "aria-label": "Examples" },
        ...examples.map((one) => h("button", { type: "button", class: "chip", onclick: () => {
            state = { ...parse(fields, "").state, ...one.state };
            write();
            void update();
        } }, one.name)));
    const results = h("div", { class: "results" });
    const curves = h("div", { class: "two" });
    const code = h("div", { class: "panel" });
    const element = h("section", { class: "view" },
        h("h2", {}, "Planner"),
        h("p", { class: "lead" }, "Say what your set will go through. Every kind gets the smallest size that keeps the false positive rate to the end of that life, and fewer bytes rank higher."),
        presets, h("div", { class: "side" }, form, results), curves, code);

    function write(): void {
        for (const [name, input] of Object.entries(inputs)) {
            const value = state[name as keyof PlannerState];
            input.value = name === "capacity" ? grouped(value as number) : name === "fpr" ? `${digits(100 * (value as number), 6)}%` : String(value);
        }
    }
    let timer = 0;
    function take(): void {
        const query = new URLSearchParams();
        for (const [name, input] of Object.entries(inputs)) query.set(name, input.value.trim());
        const read = parse(fields, query.toString());
        for (const [name, input] of Object.entries(inputs)) {
            const wrong = read.complaints.some((one) => one.startsWith(`${name}=`));
            input.toggleAttribute("aria-invalid", wrong);
        }
        if (read.complaints.length > 0) {
            problem.textContent = read.complaints.map((one) => one.replace(/;.*/, ".")).join(" ");
            return;
        }
        problem.textContent = "";
        state = { ...read.state, kind: state.kind };
        clearTimeout(timer);
        timer = window.setTimeout(() => void update(), 150);
    }

    /** The lifetime with Number(...): a text such as "30%" was understood before. */
    async function update(): Promise<void> {
        const turn = ++running;
        const request = requestOf(state);
        context.remember(format(fields, state));
        let ranked: Plan;
        try {
            ranked = plan(request);
        } catch (error) {
            problem.textContent = error instanceof Error ? error.message : String(error);
            return;
        }
        problem.textContent = "";
        showRanking(request, ranked);
        await pause();
        if (turn === running) await showCurves(request, ranked, turn);
    }

    function showRanking(request: PlanRequest, ranked: Plan): void {
        const { candidates, dropped } = ranked;
        const chosen = candidates.find((one) => one.kind === state.kind) ?? candidates[0];
        const largest = 5 * Math.min(...candidates.map((one) => one.bits_per_key)); // a bar shows how many times the smallest
        const rows = candidates.map((one, i) => {
            const choose = (): void => {
                state = { ...state, kind: i === 0 ? "" : one.kind };
                context.remember(format(fields, state));
                showRanking(request, ranked);
            };
            return h("tr", { "aria-selected": one === chosen ? "true" : "false", onclick: choose, hidden: i >= fewRows && !showsAll && one !== chosen },
                h("td", { class: "number" }, i + 1),
                h("td", {}, h("button", { type: "button", class: "name", "aria-pressed": one === chosen ? "true" : "false" }, one.kind),
                    h("small", {}, summaries.get(one.kind) ?? "")),
                h("td", { class: "number" }, size(one.bytes)),
                h("td", { class: "number bar", style: `--share:${Math.min(1, one.bits_per_key / largest).toFixed(3)}` }, bits(one.bits_per_key)),
                h("td", { class: "number" }, rate(one.fpr)),
                h("td", { class: "number" }, one.deletability === null ? "–" : `${digits(100 * one.deletability)} %`),
                h("td", { class: "why" }, whyOf(one, request)));
        });
        const head = chosen
            ? h("p", { class: "answer" }, "For this, take ", h("strong", {}, candidates[0]!.kind), `: ${size(candidates[0]!.bytes)}, ${bits(candidates[0]!.bits_per_key)} bits per key, ${rate(candidates[0]!.fpr)} FPR at the end.`)
            : h("p", { class: "answer" }, "No kind can do this",
                ranked.lowest_fpr === null ? ". The reasons are below." : ` in so little memory. The lowest FPR that fits is ${rate(ranked.lowest_fpr)}.`);
        replace(results, head,
            rows.length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The ranking" }, h("table", { class: "ranking" },
                tableHead("", "kind", "#size", "#bits per key", "#FPR", "#removable", "why"),
                h("tbody", {}, ...rows))),
            rows.length > fewRows && !showsAll && h("button", { type: "button", class: "quiet more", onclick: () => { showsAll = true; showRanking(request, ranked); } }, `Show ${plural(rows.length - fewRows, "more kind")}`),
            dropped.length > 0 && h("details", { open: rows.length === 0 }, h("summary", {}, `${plural(dropped.length, "kind")} ruled out, and why`),
                h("dl", { class: "dropped" }, ...dropped.flatMap((one) => [h("dt", {}, one.kind), h("dd", {}, one.why)]))));
        showCode(request, chosen);
    }

    function showCode(request: PlanRequest, chosen: Candidate | undefined): void {
        if (!chosen) {
            replace(code);
            return;
        }
        const made = snippets(request, state, chosen);
        const text = h("pre", { tabindex: 0 });
        let shownOne: Snippet = made[0]!;
        const tabs = made.map((one) => h("button", { type: "button", role: "tab", onclick: () => choose(one) }, one.name));
        const choose = (one: Snippet): void => {
            shownOne = one;
            text.textContent = one.text;
            tabs.forEach((tab, i) => tab.setAttribute("aria-selected", String(made[i] === one)));
        };
        choose(shownOne);
        replace(code, h("div", { class: "row" }, h("h3", {}, `Make ${chosen.kind} for this`), h("div", { class: "tabs", role: "tablist", "aria-label": "Language" }, ...tabs),
            copyButton("Copy", () => shownOne.text, () => text), copyButton("Copy the link to this plan", () => context.link())), text);
    }

    async function showCurves(request: PlanRequest, ranked: Plan, turn: number): Promise<void> {
        const compared = ranked.candidates.slice(0, 5);
        if (compared.length === 0) {
            replace(curves);
            return;
        }
        const most = Number(request.capacity) * Math.max(1, Number(request.growth ?? 1));
        const x = Array.from({ length: points }, (_, i) => Math.max(1, Math.round((most * (i + 1)) / points)));
        const lived = { removed: Number(request.removed ?? 0), churn: Number(request.churn ?? 0), negatives: Number(request.negatives ?? 0) };
        const fpr: (number | null)[][] = [], deletable: (number | null)[][] = [];
        for (const one of compared) {
            const rates: (number | null)[] = [], shares: (number | null)[] = [];
            for (const items of x) {
                try {
                    const predicted = model({ kind: one.kind, parameters: one.parameters, capacity: one.capacity, items, ...lived,
                        ...(one.made_for_fpr === null ? {} : { fpr: one.made_for_fpr }) });
                    rates.push(predicted.fpr);
                    shares.push(predicted.deletability);
                } catch {
                    rates.push(null); // no answer for this many keys
                    shares.push(null);
                }
            }
            fpr.push(rates);
            deletable.push(shares);
            await pause();
            if (turn !== running) return;
        }
        const short = (value: number): string => (value >= 1e6 ? `${digits(value / 1e6)}M` : value >= 1e3 ? `${digits(value / 1e3)}k` : String(value));
        replace(curves,
            chart({ title: "False positive rate while it fills", x, xName: "keys", xText: short, yText: rate, logarithmic: true,
                lines: compared.map((one, i) => ({ name: one.kind, values: fpr[i]! })), mark: { value: Number(request.fpr), name: "target" },
                note: "What the models predict after the removals and the churn above. Point at the chart, or use the arrow keys." }),
            chart({ title: "Share of the keys that can be removed", x, xName: "keys", xText: short, yText: (value) => `${digits(100 * value)} %`, most: 1,
                least: Math.min(0.9, ...deletable.flat().filter((one): one is number => one !== null)),
                lines: compared.map((one, i) => ({ name: one.kind, values: deletable[i]! })),
                note: compared.every((_, i) => deletable[i]!.every((one) => one === null)) ? "None of these kinds removes keys." : "Kinds that cannot remove keys have no line." }));
    }

    return {
        element,
        title: "planner",
        enter(query) {
            const read = parse(fields, query);
            state = read.state;
            write();
            void update();
            return read.complaints;
        },
        leave() {
            ++running;
        },
    };
}
