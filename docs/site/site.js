// Search without a server, the choice of light or dark, and the menu. Everything works without this file but the search.
const base = document.documentElement.dataset.base;
const store = (() => { try { return localStorage; } catch { return undefined; } })();

// Light or dark: as the system says, until somebody chooses.
const themeButton = document.getElementById("theme");
const isDark = () => document.documentElement.dataset.theme === "dark";
function setTheme(name) {
    document.documentElement.dataset.theme = name;
    themeButton.textContent = name === "dark" ? "Light" : "Dark";
}
setTheme(store?.getItem("everbloom-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
    setTheme(isDark() ? "light" : "dark");
    store?.setItem("everbloom-theme", document.documentElement.dataset.theme);
});

// On a wide screen the menu is always open.
const menu = document.querySelector(".menu");
const wide = matchMedia("(min-width: 900px)");
const fit = () => { menu.open = wide.matches; };
wide.addEventListener("change", fit);
fit();

const input = document.getElementById("search"), found = document.getElementById("found");
input.hidden = false;
let loading;
function index() {
    loading ??= new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${base}search-index.js`;
        script.onload = () => resolve(globalThis.everbloomIndex.map(([url, title, heading, text]) => ({ url, title, heading, text, low: `${title} ${heading} ${text}`.toLowerCase() })));
        script.onerror = reject;
        document.head.append(script);
    });
    return loading;
}

// A section is found if it has all the words. Words in headings count more than words in the text.
function score(entry, words) {
    let sum = 0;
    for (const word of words) {
        if (!entry.low.includes(word)) return 0;
        sum += 1;
        if (entry.heading.toLowerCase().includes(word)) sum += 8;
        if (entry.title.toLowerCase().includes(word)) sum += 4;
        if (new RegExp(`\\b${word.replace(/[^a-z0-9]/g, "\\$&")}\\b`).test(entry.low)) sum += 2;
    }
    return sum;
}

function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 50);
    return (at > 0 ? "…" : "") + text.slice(at, at + 150) + (text.length > at + 150 ? "…" : "");
}

async function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) { found.hidden = true; return; }
    const best = (await index()).map((entry) => ({ entry, points: score(entry, words) })).filter((one) => one.points > 0)
        .sort((a, b) => b.points - a.points).slice(0, 12);
    found.replaceChildren(...best.map(({ entry }) => {
        const link = document.createElement("a"), title = document.createElement("b"), text = document.createElement("span");
        link.href = base + entry.url;
        link.setAttribute("role", "option");
        title.textContent = entry.heading && entry.heading !== entry.title ? `${entry.title}: ${entry.heading}` : entry.title;
        text.textContent = excerpt(entry.text, words[0]);
        link.append(title, text);
        return link;
    }));
    if (best.length === 0) found.textContent = "Nothing found.";
    found.hidden = false;
}
input.addEventListener("input", show);
input.addEventListener("focus", () => { index(); if (input.value) show(); });
document.addEventListener("click", (event) => { if (!event.target.closest(".search")) found.hidden = true; });
document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(input|textarea|select)$/i.test(document.activeElement.tagName)) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape") { found.hidden = true; input.blur(); }
    const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (!found.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp") && links.length > 0) {
        event.preventDefault();
        (links[at + (event.key === "ArrowDown" ? 1 : -1)] ?? (event.key === "ArrowDown" ? links[0] : input)).focus();
    }
    if (event.key === "Enter" && document.activeElement === input && links.length > 0) links[0].click();
});
