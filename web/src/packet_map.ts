// packet_map: a packet that carries its path as a small filter, on a map. Two headers of the same size: Bloom, and yes-no.
import { Filter, hashKeyFromSeed } from "../../bindings/js/src/api.js";
import backbone from "../../examples/networks/backbone.graphml";
import ring from "../../examples/networks/ring.graphml";
import satellites from "../../examples/networks/satellites.graphml";
import { format, parse, type State } from "./address.js";
import { bitsAt, sectionsOf } from "./filter_file.js";
import { copyButton, h, mayMove, replace, svg } from "./dom.js";
import { deliver, parseGraphml, pathBetween, type Delivery, type Network, type Path } from "./network.js";
import { plural, shown, size } from "./words.js";
import type { Context, View } from "./view.js";

const networks: Record<string, string> = { backbone, ring, satellites };
const fields = {
    net: { words: ["backbone", "ring", "satellites"], usual: "backbone" },
    from: { pattern: /^[\p{L}\p{N} ._-]*$/u, most: 60, usual: "ost" },
    to: { pattern: /^[\p{L}\p{N} ._-]*$/u, most: 60, usual: "" },
    bits: { words: ["32", "48", "64", "96", "128", "256"], usual: "64" },
    seed: { least: 0, most: 2 ** 32 - 1, usual: 1, whole: true },
};
type MapState = State<typeof fields>;

/** The header shapes of a size: three quarters of a yes-no header say yes, two no-filters share the rest; as the paper has it for 256 bits. */
export function shapesOf(bits: number): { bloom: Record<string, number>; yesNo: Record<string, number> } {
    const hashes = bits >= 128 ? 6 : 4;
    return { bloom: { bits, hashes }, yesNo: { yes_bits: (bits * 3) / 4, yes_hashes: 4, no_filters: 2, no_bits: bits / 8, no_hashes: 3 } };
}

interface Sent {
    readonly filter: Filter;
    readonly delivery: Delivery;
    readonly header: number[];
    readonly yesBits: number;
}

/** Both headers of a path. A link is in the header if the filter says "maybe" for its name. */
export function send(net: Network, path: Path, bits: number, seed: number): { bloom: Sent; yesNo: Sent } {
    const shapes = shapesOf(bits);
    const members = path.members.map((link) => net.links[link]!.name), negatives = path.others.map((link) => net.links[link]!.name);
    // The geometry is given, so the target only must not be in the way.
    const usual = { capacity: Math.max(1, members.length), fpr: 0.999, hash: "xxh3" as const, hashKey: hashKeyFromSeed(seed), overfill: true };
    const bloom = new Filter({ ...usual, kind: "bloom", parameters: shapes.bloom });
    bloom.addMany(members);
    const yesNo = new Filter({ ...usual, kind: "yes_no", parameters: { ...shapes.yesNo, parts: 1, seeds: 1, assign: "search" } });
    yesNo.addMany(members);
    yesNo.protect(members, negatives);
    const deliveryOf = (filter: Filter): Delivery => deliver(net, path, (link) => filter.has(net.links[link]!.name));
    const no = shapes.yesNo as { yes_bits: number; no_filters: number; no_bits: number };
    const section = sectionsOf(yesNo.save()).sections;
    const noBits = Array.from({ length: no.no_filters * no.no_bits }, (_, i) =>
        bitsAt(section[1]!, (i % no.no_bits) * no.no_filters + Math.floor(i / no.no_bits), 1));
    return {
        bloom: { filter: bloom, delivery: deliveryOf(bloom), header: bloom.cells(0, bits), yesBits: bits },
        yesNo: { filter: yesNo, delivery: deliveryOf(yesNo), header: [...yesNo.cells(0, no.yes_bits), ...noBits], yesBits: no.yes_bits },
    };
}

