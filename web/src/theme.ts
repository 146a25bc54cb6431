// theme: light or dark, as the system says, or as the button says. The choice is remembered if the browser lets us.

type Theme = "light" | "dark";

export function setUpTheme(notice: (sentence: string) => void): void {
    const button = document.getElementById("theme") as HTMLButtonElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    let chosen: Theme | undefined;
    try {
        const found = localStorage.getItem("everbloom-theme");
        if (found === "light" || found === "dark") chosen = found;
    } catch {
        // Storage is denied: nothing is remembered, and nothing else changes.
    }
    const now = (): Theme => chosen ?? (system.matches ? "dark" : "light");
    const apply = (): void => {
        document.documentElement.dataset["theme"] = now();
        button.textContent = now() === "dark" ? "Light" : "Dark";
        button.setAttribute("aria-label", `Switch to ${now() === "dark" ? "light" : "dark"} colours`);
    };
    button.hidden = false;
    button.addEventListener("click", () => {
        chosen = now() === "dark" ? "light" : "dark";
        try {
            localStorage.setItem("everbloom-theme", chosen);
        } catch {
            notice("Your browser does not let this page remember the colours; they hold until you close it.");
        }
        apply();
    });
    system.addEventListener("change", apply);
    apply();
}
