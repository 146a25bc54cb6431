// A real Chromium for the tests, with the page on a server of its own; everything that goes wrong in the page is collected.
import { createRequire } from "node:module";
import { join } from "node:path";
import { serve } from "../serve.mjs";

const modules = process.env["EVERBLOOM_NODE_MODULES"], page = process.env["EVERBLOOM_PAGE"];
if (!modules || !page) throw new Error("EVERBLOOM_NODE_MODULES and EVERBLOOM_PAGE must name the folders of playwright-core and of the built page");
const { chromium } = createRequire(join(modules, "index.js"))("playwright-core");

export const pageFolder = page;

export async function start() {
    const server = await serve(page);
    const browser = await chromium.launch({ executablePath: process.env["EVERBLOOM_CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    return {
        address: server.address,
        browser,
        /** A tab with its own storage. `problems` has errors of the console, exceptions, and requests to anybody else. */
        async tab(options = {}, prepare) {
            const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, ...options });
            const tab = await context.newPage();
            const problems = [];
            tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`); });
            tab.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
            tab.on("request", (request) => {
                const url = request.url();
                if (!url.startsWith(server.address) && !/^(data|blob):/.test(url)) problems.push(`request: ${url}`);
            });
            await prepare?.(tab, context);
            return { tab, problems, close: () => context.close() };
        },
        async stop() {
            await browser.close();
            await server.close();
        },
    };
}

/** Opens a view and waits until the filters are loaded. */
export async function visit(tab, address, hash = "") {
    await tab.goto(`${address}${hash === "" ? "" : `#${hash}`}`);
    await tab.waitForSelector("html[data-ready]", { timeout: 20_000 });
}