export function packetMap(context: Context): View {
    let state: MapState = parse(fields, "").state;
    let net: Network = parseGraphml(backbone);
    let own: string | undefined;
    let choosing: number | undefined;
    let timers: number[] = [];

    const maps = h("div", { class: "two" });
    const about = h("p", { class: "answer", "aria-live": "polite" });
    const nets = h("select", { id: "map-net" }, ...fields.net.words.map((name) => h("option", { value: name }, name)));
    const sizes = h("select", { id: "map-bits" }, ...fields.bits.words.map((name) => h("option", { value: name }, `${name} bits`)));
    const seed = h("input", { type: "number", id: "map-seed", min: 0, max: 2 ** 32 - 1 });
    const file = h("input", { type: "file", id: "map-file", class: "hidden-file", accept: ".graphml,.xml" });
    nets.addEventListener("change", () => {
        own = undefined;
        state = { ...state, net: nets.value, from: "", to: "" };
        begin();
    });
    sizes.addEventListener("change", () => { state = { ...state, bits: sizes.value }; show(true); });
    seed.addEventListener("change", () => {
        const wanted = Number(seed.value);
        if (!Number.isSafeInteger(wanted) || wanted < 0 || wanted > fields.seed.most) return;
        state = { ...state, seed: wanted };
        show(true);
    });
    file.addEventListener("change", async () => {
        const given = file.files?.[0];
        file.value = "";
        if (!given) return;
        try {
            if (given.size > 4 * 2 ** 20) throw new Error(`${size(given.size)} are too much for this page; everbloom route takes larger networks.`);
            const text = await given.text();
            parseGraphml(text);
            own = text;
            state = { ...state, from: "", to: "" };
            begin();
        } catch (error) {
            context.notice(`${shown(given.name)}: ${error instanceof Error ? error.message : String(error)}`);
        }
    });
    const element = h("section", { class: "view" },
        h("h2", {}, "Packet map"),
        h("p", { class: "lead" }, "A packet carries its path in its header: not as a list of addresses, but as a filter that holds the links of the path. Every node sends a copy on each link that the filter answers “maybe”. A false positive sends a copy astray. Click two towns."),
        h("div", { class: "panel controls" }, h("div", { class: "row" }, h("label", { for: "map-net" }, "Network"), nets, h("label", { for: "map-file", class: "button quiet" }, "Your own GraphML"), file,
            h("label", { for: "map-bits" }, "Header"), sizes, h("label", { for: "map-seed" }, "Seed"), seed, h("button", { type: "button", onclick: () => show(true) }, "Send again"), copyButton("Copy the link", () => context.link()))),
        about, maps,
        h("p", {}, "Both headers have the same number of bits. The Bloom header holds the links of the path. The yes-no header gives a quarter of its bits to two no-filters, which hold links that leave the path and would match: the sender knows them in advance. ",
            "Links in use are drawn thick, false links dashed and in another colour."));

    const indexOf = (id: string): number => net.nodes.findIndex((node) => node.id === id);
    function begin(): string[] {
        const complaints: string[] = [];
        try {
            net = parseGraphml(own ?? networks[state.net]!);
        } catch (error) {
            context.fail(error);
            net = parseGraphml(backbone);
        }
        if (state.from !== "" && indexOf(state.from) < 0) complaints.push(`there is no node “${state.from}”`);
        if (state.to !== "" && indexOf(state.to) < 0) complaints.push(`there is no node “${state.to}”`);
        if (indexOf(state.from) < 0) state = { ...state, from: net.nodes[0]!.id };
        if (indexOf(state.to) < 0 || state.to === state.from) state = { ...state, to: farthest(indexOf(state.from)) };
        choosing = undefined;
        nets.value = state.net;
        sizes.value = state.bits;
        seed.value = String(state.seed);
        show(true);
        return complaints;
    }
    function farthest(from: number): string {
        let best = net.nodes[from === 0 ? 1 : 0]!.id, hops = 0;
        net.nodes.forEach((node, i) => {
            const path = pathBetween(net, from, i);
            if (path && path.members.length > hops) {
                hops = path.members.length;
                best = node.id;
            }
        });
        return best;
    }
    function pick(at: number): void {
        if (choosing === undefined) {
            choosing = at;
            about.textContent = `From ${shown(net.nodes[at]!.label)} to …? Choose another node.`;
            for (const map of maps.querySelectorAll("svg")) map.querySelector(`[data-node="${at}"]`)?.classList.add("end");
            return;
        }
        if (choosing === at) return;
        state = { ...state, from: net.nodes[choosing]!.id, to: net.nodes[at]!.id };
        choosing = undefined;
        show(true);
    }

    function show(animated: boolean): void {
        for (const timer of timers) clearTimeout(timer);
        timers = [];
        if (own === undefined) context.remember(format(fields, state));
        const path = pathBetween(net, indexOf(state.from), indexOf(state.to));
        if (!path) {
            about.textContent = `There is no way from ${shown(state.from)} to ${shown(state.to)}; choose two other nodes.`;
            replace(maps, draw("Bloom header", undefined, path, false));
            return;
        }
        let sent: { bloom: Sent; yesNo: Sent };
        try {
            sent = send(net, path, Number(state.bits), state.seed);
        } catch (error) {
            context.fail(error);
            return;
        }
        const wrong = (one: Sent): number => one.delivery.used.filter((link) => link.wrong).length;
        const label = (id: string): string => shown(net.nodes[indexOf(id)]!.label);
        about.textContent = `${label(state.from)} to ${label(state.to)}: ${plural(path.members.length, "link")} on the path, ${plural(path.others.length, "link")} beside it. ` +
            `Bloom header: ${plural(wrong(sent.bloom), "false link")}; yes-no header: ${plural(wrong(sent.yesNo), "false link")}.`;
        replace(maps, draw("Bloom header", sent.bloom, path, animated), draw("Yes-no header", sent.yesNo, path, animated));
        sent.bloom.filter.close();
        sent.yesNo.filter.close();
    }

    function draw(title: string, sent: Sent | undefined, path: Path | undefined, animated: boolean): HTMLElement {
        const width = 560, height = 400, edge = 36;
        const at = (node: number): { x: number; y: number } => ({ x: edge + net.nodes[node]!.x * (width - 2 * edge), y: edge + net.nodes[node]!.y * (height - 2 * edge) });
        const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "map", role: "group", "aria-label": `${title}: the map` });
        const edges = new Map<string, number>();
        const curves = net.links.map((link) => {
            // Links beside each other, and the two directions of an edge, bend apart.
            const ends = [link.source, link.target].sort((a, b) => a - b).join(" ");
            const nth = edges.get(`${ends} ${link.source}`) ?? 0;
            edges.set(`${ends} ${link.source}`, nth + 1);
            const a = at(link.source), b = at(link.target);
            const bend = 5 + 9 * nth, length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
            const mx = (a.x + b.x) / 2 + ((b.y - a.y) / length) * bend, my = (a.y + b.y) / 2 - ((b.x - a.x) / length) * bend;
            const line = svg("path", { d: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}Q${mx.toFixed(1)} ${my.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`, class: "link" });
            line.append(svg("title", {}, link.name));
            root.append(line);
            return line;
        });
        const marks = net.nodes.map((node, i) => {
            const { x, y } = at(i);
            const ends = path && (i === path.nodes[0] || i === path.nodes[path.nodes.length - 1]);
            const group = svg("g", { class: `node${ends ? " end" : ""}${path?.nodes.includes(i) ? " on" : ""}`, "data-node": i, tabindex: 0, role: "button",
                "aria-label": `${node.label}${ends ? (i === path!.nodes[0] ? ", the source" : ", the destination") : ""}`, onclick: () => pick(i),
                onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(i); } } },
            svg("circle", { cx: x, cy: y, r: 12, class: "reach" }), svg("circle", { cx: x, cy: y, r: ends ? 6 : 4 }),
            net.nodes.length <= 60 && svg("text", { x, y: y - 9, "text-anchor": x < 60 ? "start" : x > width - 60 ? "end" : "middle" }, shown(node.label, 18)));
            root.append(group);
            return group;
        });
        if (!sent) return h("figure", { class: "figure" }, h("figcaption", {}, title), root);
        const wrong = sent.delivery.used.filter((one) => one.wrong).length;
        const light = (one: (typeof sent.delivery.used)[number]): void => {
            curves[one.link]!.classList.add("used", ...(one.wrong ? ["wrong"] : []));
            root.insertBefore(curves[one.link]!, marks[0]!);
            marks[net.links[one.link]!.target]!.classList.add("reached");
        };
        const moving = animated && mayMove();
        for (const one of sent.delivery.used) {
            if (moving) timers.push(window.setTimeout(() => light(one), 250 + 260 * one.hop));
            else light(one);
        }
        const header = h("div", { class: "header-bits", role: "img", "aria-label": `The header: ${sent.header.filter((bit) => bit !== 0).length} of ${sent.header.length} bits are set` },
            ...sent.header.map((bit, i) => h("span", { class: `${bit ? "set" : ""}${i >= sent.yesBits ? " no" : ""}` })));
        return h("figure", { class: "figure" }, h("figcaption", {}, title), root, header,
            h("p", { class: "reading" }, `${plural(sent.delivery.used.length, "link")} carry the packet, `, h("strong", {}, plural(wrong, "false link")), `; ${plural(sent.delivery.reached, "node")} receive it. `,
                `Of the links beside the path ${sent.delivery.falsePositives} match.`));
    }

    return {
        element,
        title: "packet map",
        enter(query) {
            const read = parse(fields, query);
            own = undefined;
            state = read.state;
            return [...read.complaints, ...begin()];
        },
        leave() {
            for (const timer of timers) clearTimeout(timer);
            timers = [];
        },
    };
}
