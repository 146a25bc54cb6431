// network: nodes and directed links from GraphML, shortest paths, and the delivery of a packet; as `everbloom route` does it.
//
// The name of a link is the one that `route` gives it ("edge7:ost>mir"), because its header bits follow from the name.

export interface Node {
    readonly id: string;
    readonly label: string;
    x: number;
    y: number;
}
export interface Link {
    readonly source: number;
    readonly target: number;
    readonly edge: number;
    readonly name: string;
}
export interface Network {
    readonly title: string;
    readonly nodes: Node[];
    /** sorted by source, stably */
    readonly links: Link[];
    /** the links that leave each node, as indices */
    readonly leaving: readonly (readonly number[])[];
}

export const mostNodes = 400;
const local = (element: Element): string => element.nodeName.replace(/^.*:/, "");
const inside = (element: Element, name: string): Element[] => [...element.children].filter((one) => local(one) === name);

/** A network of the Topology Zoo, of yEd, or one of ours. Throws an Error with a sentence. */
export function parseGraphml(text: string): Network {
    const page = new DOMParser().parseFromString(text, "application/xml");
    if (page.querySelector("parsererror") || local(page.documentElement) !== "graphml") throw new Error("This is not GraphML.");
    const names = new Map(inside(page.documentElement, "key").map((key) => [key.getAttribute("id") ?? "", key.getAttribute("attr.name") ?? ""]));
    const graph = inside(page.documentElement, "graph")[0];
    if (!graph) throw new Error("The file has no <graph> element.");
    const nodes: (Node & { placed: boolean })[] = [];
    const index = new Map<string, number>();
    for (const element of inside(graph, "node")) {
        const id = element.getAttribute("id") ?? "";
        const facts = new Map(inside(element, "data").map((data) => [names.get(data.getAttribute("key") ?? "") ?? "", data.textContent?.trim() ?? ""]));
        const geometry = [...element.getElementsByTagName("*")].find((one) => local(one) === "Geometry");
        const number = (value: string | null | undefined): number => (value === null || value === undefined || value === "" ? Number.NaN : Number(value));
        const x = number(facts.get("Longitude") ?? geometry?.getAttribute("x")), y = number(facts.get("Latitude") ?? geometry?.getAttribute("y"));
        index.set(id, nodes.length);
        nodes.push({ id, label: facts.get("label") || id, x, y: facts.has("Latitude") ? -y : y, placed: Number.isFinite(x) && Number.isFinite(y) });
    }
    if (nodes.length < 2) throw new Error("The graph has fewer than two nodes.");
    if (nodes.length > mostNodes) throw new Error(`The graph has ${nodes.length} nodes; this page draws up to ${mostNodes}. everbloom route takes more.`);
    const directed = graph.getAttribute("edgedefault") === "directed";
    const links: Link[] = [];
    const used = new Map<string, number>();
    inside(graph, "edge").forEach((edge, number) => {
        const id = edge.getAttribute("id") || `edge${number}`;
        const source = index.get(edge.getAttribute("source") ?? ""), target = index.get(edge.getAttribute("target") ?? "");
        if (source === undefined || target === undefined) throw new Error(`Edge “${id}” ends at a node that is not there.`);
        if (source === target) return;
        const said = edge.getAttribute("directed");
        const oneWay = said === null ? directed : said === "true" || said === "1";
        const add = (from: number, to: number): void => {
            const base = `${id}:${nodes[from]!.id}>${nodes[to]!.id}`;
            const seen = (used.get(base) ?? 0) + 1;
            used.set(base, seen);
            links.push({ source: from, target: to, edge: number, name: seen === 1 ? base : `${base}~${seen}` });
        };
        add(source, target);
        if (!oneWay) add(target, source);
    });
    links.sort((a, b) => a.source - b.source);
    place(nodes);
    const title = inside(graph, "data").find((data) => names.get(data.getAttribute("key") ?? "") === "Network")?.textContent?.trim();
    const leaving = nodes.map((_, at) => links.flatMap((link, i) => (link.source === at ? [i] : [])));
    return { title: title || "A network", nodes, links, leaving };
}

/** Into a frame of 0 to 1; nodes without a place stand on a circle. */
function place(nodes: (Node & { placed: boolean })[]): void {
    if (!nodes.every((one) => one.placed)) {
        nodes.forEach((node, i) => {
            node.x = Math.sin((2 * Math.PI * i) / nodes.length);
            node.y = -Math.cos((2 * Math.PI * i) / nodes.length);
        });
    }
    const xs = nodes.map((one) => one.x), ys = nodes.map((one) => one.y);
    const left = Math.min(...xs), top = Math.min(...ys), width = Math.max(...xs) - left || 1, height = Math.max(...ys) - top || 1;
    for (const node of nodes) {
        node.x = (node.x - left) / width;
        node.y = (node.y - top) / height;
    }
}

export interface Path {
    readonly nodes: number[];
    /** the links of the path, from the source on */
    readonly members: number[];
    /** all other links that leave a node of the path */
    readonly others: number[];
}

/** A shortest path; undefined if there is none. */
export function pathBetween(net: Network, source: number, target: number): Path | undefined {
    const by = new Array<number>(net.nodes.length).fill(-1);
    const order = [source], seen = new Set(order);
    for (const here of order) {
        for (const link of net.leaving[here]!) {
            const next = net.links[link]!.target;
            if (seen.has(next)) continue;
            seen.add(next);
            by[next] = link;
            order.push(next);
        }
    }
    if (!seen.has(target) || source === target) return undefined;
    const members: number[] = [];
    for (let at = target; at !== source; at = net.links[by[at]!]!.source) members.unshift(by[at]!);
    const nodes = [source, ...members.map((link) => net.links[link]!.target)];
    const others = nodes.flatMap((node) => net.leaving[node]!.filter((link) => !members.includes(link)));
    return { nodes, members, others };
}

export interface Delivery {
    /** links that carry the packet, with the hop in which they do */
    readonly used: { readonly link: number; readonly hop: number; readonly wrong: boolean }[];
    readonly reached: number;
    /** negatives that match, whether the packet reaches them or not */
    readonly falsePositives: number;
}

/** Every node that the packet reaches sends it on all links that match, once. */
export function deliver(net: Network, path: Path, matches: (link: number) => boolean): Delivery {
    const onPath = new Set(path.members), hops = new Map([[path.nodes[0]!, 0]]);
    const used: { link: number; hop: number; wrong: boolean }[] = [];
    const order = [path.nodes[0]!];
    for (const here of order) {
        for (const link of net.leaving[here]!) {
            if (!matches(link)) continue;
            used.push({ link, hop: hops.get(here)!, wrong: !onPath.has(link) });
            const next = net.links[link]!.target;
            if (hops.has(next)) continue;
            hops.set(next, hops.get(here)! + 1);
            order.push(next);
        }
    }
    return { used, reached: order.length, falsePositives: path.others.filter(matches).length };
}
