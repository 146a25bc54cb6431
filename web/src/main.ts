// main: loads the module, and shows the view that the address names. Each view is made when it is first visited.
import { FilterError, loadFrom, version } from "../../bindings/js/src/api.js";
import { h, replace } from "./dom.js";
import { setUpTheme } from "./theme.js";
import { planner } from "./planner.js";
import { laboratory } from "./laboratory.js";
import { timeline } from "./timeline.js";
import { yourData } from "./your_data.js";
import { packetMap } from "./packet_map.js";
import { churnReplay } from "./churn.js";
import type { Context, View } from "./view.js";

const makers: Record<string, (context: Context) => View> = {
    planner, laboratory, timeline, data: yourData, map: packetMap, churn: churnReplay,
};
const main = document.getElementById("main")!;
const notices = document.getElementById("notices")!;
const made = new Map<string, View>();
let current = "";
/** The end of the address that the view has taken. Another one is a link that was followed and comes next: a view must not overwrite it. */
let shown = "";

function notice(sentence: string): void {
    const line = h("p", { class: "notice" }, sentence, " ",
        h("button", { type: "button", class: "quiet", onclick: () => line.remove() }, "Close"));
    notices.append(line);
    while (notices.children.length > 3) notices.firstElementChild!.remove();
}

/** The words of an error for a person. */
function wordsOf(error: unknown): string {
    if (error instanceof FilterError) return error.message;
    return error instanceof Error ? `${error.message} (${error.name})` : String(error);
}

function contextOf(name: string): Context {
    return {
        notice,
        fail: (error) => notice(`That did not work: ${wordsOf(error)}`),
        remember(query) {
            const address = `#${name}${query === "" ? "" : `?${query}`}`;
            if (current !== name || location.hash !== shown || location.hash === address) return;
            history.replaceState(null, "", address);
            shown = location.hash;
        },
        link: () => location.href,
    };
}

function show(): void {
    shown = location.hash;
    const [asked = "", query = ""] = location.hash.slice(1).split(/\?(.*)/s);
    const name = Object.hasOwn(makers, asked) ? asked : "planner";
    if (asked !== "" && asked !== "main" && name !== asked) notice(`There is no view “${asked.slice(0, 30)}”; here is the planner.`);
    if (asked === "main") return;
    if (current !== "" && current !== name) made.get(current)?.leave?.();
    current = name;
    for (const link of document.querySelectorAll("#views a")) {
        if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
    }
    let view = made.get(name);
    if (!view) {
        view = makers[name]!(contextOf(name));
        made.set(name, view);
    }
    if (main.firstElementChild !== view.element) replace(main, view.element);
    document.title = `everbloom: ${view.title}`;
    try {
        for (const sentence of view.enter(query)) notice(`In this link ${sentence}.`);
    } catch (error) {
        notice(`That did not work: ${wordsOf(error)}`);
    }
}

/** From a server the module is fetched; in a page opened as a file, where nothing may be fetched, a script brings it. */
async function load(): Promise<void> {
    if (typeof WebAssembly !== "object") throw new FilterError("unsupported", "this browser has no WebAssembly, or it is switched off");
    if (location.protocol !== "file:") return loadFrom(new URL("everbloom.wasm", location.href));
    await new Promise<void>((done, failed) => {
        const script = h("script", { src: "everbloom-module.js" });
        script.onload = () => done();
        script.onerror = () => failed(new FilterError("input_output", "everbloom-module.js is not beside this page"));
        document.head.append(script);
    });
    const text = atob((globalThis as unknown as { everbloomModule: string }).everbloomModule);
    return loadFrom(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
}

setUpTheme(notice);
replace(main, h("p", { class: "waiting" }, "Loading the filters …"));
load().then(
    () => {
        document.getElementById("version")!.textContent = `everbloom ${version()}, in WebAssembly.`;
        addEventListener("hashchange", show);
        show();
        document.documentElement.dataset["ready"] = "yes";
    },
    (error: unknown) => {
        replace(main, h("section", { class: "view" },
            h("h2", {}, "The filters could not be loaded"),
            h("p", {}, `${wordsOf(error)}. `, "This page computes with the library itself, compiled to WebAssembly. Another browser may have it; some ",
                "switch it off in their strictest security level."),
            h("p", {}, "The command line shows the same without a browser:"),
            h("pre", {}, "./everbloom plan --capacity 1M --fpr 0.1% --remove 30%\n./everbloom route backbone\n./everbloom show FILE.eb")));
        document.documentElement.dataset["ready"] = "failed";
    },
);
