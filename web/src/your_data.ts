// your_data: a list becomes filters that are measured; a filter file is described, drawn and asked. Nothing leaves the tab.
import { Filter, hashKeyFromSeed, kinds, plan } from "../../bindings/js/src/api.js";
import { format, parse, type State } from "./address.js";
import { download, h, pause, replace, svg, tableHead } from "./dom.js";
import { keyAt, keysIn, type KeyList } from "./key_list.js";
import { measureFpr } from "./measure.js";
import { Random } from "./random.js";
import { article, bits, digits, grouped, plural, rate, shown, size } from "./words.js";
import type { Context, View } from "./view.js";

const fields = {
    kinds: { pattern: /^[a-z_]+(,[a-z_]+)*$/, most: 300, usual: "quotient,bloom,blocked,dleft" },
    fpr: { least: 1e-6, most: 0.5, usual: 0.01 },
    seed: { least: 0, most: 2 ** 32 - 1, usual: 1, whole: true },
};
type DataState = State<typeof fields>;
const mostBytes = 64 * 2 ** 20, questions = 200_000;

/** A list that anybody may play with: made-up names of hosts. */
function exampleList(): Uint8Array {
    const random = new Random(25), syllables = "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to".split(" ");
    const word = (): string => Array.from({ length: 2 + random.below(3) }, () => syllables[random.below(syllables.length)]!).join("");
    const made = new Set<string>();
    while (made.size < 20_000) made.add(`${word()}-${word()}.example`);
    return new TextEncoder().encode([...made].join("\n") + "\n");
}

/** Not more than `most` bytes of a gzip file. */
async function unzipped(bytes: Uint8Array, most: number): Promise<Uint8Array> {
    const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    const parts: Uint8Array[] = [];
    let sum = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        sum += value.length;
        if (sum > most) {
            await reader.cancel();
            throw new Error(`Decompressed it has more than ${size(most)}, which is too much for this page.`);
        }
        parts.push(value);
    }
    const made = new Uint8Array(sum);
    let at = 0;
    for (const part of parts) {
        made.set(part, at);
        at += part.length;
    }
    return made;
}

const magic = [0x89, 0x45, 0x42, 0x4c, 0x4f, 0x4f, 0x4d, 0x0a];

