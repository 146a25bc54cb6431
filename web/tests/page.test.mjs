// The page in a real Chromium: clicks, keys, links, and numbers that are those of the native program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { pageFolder, start, visit } from "./browser.mjs";
import { folder, native, nativeCheck, nativeJson } from "./native.mjs";

let site;
before(async () => { site = await start(); });
after(async () => { await site?.stop(); });

/** A test in a tab of its own, in which nothing may go wrong. */
function inTab(name, body, options = {}) {
    test(name, { timeout: 120_000 }, async (context) => {
        const { tab, problems, close } = await site.tab(options.tab, options.prepare);
        try {
            await body({ tab, context, go: (hash) => visit(tab, site.address, hash) });
            assert.deepEqual(problems.filter((one) => !options.expected?.test(one)), []);
        } finally {
            await close();
        }
    });
}
const text = (tab, selector) => tab.locator(selector).first().innerText();
/** "21,290" */
const numberIn = (words) => Number(/[\d,]+(\.\d+)?/.exec(words)[0].replaceAll(",", ""));
/** A rate as the page writes it. */
const rate = (value) => {
    if (value <= 0) return "0";
    if (value < 1e-9) return "< 1e-9";
    const percent = 100 * value, exponent = Math.floor(Math.log10(percent) + 1e-12);
    return `${exponent < -4 ? percent.toExponential(2).replace(/\.?0+e/, "e").replace(/e-(\d)$/, "e-0$1") : String(Number(percent.toPrecision(3)))} %`;
};

// ---- planner ----

