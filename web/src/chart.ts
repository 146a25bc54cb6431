// chart: lines over an axis, as SVG, with labels at the lines, dashes beside colours, and the values under a cursor.
import { h, replace, svg } from "./dom.js";

export interface Line {
    readonly name: string;
    /** null: no value there */
    readonly values: readonly (number | null)[];
}
export interface ChartOptions {
    readonly title: string;
    readonly x: readonly number[];
    readonly xName: string;
    readonly xText: (value: number) => string;
    readonly yText: (value: number) => string;
    readonly lines: readonly Line[];
    readonly logarithmic?: boolean;
    readonly least?: number;
    readonly most?: number;
    /** a horizontal line with a name, such as the target */
    readonly mark?: { readonly value: number; readonly name: string };
    readonly note?: string;
    /** the values have this unit, such as 1024 for bytes: labels of the axis are round in it */
    readonly unit?: number;
    /** labels of the x axis at these places, instead of round numbers */
    readonly xTicks?: readonly number[];
    /** called with the index under the cursor, for pages that show more about it */
    readonly onPick?: (index: number) => void;
}

/** Colours that most people can tell apart (Okabe and Ito); every line also has its own dashes. */
export const dashes = ["", "7 3", "2 3", "9 3 2 3", "4 4", "12 4"];
export const colour = (index: number): string => `var(--line-${(index % 6) + 1})`;

const height = 250, left = 66, top = 14, bottom = 40;

function ticksOf(least: number, most: number, logarithmic: boolean): number[] {
    if (!Number.isFinite(least) || !Number.isFinite(most)) return []; // never an endless axis
    if (logarithmic) {
        const from = Math.floor(Math.log10(least) + 1e-9), to = Math.ceil(Math.log10(most) - 1e-9);
        const step = Math.max(1, Math.ceil((to - from) / 5));
        const made: number[] = [];
        for (let power = from; power <= to; power += step) made.push(10 ** power);
        return made;
    }
    const rough = (most - least) / 4 || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999)!;
    const made: number[] = [];
    for (let value = Math.ceil(least / step - 1e-9) * step; value <= most + step * 1e-9; value += step) made.push(Math.abs(value) < step * 1e-6 ? 0 : value);
    return made;
}

/** Labels at the ends of lines, moved apart where they would cover each other. */
function spread(places: number[], gap: number, least: number, most: number): number[] {
    const order = places.map((_, i) => i).sort((a, b) => places[a]! - places[b]!);
    const made = [...places];
    let free = least;
    for (const i of order) {
        made[i] = Math.max(made[i]!, free);
        free = made[i]! + gap;
    }
    let limit = most;
    for (const i of order.reverse()) {
        made[i] = Math.min(made[i]!, limit);
        limit = made[i]! - gap;
    }
    return made;
}

/** The picture follows the width of its place: text keeps its size, and on a narrow screen the names stand below. */
export function chart(options: ChartOptions): HTMLElement {
    const place = h("div", { class: "place" });
    const reading = h("p", { class: "reading", "aria-live": "polite" }, options.note ?? "");
    const names = h("ul", { class: "names" }, ...options.lines.map((line, i) => h("li", {},
        svg("svg", { viewBox: "0 0 28 8", width: 28, height: 8, "aria-hidden": "true" }, svg("line", { x1: 0, x2: 28, y1: 4, y2: 4, style: `stroke:${colour(i)}`, "stroke-width": 2.5, "stroke-dasharray": dashes[i % dashes.length]! })), line.name)));
    let drawn = 0;
    new ResizeObserver(() => {
        const width = Math.round(place.clientWidth);
        if (width === drawn || width === 0) return;
        drawn = width;
        names.hidden = width >= 470;
        replace(place, draw(options, width, reading));
    }).observe(place);
    return h("figure", { class: "figure" }, h("figcaption", {}, options.title), place, names, reading);
}