export function yourData(context: Context): View {
    let state: DataState = parse(fields, "").state;
    let turn = 0;
    let list: { name: string; keys: KeyList; bytes: number } | undefined;
    let held: Filter[] = [];

    const picker = h("input", { type: "file", id: "data-file", class: "hidden-file" });
    const drop = h("div", { class: "drop", id: "drop" },
        h("p", {}, h("strong", {}, "Drop a file here"), ", or ", h("label", { for: "data-file", class: "button" }, "choose one"), picker),
        h("p", { class: "hint" }, "A list with one key per line (also gzip), an ", h("code", {}, ".eb"), " filter, or a ", h("code", {}, ".bloom"), ` file. Up to ${size(mostBytes)}. It stays in this tab.`),
        h("button", { type: "button", class: "quiet", onclick: () => void take("example.txt", exampleList()) }, "Or try 20,000 made-up host names"));
    const status = h("p", { class: "answer", "aria-live": "polite" });
    const settings = h("div", { class: "panel controls", hidden: true });
    const results = h("div", {});
    const element = h("section", { class: "view" },
        h("h2", {}, "Your data"),
        h("p", { class: "lead" }, "What would a filter of your own list take, and how often would it be wrong? Measured here, on the list itself."),
        drop, settings, status, results);

    picker.addEventListener("change", () => {
        if (picker.files?.[0]) void open(picker.files[0]);
        picker.value = "";
    });
    for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.add("over");
    });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
        event.preventDefault();
        drop.classList.remove("over");
        const file = event.dataTransfer?.files[0];
        if (file) void open(file);
        else context.notice("That was no file.");
    });

    function closeFilters(): void {
        ++turn;
        for (const one of held) one.close();
        held = [];
        settings.hidden = true;
        replace(results);
    }
    function forget(): void {
        closeFilters();
        list = undefined;
    }

    async function open(file: File): Promise<void> {
        forget();
        if (file.size > mostBytes) {
            status.textContent = `${shown(file.name)} has ${size(file.size)}; this page reads up to ${size(mostBytes)}. The command line has no limit: everbloom create names.eb FILE, or everbloom show FILE.`;
            return;
        }
        status.textContent = `Reading ${shown(file.name)} …`;
        try {
            await take(file.name, new Uint8Array(await file.arrayBuffer()));
        } catch (error) {
            status.textContent = `${shown(file.name)}: ${error instanceof Error ? error.message : String(error)}`;
        }
    }

    async function take(name: string, given: Uint8Array): Promise<void> {
        forget();
        let bytes = given;
        try {
            if (bytes.length === 0) throw new Error("the file is empty.");
            if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await unzipped(bytes, mostBytes);
            if (magic.every((one, i) => bytes[i] === one)) return showFilter(name, Filter.load(bytes), bytes.length);
            if (/\.bloom(\.gz)?$/i.test(name)) return showFilter(name, Filter.loadDcso(bytes), bytes.length);
            if (/\.eb$/i.test(name)) Filter.load(bytes); // says what is wrong with it
            list = { name, bytes: bytes.length, keys: keysIn(bytes) };
        } catch (error) {
            status.textContent = `${shown(name)}: ${error instanceof Error ? error.message : String(error)}`;
            return;
        }
        await compare();
    }

    // ---- a list ----

    function showSettings(): void {
        const names = state.kinds.split(",");
        const fpr = h("select", { id: "data-fpr" }, ...[0.1, 0.01, 0.001, 0.0001].map((one) => h("option", { value: one, selected: one === state.fpr }, rate(one))));
        fpr.addEventListener("change", () => {
            state = { ...state, fpr: Number(fpr.value) };
            void compare();
        });
        replace(settings, h("div", { class: "row" }, h("label", { for: "data-fpr" }, "Target FPR"), fpr,
            h("div", { class: "chips", role: "group", "aria-label": "Kinds" }, ...kinds().filter((kind) => kind.name !== "yes_no" && kind.capabilities.includes("insert")).map((kind) =>
                h("button", { type: "button", class: "chip", title: kind.summary, "aria-pressed": String(names.includes(kind.name)), onclick: () => {
                    const next = names.includes(kind.name) ? names.filter((one) => one !== kind.name) : [...names, kind.name];
                    if (next.length === 0 || next.length > 8) return;
                    state = { ...state, kinds: next.join(",") };
                    void compare();
                } }, kind.name)))));
        settings.hidden = false;
    }

    async function compare(): Promise<void> {
        if (!list) return;
        const { name, keys, bytes } = list;
        closeFilters();
        const mine = turn;
        context.remember(format(fields, state));
        showSettings();
        replace(status, h("strong", {}, shown(name)), `: ${plural(keys.keys, "key")}, ${size(bytes)}.`, ...keys.remarks.map((one) => h("span", { class: "remark" }, ` ${one}`)));
        const body = h("tbody", {});
        replace(results, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The filters of this list" }, h("table", { class: "ranking" },
            tableHead("kind", "#file", "#bits per key", "#of the list", "#members found", "#FPR, from the cells", "#FPR, measured (95 %)", "#built in", ""), body)),
        h("p", { class: "hint" }, `Measured with ${grouped(questions)} random keys of 128 bits, which are not in the list. The seed of the hash is ${state.seed}, so that the file is the same as that of `,
            h("code", {}, `everbloom create FILE LIST --capacity ${keys.keys} --fpr ${state.fpr} --seed ${state.seed} --kind KIND`),
            ...(state.kinds.split(",").includes("quotient") ? [", for quotient with ", h("code", {}, "--growth 1x"), ": no bits for growth beyond this list."] : ["."])));
        for (const kind of state.kinds.split(",")) {
            const row = h("tr", {}, h("td", {}, kind), h("td", { colspan: 8, class: "hint" }, "building …"));
            body.append(row);
            await pause(10);
            if (mine !== turn) return;
            try {
                const before = performance.now();
                const filter = new Filter({ kind, capacity: keys.keys, fpr: state.fpr, hashKey: hashKeyFromSeed(state.seed), ...(kind === "quotient" ? { parameters: { planned_keys: keys.keys } } : {}) });
                held.push(filter);
                filter.addMany(keys.column);
                const took = performance.now() - before;
                const found = filter.countContained(keys.column);
                const measured = measureFpr(filter, questions, 7);
                const file = filter.save();
                replace(row, h("td", {}, h("strong", {}, kind)), h("td", { class: "number" }, size(file.length)), h("td", { class: "number" }, bits((8 * file.length) / keys.keys)),
                    h("td", { class: "number" }, `${digits((100 * file.length) / bytes)} %`),
                    h("td", { class: "number" }, found === keys.keys ? "all" : `${grouped(found)} of ${grouped(keys.keys)}`), h("td", { class: "number" }, rate(filter.fpr)),
                    h("td", { class: "number" }, `${rate(measured.share)} (${rate(measured.low)} to ${rate(measured.high)})`), h("td", { class: "number" }, `${digits(took)} ms`),
                    h("td", { class: "number" }, h("button", { type: "button", class: "quiet small", onclick: () => download(`${name.replace(/\.[a-z]*$/i, "")}.eb`, file) }, "Download"), " ",
                        h("button", { type: "button", class: "quiet small", onclick: () => showFilter(`${kind} of ${name}`, Filter.load(file), file.length) }, "Look inside")));
            } catch (error) {
                replace(row, h("td", {}, kind), h("td", { colspan: 8 }, error instanceof Error ? error.message : String(error)));
            }
        }
        if (mine !== turn) return;
        try {
            const best = plan({ capacity: keys.keys, fpr: state.fpr, removed: 0 }).candidates[0];
            if (best && !state.kinds.split(",").includes(best.kind)) results.append(h("p", { class: "hint" }, `If keys are only added, the planner would take ${article(best.kind)} filter.`));
        } catch {
            // The table says enough.
        }
        results.append(sample(keys));
    }
    function sample(keys: KeyList): HTMLElement {
        const decoder = new TextDecoder();
        const some = Array.from({ length: Math.min(3, keys.keys) }, (_, i) => shown(decoder.decode(keyAt(keys.column, i).slice(0, 200))));
        return h("p", { class: "hint" }, `It begins with ${some.map((one) => `“${one}”`).join(", ")}.`);
    }

    // ---- a filter ----

    function showFilter(name: string, filter: Filter, bytes: number): void {
        closeFilters();
        held = [filter];
        const about = filter.describe(), stats = filter.stats(), census = filter.census(512, 16);
        replace(status, h("strong", {}, shown(name)), `: ${article(about.kind)} filter, ${about.summary}.`);
        const rows: [string, string][] = [
            ["keys", `${stats.keys_are_exact ? "" : "about "}${grouped(stats.keys)}${stats.fill === null ? "" : ` (${digits(100 * stats.fill)} % of a capacity of ${grouped(stats.capacity)})`}, of type ${about.key_type}`],
            ["current FPR", `${rate(stats.fpr)}, from the cells; the target is ${about.target_fpr > 0 ? rate(about.target_fpr) : "not known"}`],
            ["removable", stats.deletable_share === null ? "no keys can be removed" : `${digits(100 * stats.deletable_share)} % of the keys`],
            ["size", `${size(bytes)} on disk, ${bits(stats.bits_per_key)} bits per key in memory`],
            ["cells", grouped(about.cells)],
            ["geometry", Object.entries(about.geometry).map(([key, value]) => `${key} ${value}`).join(", ")],
            ["hash", about.hash],
            ["can", about.capabilities.join(", ").replaceAll("_", " ")],
        ];
        if (about.exclusions) rows.push(["exclusion list", `${grouped(about.exclusions.bits)} bits`]);
        // As `everbloom check` does.
        const verifies = about.capabilities.includes("confirm");
        const answers = h("ul", { class: "answers", "aria-live": "polite" });
        const box = h("textarea", { id: "data-ask", rows: 4, placeholder: "one key per line", spellcheck: "false", "aria-label": "Keys to ask for, one per line" });
        const ask = (): void => {
            const lines = box.value.split("\n").filter((line) => line !== "").slice(0, 1000);
            replace(answers, ...lines.map((line) => {
                try {
                    const key = filter.keyFromText(line);
                    const maybe = verifies ? filter.hasVerified(key) : filter.has(key);
                    return h("li", { class: maybe ? "maybe" : "not" }, h("strong", {}, maybe ? "maybe" : "surely not"), ` ${shown(line)}`);
                } catch (error) {
                    return h("li", { class: "wrong" }, h("strong", {}, "no key"), ` ${shown(line)}: ${error instanceof Error ? error.message : String(error)}`);
                }
            }));
        };
        replace(results, h("div", { class: "two" },
            h("div", { class: "panel" }, h("h3", {}, "What it is"), h("dl", { class: "facts" }, ...rows.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]))),
            h("div", { class: "panel" }, h("h3", {}, "Ask it"), verifies && h("p", { class: "hint" }, "It stores a hash of every key, so each “maybe” is verified: a wrong one is far rarer than its FPR."), box, h("div", { class: "row" }, h("button", { type: "button", onclick: ask }, "Ask"),
                h("button", { type: "button", class: "quiet", onclick: () => download(`${name.replace(/(\.gz|\.bloom|\.eb|\.txt)+$/i, "").replaceAll(" ", "-")}.eb`, filter.save()) }, "Download as .eb"),
                list && h("button", { type: "button", class: "quiet", onclick: () => void compare() }, "Back to the list")), answers)),
        picture(census.occupied_shares, about.cells), histogram(census.values));
    }
    /** Each square is an equal part of the cells, the darker, the more of them are occupied. */
    function picture(shares: readonly number[], cells: number): HTMLElement {
        const columns = 64, side = 10, rows = Math.ceil(shares.length / columns);
        const root = svg("svg", { viewBox: `0 0 ${columns * side} ${rows * side}`, class: "chart heat", role: "img", "aria-label": "Share of occupied cells" });
        const least = Math.min(...shares), most = Math.max(...shares);
        shares.forEach((share, i) => root.append(svg("rect", { x: (i % columns) * side, y: Math.floor(i / columns) * side, width: side - 1, height: side - 1, class: "heat",
            "fill-opacity": share === 0 ? 0.04 : 0.12 + 0.88 * share }, svg("title", {}, `${digits(100 * share)} %`))));
        return h("figure", { class: "figure" }, h("figcaption", {}, "Its cells"), root,
            h("p", { class: "reading" }, `${grouped(shares.length)} squares of about ${grouped(Math.max(1, cells / shares.length))} cells each, in order; between ${digits(100 * least)} % and ${digits(100 * most)} % of them are occupied.`));
    }
    function histogram(values: readonly number[]): HTMLElement {
        const last = values.reduce((found, count, i) => (count > 0 ? i : found), 0), sum = values.reduce((a, b) => a + b, 0) || 1;
        return h("figure", { class: "figure" }, h("figcaption", {}, "What the cells hold"), h("div", { class: "histogram" }, ...values.slice(0, last + 1).map((count, value) =>
            h("div", { class: "bar-row" }, h("span", {}, value === 15 ? "15 or more" : value), h("span", { class: "bar-line", style: `--share:${(count / sum).toFixed(4)}` }), h("span", { class: "number" }, `${digits((100 * count) / sum)} %`)))));
    }

    return {
        element,
        title: "your data",
        enter(query) {
            const read = parse(fields, query);
            const known = new Set(kinds().filter((kind) => kind.capabilities.includes("insert")).map((kind) => kind.name));
            const names = read.state.kinds.split(",").filter((name) => known.has(name)).slice(0, 8);
            state = { ...read.state, kinds: names.length > 0 ? names.join(",") : fields.kinds.usual };
            if (list) void compare();
            return read.complaints;
        },
    };
}
