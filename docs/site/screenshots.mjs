// Pictures of the built site, for people to look at: node docs/site/screenshots.mjs SITE DIR [PAGE...]. 1400 and 400 pixels, light and dark.
// EVERBLOOM_NODE_MODULES names the folder of playwright-core (tools/web tools). Reports what is too wide and every request to anybody else.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [site, out, ...pages] = process.argv.slice(2);
const modules = process.env["EVERBLOOM_NODE_MODULES"];
if (!site || !out || !modules) throw new Error("usage: EVERBLOOM_NODE_MODULES=DIR node docs/site/screenshots.mjs SITE DIR [PAGE...]");
const { chromium } = createRequire(join(modules, "index.js"))("playwright-core");
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env["EVERBLOOM_CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"] });
for (const page of pages.length ? pages : ["index.html", "cpp.html", "performance.html", "kinds.html", "reference/python.html", "reference/cpp/index.html", "cli.html"]) {
    for (const width of [1400, 400]) {
        for (const colorScheme of ["light", "dark"]) {
            const tab = await browser.newPage({ viewport: { width, height: width === 400 ? 860 : 1000 }, colorScheme });
            const problems = [];
            tab.on("pageerror", (error) => problems.push(error.message));
            tab.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`); });
            await tab.goto(pathToFileURL(resolve(site, page)).href);
            await tab.waitForTimeout(400);
            const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            await tab.screenshot({ path: join(out, `${page.replace(/[/.]/g, "-")}-${width}-${colorScheme}.png`) });
            console.log(page, width, colorScheme, wide > 0 ? `OVERFLOWS by ${wide}` : "", problems.join("; "));
            await tab.close();
        }
    }
}
// The search finds something.
const tab = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await tab.goto(pathToFileURL(resolve(site, "models/churn.html")).href);
await tab.fill("#search", "merge filters");
await tab.waitForSelector("#found a");
await tab.screenshot({ path: join(out, "search.png") });
console.log("search:", await tab.locator("#found a").count(), "results; first:", await tab.locator("#found a b").first().textContent());
await browser.close();