function draw(options: ChartOptions, width: number, reading: HTMLElement): SVGSVGElement {
    const { x, lines } = options;
    const right = width < 470 ? 12 : 168;
    const given = lines.flatMap((line) => line.values).filter((one): one is number => one !== null && Number.isFinite(one));
    if (options.mark) given.push(options.mark.value);
    const positive = given.filter((one) => one > 0);
    const logarithmic = options.logarithmic === true && positive.length > 0;
    let least = options.least ?? (logarithmic ? Math.min(...positive) : 0);
    let most = options.most ?? Math.max(...given, logarithmic ? least * 10 : 0);
    if (logarithmic) {
        least = Math.max(least, most * 1e-8);
        least = 10 ** Math.floor(Math.log10(least) + 1e-9);
        most = 10 ** Math.ceil(Math.log10(Math.max(most, least * 10)) - 1e-9);
    } else if (!(most > least)) most = least + 1;

    const xLeast = x[0] ?? 0, xMost = x[x.length - 1] ?? 1;
    const atX = (value: number): number => left + ((width - left - right) * (value - xLeast)) / (xMost - xLeast || 1);
    const scaled = (value: number): number =>
        logarithmic ? (Math.log(Math.max(value, least)) - Math.log(least)) / (Math.log(most) - Math.log(least)) : (value - least) / (most - least);
    const atY = (value: number): number => top + (height - top - bottom) * (1 - Math.min(1, Math.max(0, scaled(value))));

    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": options.title, tabindex: 0 });
    const unit = options.unit ?? 1, scale = most >= unit ? unit : 1;
    for (const tick of ticksOf(least / scale, most / scale, logarithmic).map((one) => one * scale)) {
        if (tick < least * 0.999 || tick > most * 1.001) continue;
        const y = atY(tick);
        picture.append(svg("line", { x1: left, x2: width - right, y1: y, y2: y, class: "grid" }),
            svg("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, options.yText(tick)));
    }
    const xTicks = options.xTicks ?? ticksOf(xLeast, xMost, false).filter((_, i, all) => width >= 470 || all.length < 4 || i % 2 === 0);
    for (const tick of xTicks) {
        const anchor = tick === xMost && right < 40 ? "end" : tick === xLeast ? "start" : "middle";
        picture.append(svg("text", { x: atX(tick), y: height - bottom + 18, "text-anchor": anchor }, options.xText(tick)));
    }
    picture.append(svg("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis" }),
        svg("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle", class: "name" }, options.xName));
    if (options.mark && options.mark.value >= least && options.mark.value <= most) {
        const y = atY(options.mark.value);
        picture.append(svg("line", { x1: left, x2: width - right, y1: y, y2: y, class: "mark" }),
            svg("text", { x: left + 6, y: y - 5, class: "name" }, options.mark.name));
    }
    const ends = lines.map((line) => {
        for (let i = line.values.length - 1; i >= 0; --i) if (line.values[i] !== null) return atY(line.values[i]!);
        return -1;
    });
    const shown = lines.map((_, i) => i).filter((i) => ends[i]! >= 0);
    const places = spread(shown.map((i) => ends[i]! + 4), 15, top + 8, height - bottom);
    shown.forEach((i, order) => {
        let path = "", pen = "M";
        lines[i]!.values.forEach((value, at) => {
            if (value === null || !Number.isFinite(value)) pen = "M";
            else {
                path += `${pen}${atX(x[at]!).toFixed(1)} ${atY(value).toFixed(1)}`;
                pen = "L";
            }
        });
        picture.append(svg("path", { d: path, class: "line", style: `stroke:${colour(i)}`, "stroke-dasharray": dashes[i % dashes.length]! }));
        if (width >= 470) picture.append(svg("text", { x: width - right + 8, y: places[order]!, class: "end", style: `fill:${colour(i)}` }, lines[i]!.name));
    });

    // The cursor: a line, and the values in words below, for the mouse, for fingers and for the arrow keys.
    const cursor = svg("line", { y1: top, y2: height - bottom, class: "cursor", visibility: "hidden" });
    picture.append(cursor);
    let at = -1;
    const show = (index: number): void => {
        at = Math.min(x.length - 1, Math.max(0, index));
        cursor.setAttribute("x1", String(atX(x[at]!)));
        cursor.setAttribute("x2", String(atX(x[at]!)));
        cursor.setAttribute("visibility", "visible");
        const parts = lines.map((line) => `${line.name} ${line.values[at] === null ? "–" : options.yText(line.values[at]!)}`);
        replace(reading, h("strong", {}, options.xText(x[at]!)), ` ${options.xName}: ${parts.join(", ")}`);
        options.onPick?.(at);
    };
    picture.addEventListener("pointermove", (event) => {
        const box = picture.getBoundingClientRect();
        const wanted = xLeast + (((event.clientX - box.left) / box.width) * width - left) / (width - left - right) * (xMost - xLeast);
        let nearest = 0;
        x.forEach((value, i) => {
            if (Math.abs(value - wanted) < Math.abs(x[nearest]! - wanted)) nearest = i;
        });
        show(nearest);
    });
    picture.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        show(at < 0 ? 0 : at + step);
    });
    return picture;
}
