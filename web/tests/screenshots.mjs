// Pictures of every view, for people to look at: node web/tests/screenshots.mjs DIR. 1400 and 400 pixels, light and dark.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { start, visit } from "./browser.mjs";

const out = process.argv[2];
const only = process.argv[3];
if (!out) throw new Error("usage: node web/tests/screenshots.mjs DIR [VIEW]");
mkdirSync(out, { recursive: true });
const site = await start();
const views = {
    planner: async (tab) => tab.waitForSelector(".two .chart"),
    laboratory: async (tab) => tab.waitForSelector(".card .cell"),
    timeline: async (tab) => {
        await tab.waitForSelector(".bands .stored");
        await tab.locator("#timeline-at").fill("30");
    },
    data: async (tab) => {
        await tab.getByText("Or try 20,000").click();
        await tab.waitForSelector("text=It begins with", { timeout: 60_000 });
    },
    map: async (tab) => tab.waitForTimeout(3500),
    churn: async (tab) => tab.waitForSelector(".ranking tbody tr", { timeout: 60_000 }),
};
for (const [view, ready] of Object.entries(views)) {
    if (only && only !== view) continue;
    for (const width of [1400, 400]) {
        for (const colorScheme of ["light", "dark"]) {
            const { tab, problems, close } = await site.tab({ viewport: { width, height: width === 400 ? 860 : 1000 }, colorScheme, deviceScaleFactor: 1 });
            await visit(tab, site.address, view);
            await ready(tab);
            await tab.waitForTimeout(300);
            await tab.screenshot({ path: join(out, `${view}-${width}-${colorScheme}.png`), fullPage: true });
            const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            console.log(view, width, colorScheme, wide > 0 ? `OVERFLOWS by ${wide}` : "", problems.join("; "));
            await close();
        }
    }
}
await site.stop();