for (const [name, query, flags] of [
    ["removals", "", ["--capacity", "1M", "--fpr", "0.1%", "--remove", "30%"]],
    ["insert only", "capacity=10000000&fpr=0.01&remove=0", ["--capacity", "10M", "--fpr", "1%", "--remove", "0"]],
    ["churn and growth", "capacity=100000&remove=&churn=5&growth=4", ["--capacity", "100k", "--fpr", "0.1%", "--churn", "5", "--growth", "4x"]],
    ["known negatives", "capacity=100000&fpr=0.01&remove=0&negatives=10000", ["--capacity", "100k", "--fpr", "1%", "--remove", "0", "--negatives", "10k"]],
    ["a memory limit", "remove=0&memory=1MB", ["--capacity", "1M", "--fpr", "0.1%", "--remove", "0", "--memory", "1MB"]],
]) {
    inTab(`the planner ranks as the command line does: ${name}`, async ({ tab, go }) => {
        await go(`planner?${query}`);
        await tab.waitForSelector(".answer");
        const more = tab.locator("button.more");
        if (await more.count()) await more.click();
        const rows = await tab.locator(".ranking tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => (cell.querySelector(".name") ?? cell).textContent)));
        const wanted = nativeJson("plan", ...flags);
        const kinds = wanted.candidates;
        assert.deepEqual(rows.map((row) => row[1]), kinds.map((one) => one.kind));
        rows.forEach((row, i) => {
            assert.equal(row[3], kinds[i].bits_per_item.toFixed(1), kinds[i].kind);
            assert.equal(row[4], rate(kinds[i].fpr), kinds[i].kind);
        });
        if (kinds.length === 0) assert.ok((await text(tab, ".answer")).includes(rate(wanted.lowest_affordable.fpr)), await text(tab, ".answer"));
        const dropped = await tab.locator(".dropped dt").allTextContents();
        assert.deepEqual(dropped, wanted.dropped.map((one) => one.kind));
    });
}

inTab("the planner: typing changes plan and address, wrong input says so, code is offered", async ({ tab, go }) => {
    await go("planner");
    await tab.fill("#plan-capacity", "5k");
    await tab.waitForFunction(() => location.hash.includes("capacity=5000"));
    assert.match(await text(tab, ".answer"), /KiB/);
    await tab.fill("#plan-fpr", "lots");
    await tab.waitForFunction(() => document.querySelector(".problem").textContent !== "");
    assert.equal(await tab.getAttribute("#plan-fpr", "aria-invalid"), "");
    await tab.fill("#plan-fpr", "1%");
    await tab.waitForFunction(() => location.hash.includes("fpr=0.01"));
    for (const [name, word] of [["Command line", "everbloom create"], ["C++", "#include <everbloom/everbloom.hpp>"], ["Python", "from everbloom import"], ["JavaScript", "await load()"], ["Redis", "EB.CREATE"]]) {
        await tab.getByRole("tab", { name, exact: true }).click();
        assert.ok((await text(tab, ".panel pre")).includes(word), name);
        assert.ok((await text(tab, ".panel pre")).includes("5000") || (await text(tab, ".panel pre")).includes("5_000") || (await text(tab, ".panel pre")).includes("5'000"), name);
    }
    await tab.locator(".ranking .name").nth(1).click();
    const chosen = await tab.locator(".ranking .name").nth(1).innerText();
    assert.ok((await text(tab, ".panel pre")).length > 0);
    assert.match(await tab.evaluate(() => location.hash), new RegExp(`kind=${chosen}`));
    await tab.waitForSelector(".chart path.line");
    await tab.locator(".chart").first().focus();
    await tab.keyboard.press("ArrowRight");
    assert.match(await text(tab, ".figure .reading"), /keys: /);
});

inTab("the commands that the planner offers work", async ({ tab, context, go }) => {
    const files = folder(context);
    const list = files.write("names.txt", Array.from({ length: 500 }, (_, i) => `key ${i}`).join("\n") + "\n");
    await go("planner?capacity=500&fpr=0.01&remove=0.3");
    await tab.waitForSelector(".panel pre");
    await tab.locator("button.more").click();
    for (const button of await tab.locator(".ranking .name").all()) {
        await button.click();
        const command = (await text(tab, ".panel pre")).split("\n")[0].replace("names.txt", list).replace("names.eb", files.path(`${await button.innerText()}.eb`));
        native(...command.split(" ").slice(1), "-q", "--force");
    }
});

// ---- laboratory ----

inTab("the laboratory: a link replays a run, to the cell", async ({ tab, go }) => {
    const query = "laboratory?kinds=counting%2Cdleft%2Cquotient&capacity=30&fpr=0.1&seed=7&ops=a25.q20.r5.A%28Zo%25C3%25AB%29.Q%28anna%29.g.s";
    const state = () => tab.evaluate(() => [...document.querySelectorAll(".card")].map((card) => card.querySelector(".numbers").textContent + [...card.querySelectorAll(".cell")].map((cell) => cell.getAttribute("class").includes("empty") ? "0" : "1").join("")).join("\n") + document.querySelector(".log").textContent);
    await go(query);
    await tab.waitForSelector(".card .cell");
    const first = await state();
    const address = await tab.evaluate(() => location.hash);
    await tab.goto("about:blank");
    await go(address.slice(1));
    await tab.waitForSelector(".card .cell");
    assert.equal(await state(), first);
    assert.match(first, /counting/);
});

inTab("the laboratory: every kind is drawn, used, and tells its owners", async ({ tab, go }) => {
    const all = ["bloom", "blocked", "counting", "collision", "tombstone", "deletable", "ternary", "quaternary", "dfp", "fingerprint_counting", "dleft", "elastic", "elastic_blocked", "dynamic", "scalable", "partitioned", "yes_no", "quotient"];
    for (let from = 0; from < all.length; from += 6) {
        const kinds = all.slice(from, from + 6);
        await go(`laboratory?kinds=${kinds.join("%2C")}&capacity=24&fpr=0.1&ops=a20.q30.r4`);
        await tab.waitForFunction((wanted) => document.querySelectorAll(".card").length === wanted, kinds.length);
        for (const name of ["Add", "Ask", "Remove", "Remove a non-member", "Grow", "Shrink", "Protect"]) await tab.getByRole("button", { name, exact: true }).click();
        for (const [i, kind] of kinds.entries()) {
            const card = tab.locator(".card").nth(i);
            assert.equal(await card.locator("h3").innerText(), kind);
            assert.ok((await card.locator(".cell.full").count()) > 0, `${kind} has no full cells`);
            if (kind === "scalable") continue; // does not know them
            await card.locator(".cell.full").first().hover({ force: true });
            assert.match(await card.locator(".reading").innerText(), /Cell \d+: .*(Its keys: |No member)/s, kind);
        }
    }
});

inTab("the laboratory: the owners of a counter are as many as it counts", async ({ tab, go }) => {
    await go("laboratory?kinds=counting&capacity=40&fpr=0.1&ops=a40");
    await tab.waitForSelector(".card .cell.full");
    const cells = tab.locator(".card .cell.full:not(.stuck)");
    for (let i = 0; i < 12; ++i) {
        await cells.nth(i * 2).hover({ force: true });
        const said = await text(tab, ".card .reading");
        const count = Number(/counter (\d+)/.exec(said)[1]), owners = /Its keys: (.*)\./.exec(said)[1].split(", ");
        assert.equal(owners.length, count, said);
    }
    await tab.locator(".card .cells svg").focus();
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowDown");
    assert.match(await text(tab, ".card .reading"), /Cell \d+/);
});

inTab("the laboratory: the exact set notices what goes wrong", async ({ tab, go }) => {
    await go("laboratory?kinds=bloom%2Ccounting%2Cquotient&capacity=40&fpr=0.2&ops=a40.q100.x60.r3");
    await tab.waitForSelector(".log li");
    const log = await text(tab, ".log");
    assert.match(log, /false positive/);
    assert.match(log, /bloom.* cannot remove/);
    assert.match(log, /removed visitor \d+, which was never added/);
    await tab.getByRole("button", { name: "Play" }).click();
    const operations = async () => numberIn(await text(tab, ".view > .hint"));
    const now = await operations();
    await tab.waitForFunction((least) => Number(document.querySelector(".view > .hint").textContent.match(/\d+/)[0]) > least, now);
    await tab.getByRole("button", { name: "Pause" }).click();
});

// ---- elastic timeline ----

for (const kind of ["elastic", "quotient", "dleft"]) {
    inTab(`the timeline: bits of ${kind} move to the index and come back`, async ({ tab, go }) => {
        await go(`timeline?kind=${kind}&keys=1024`);
        await tab.waitForSelector(".bands .stored");
        const about = async (at) => {
            await tab.locator("#timeline-at").fill(String(at));
            return text(tab, ".answer");
        };
        const index = (words) => Number(/(\d+) bits of index/.exec(words)[1]), stored = (words) => Number(/(\d+) bits of fingerprint/.exec(words)[1]);
        const [empty, full, last] = [await about(0), await about(48), await about(95)];
        assert.ok(index(full) >= index(empty) + 3, `${empty} / ${full}`);
        assert.equal(index(full) + stored(full), index(empty) + stored(empty));
        assert.ok(index(last) < index(full), `${full} / ${last}`);
        assert.equal(await tab.locator(".bit").count(), index(last) + stored(last));
        assert.match(await tab.evaluate(() => location.hash), /at=95/);
    });
}

// ---- your data ----

inTab("your data: the filter of a list is the file that the command line makes", async ({ tab, context, go }) => {
    const files = folder(context);
    const list = files.write("hosts.txt", Array.from({ length: 3000 }, (_, i) => `host${i * 7}.example`).join("\n") + "\n");
    await go("data?kinds=quotient%2Cbloom%2Cblocked%2Cdleft%2Ccounting&fpr=0.01");
    await tab.setInputFiles("#data-file", list);
    await tab.waitForSelector("text=It begins with");
    for (const [i, kind] of ["quotient", "bloom", "blocked", "dleft", "counting"].entries()) {
        const row = tab.locator(".ranking tbody tr").nth(i);
        const [download] = await Promise.all([tab.waitForEvent("download"), row.getByRole("button", { name: "Download" }).click()]);
        const mine = files.path(`${kind}-page.eb`), theirs = files.path(`${kind}.eb`);
        await download.saveAs(mine);
        native("create", theirs, list, "--kind", kind, "--capacity", "3000", "--fpr", "0.01", "--seed", "1", ...(kind === "quotient" ? ["--growth", "1x"] : []), "-q");
        assert.ok(readFileSync(mine).equals(readFileSync(theirs)), `${kind}: the files differ`);
        assert.equal(await row.locator("td").nth(4).innerText(), "all");
        const current = nativeJson("show", theirs);
        assert.equal(await row.locator("td").nth(5).innerText(), rate(current.fpr_current ?? current.fpr), kind);
        const [, share, low, high] = /^(.*) % \((.*) % to (.*) %\)$/.exec((await row.locator("td").nth(6).innerText()).replace(/^0 /, "0 % ")) ?? [];
        if (share !== undefined) assert.ok(Number(low) <= Number(share) && Number(share) <= Number(high));
    }
});

inTab("your data: a filter of the command line is described and answers the same", async ({ tab, context, go }) => {
    const files = folder(context);
    const list = files.write("names.txt", Array.from({ length: 400 }, (_, i) => `name ${i}`).join("\n") + "\n");
    const questions = Array.from({ length: 600 }, (_, i) => `name ${i}`);
    const asked = files.write("questions.txt", questions.join("\n") + "\n");
    await go("data");
    for (const kind of ["quotient", "bloom", "elastic_blocked"]) {
        const file = files.path(`${kind}.eb`);
        native("create", file, list, "--kind", kind, "--capacity", "400", "--fpr", "5%", "--seed", "1", "-q");
        await tab.setInputFiles("#data-file", file);
        await tab.waitForFunction((name) => document.querySelector(".view .answer").textContent.includes(`${name} filter`), kind);
        await tab.fill("#data-ask", questions.join("\n"));
        await tab.getByRole("button", { name: "Ask", exact: true }).click();
        const maybe = await tab.locator(".answers .maybe").allTextContents();
        assert.deepEqual(maybe.map((one) => one.replace("maybe ", "")), nativeCheck(file, asked), kind);
        assert.ok((await tab.locator("rect.heat").count()) > 100);
    }
});

inTab("your data: .bloom files, gzip, addresses and numbers", async ({ tab, context, go }) => {
    const files = folder(context);
    const list = files.write("names.txt", Array.from({ length: 300 }, (_, i) => `name ${i}`).join("\n") + "\n");
    native("create", files.path("d.eb"), list, "--kind", "bloom", "--hash", "dcso", "--capacity", "300", "--fpr", "1%", "-q");
    native("convert", files.path("d.eb"), files.path("d.bloom"), "-q");
    await go("data");
    const { gzipSync } = await import("node:zlib");
    for (const name of [files.path("d.bloom"), files.write("z.bloom.gz", gzipSync(readFileSync(files.path("d.bloom"))))]) {
        await tab.setInputFiles("#data-file", name);
        await tab.waitForSelector("text=a bloom filter");
        await tab.fill("#data-ask", "name 7\nname 299");
        await tab.getByRole("button", { name: "Ask", exact: true }).click();
        assert.equal(await tab.locator(".answers .maybe").count(), 2);
    }
    const addresses = files.write("a.txt", "10.0.0.1\n192.168.7.9\n::1\n");
    native("create", files.path("a.eb"), addresses, "--key-type", "ip", "--capacity", "100", "-q");
    await tab.setInputFiles("#data-file", files.path("a.eb"));
    await tab.waitForSelector("text=of type ip");
    await tab.fill("#data-ask", "10.0.0.1\n::1\n10.0.0.2\nnot an address");
    await tab.getByRole("button", { name: "Ask", exact: true }).click();
    assert.deepEqual(await tab.locator(".answers strong").allTextContents(), ["maybe", "maybe", "surely not", "no key"]);
});

// ---- packet map ----

inTab("the packet map: false links are those of `route`", async ({ tab, go }) => {
    for (const [net, from, to] of [["backbone", "ost", "ves"], ["ring", "r0", "r9"], ["satellites", "hub", "s5"]]) {
        for (const [bits, hashes] of [[48, 4], [64, 4], [256, 6]]) {
            for (const seed of [1, 2, 3]) {
                await go(`map?net=${net}&from=${from}&to=${to}&bits=${bits}&seed=${seed}`);
                await tab.waitForFunction(() => /false link/.test(document.querySelector(".view .answer").textContent));
                const said = await text(tab, ".view .answer");
                const wanted = nativeJson("route", net, "--from", from, "--to", to, "--yes-bits", String(bits * 3 / 4), "--no-bits", String(bits / 8), "--no-filters", "2",
                    "--yes-hashes", "4", "--no-hashes", "3", "--bloom-hashes", String(hashes), "--seed", String(seed));
                const [, bloom, yesNo] = /Bloom header: (\d+) false link.*yes-no header: (\d+) false link/.exec(said);
                const what = `${net} ${from} ${to} ${bits} ${seed}`;
                assert.equal(Number(bloom), wanted.bloom.false_links, what);
                assert.equal(Number(yesNo), wanted.yes_no.false_links, what);
                assert.equal(numberIn(/: (\d+) link/.exec(said)[1]), wanted.members, what);
            }
        }
    }
}, { tab: { reducedMotion: "reduce" } });

inTab("the packet map: two clicks, and two keys, send a packet", async ({ tab, go }) => {
    await go("map");
    await tab.waitForSelector(".map .node");
    await tab.locator(".map").first().locator(".node").nth(3).locator(".reach").click();
    assert.match(await text(tab, ".view .answer"), /Choose another node/);
    await tab.locator(".map").first().locator(".node").nth(17).locator(".reach").click();
    assert.match(await text(tab, ".view .answer"), /false link/);
    await tab.waitForSelector(".link.used");
    await tab.locator(".map").first().locator(".node").nth(0).focus();
    await tab.keyboard.press("Enter");
    await tab.locator(".map").first().locator(".node").nth(9).focus();
    await tab.keyboard.press("Enter");
    assert.match(await tab.evaluate(() => location.hash), /to=/);
});

// ---- churn replay ----

inTab("the churn replay: sizes and rates are those of `sync --trace`", async ({ tab, context, go }) => {
    const files = folder(context);
    await go("churn?days=25&keys=2000&kinds=quotient%2Cdleft%2Cdeletable%2Cbloom");
    await tab.waitForSelector(".ranking tbody tr");
    assert.match(await text(tab, ".answer"), /every member was found/);
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByText("Download this trace").click()]);
    const trace = files.path("changes.trace");
    await download.saveAs(trace);
    for (const [i, kind] of ["quotient", "dleft", "deletable", "bloom"].entries()) {
        const done = nativeJson("sync", files.path(`${kind}.eb`), "--trace", trace, "--each", "--kind", kind, "--fpr", "0.1%", "--seed", "1");
        const cells = await tab.locator(".ranking tbody tr").nth(i).locator("td").allInnerTexts();
        assert.equal(cells[0], kind);
        assert.equal(cells[3], rate(Math.max(...done.revisions.map((one) => one.fpr_current))), kind);
        assert.equal(numberIn(cells[5]), done.revisions.slice(1).filter((one) => one.rebuilt !== null).length, kind);
        assert.equal(numberIn(cells[6]), done.undeletable, kind);
        assert.equal(done.revisions.length, 25);
    }
    await tab.setInputFiles("#churn-file", trace);
    await tab.waitForFunction(() => document.querySelector(".answer").textContent.startsWith("changes.trace: 25 days"));
    await tab.setInputFiles("#churn-file", files.write("no.trace", "hello\nworld\n"));
    await tab.waitForSelector(".notice");
    assert.match(await text(tab, ".notice"), /begins with/);
});

