// dom: making elements, HTML and SVG, in one expression each.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

function fill(made: Element, attributes: Attributes, children: Child[]): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === "function") made.addEventListener(name.slice(2), value as EventListener);
        else made.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children) {
        if (child === null || child === undefined || child === false) continue;
        made.append(child instanceof Node ? child : String(child));
    }
}

/** An HTML element. Attributes that are functions are listeners: { onclick: () => ... }. */
export function h<Name extends keyof HTMLElementTagNameMap>(
    name: Name, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[Name] {
    const made = document.createElement(name);
    fill(made, attributes, children);
    return made;
}

/** An SVG element. */
export function svg<Name extends keyof SVGElementTagNameMap>(
    name: Name, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[Name] {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    fill(made, attributes, children);
    return made;
}

export function replace(parent: Element, ...children: Child[]): void {
    parent.replaceChildren(...children.filter((one): one is Node | string | number => one !== null && one !== undefined && one !== false)
        .map((one) => (one instanceof Node ? one : String(one))));
}

/** The head of a table; "#size" is a column of numbers. */
export function tableHead(...names: string[]): HTMLElement {
    return h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col", class: name.startsWith("#") ? "number" : undefined }, name.replace("#", "")))));
}

/** Movement only for users who have not asked for less of it. */
export function mayMove(): boolean {
    return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** A pause that also lets the browser draw. */
export function pause(milliseconds = 0): Promise<void> {
    return new Promise((done) => setTimeout(done, milliseconds));
}

/** Copies a text, and says so on the button. Where the clipboard is denied, the text is selected instead. */
export function copyButton(label: string, text: () => string, selectInstead?: () => HTMLElement): HTMLButtonElement {
    const button = h("button", { type: "button", class: "quiet" }, label);
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text());
            button.textContent = "Copied";
        } catch {
            const shown = selectInstead?.();
            if (shown) getSelection()?.selectAllChildren(shown);
            button.textContent = shown ? "Selected: press Ctrl+C" : "The clipboard is not available";
        }
        setTimeout(() => (button.textContent = label), 2000);
    });
    return button;
}

/** Offers bytes as a file. */
export function download(name: string, bytes: Uint8Array | string): void {
    const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/octet-stream" }));
    const link = h("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