// ---- everywhere ----

const views = ["planner", "laboratory", "timeline", "data", "map", "churn"];

for (const width of [400, 1400]) {
    inTab(`nothing is wider than ${width} pixels, and the views are reached by keyboard`, async ({ tab, go }) => {
        await go("");
        for (const view of views) {
            await tab.locator(`#views a[href="#${view}"]`).focus();
            await tab.keyboard.press("Enter");
            await tab.waitForFunction((name) => document.querySelector(`#views a[href="#${name}"]`).hasAttribute("aria-current"), view);
            await tab.waitForTimeout(300);
            assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, view);
            const nameless = await tab.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, a")].filter((one) => one.offsetParent !== null &&
                !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length || one.title)).map((one) => one.outerHTML.slice(0, 80)));
            assert.deepEqual(nameless, [], view);
        }
    }, { tab: { viewport: { width, height: 800 } } });
}

inTab("less motion: nothing is animated, and the packet is there at once", async ({ tab, go }) => {
    await go("map");
    await tab.waitForSelector(".link.used", { timeout: 2000 });
    await go("laboratory");
    await tab.getByRole("button", { name: "Add", exact: true }).click();
    assert.equal(await tab.evaluate(() => document.getAnimations().length), 0);
}, { tab: { reducedMotion: "reduce" } });

inTab("dark and light: the system decides, the button changes it, a reload remembers", async ({ tab, go }) => {
    await go("");
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), "dark");
    await tab.click("#theme");
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), "light");
    await tab.reload();
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), "light");
}, { tab: { colorScheme: "dark" } });

test("the page works as a file, without a server", { timeout: 60_000 }, async () => {
    const { tab, problems, close } = await site.tab();
    await tab.goto(pathToFileURL(join(pageFolder, "index.html")).href);
    await tab.waitForSelector("html[data-ready=yes]");
    await tab.waitForSelector(".ranking tbody tr");
    assert.deepEqual(problems.filter((one) => !one.startsWith("request: file:")), []);
    await close();
});
