// What can go wrong in a browser: the page says so, and keeps working.
import assert from "node:assert/strict";
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { after, before, test } from "node:test";
import { start, visit } from "./browser.mjs";
import { folder, native } from "./native.mjs";

let site;
before(async () => { site = await start(); });
after(async () => { await site?.stop(); });

async function inTab(body, prepare, expected) {
    const { tab, problems, close } = await site.tab({}, prepare);
    try {
        await body(tab);
        assert.deepEqual(problems.filter((one) => !expected?.test(one)), []);
    } finally {
        await close();
    }
}
const status = (tab) => tab.locator(".view .answer").first().innerText();
/** The example list can still be measured. */
async function stillWorks(tab) {
    await tab.getByText("Or try 20,000").click();
    await tab.waitForSelector("text=It begins with", { timeout: 60_000 });
    assert.match(await status(tab), /20,000 keys/);
}

test("a file of 500 MB is refused before it is read, with the command that takes it", { timeout: 120_000 }, async (context) => {
    const files = folder(context), huge = files.path("huge.txt");
    const descriptor = openSync(huge, "w");
    ftruncateSync(descriptor, 500 * 2 ** 20);
    closeSync(descriptor);
    await inTab(async (tab) => {
        await visit(tab, site.address, "data");
        await tab.setInputFiles("#data-file", huge);
        await tab.waitForFunction(() => /500\.0 MiB/.test(document.querySelector(".view .answer").textContent));
        assert.match(await status(tab), /up to 64\.0 MiB.*everbloom create/);
        await stillWorks(tab);
    });
});

test("hostile filter files: each is refused with a sentence", { timeout: 120_000 }, async (context) => {
    const files = folder(context);
    native("create", files.path("good.eb"), files.write("l.txt", "anna\nbert\n"), "--capacity", "100", "-q");
    const { readFileSync } = await import("node:fs");
    const good = readFileSync(files.path("good.eb"));
    const changed = (at, value) => { const made = Buffer.from(good); made.set(value, at); return made; };
    const hostile = {
        "flipped.eb": changed(200, [good[200] ^ 1]), "short.eb": good.subarray(0, 100), "kind.eb": changed(12, [0xff, 0xff, 0xff, 0x7f]), "sizes.eb": changed(72, new Array(64).fill(0xff)),
        "long.eb": Buffer.concat([good, Buffer.alloc(64)]), "nothing.eb": Buffer.alloc(0), "text.eb": Buffer.from("<script>alert(1)</script>\n"), "version.eb": changed(8, [9]),
        "zeros.bloom": Buffer.alloc(500), "ones.bloom": Buffer.alloc(500, 0xff), "short.bloom": Buffer.alloc(20, 1), "broken.gz": Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), "picture.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 10, 0, 10]),
    };
    await inTab(async (tab) => {
        await visit(tab, site.address, "data");
        for (const [name, bytes] of Object.entries(hostile)) {
            await tab.setInputFiles("#data-file", files.write(name, bytes));
            await tab.waitForFunction((wanted) => document.querySelector(".view .answer").textContent.startsWith(`${wanted}:`), name);
            assert.ok((await status(tab)).length > name.length + 12, `${name}: ${await status(tab)}`);
            assert.equal(await tab.locator(".ranking, .facts").count(), 0, name);
        }
        await tab.setInputFiles("#data-file", files.path("good.eb"));
        await tab.waitForSelector(".facts");
    });
});

test("a gzip file that unfolds to gigabytes stops at the limit", { timeout: 120_000 }, async (context) => {
    const files = folder(context);
    const { gzipSync } = await import("node:zlib");
    const bomb = files.write("bomb.txt.gz", gzipSync(Buffer.alloc(200 * 2 ** 20, 97)));
    await inTab(async (tab) => {
        await visit(tab, site.address, "data");
        await tab.setInputFiles("#data-file", bomb);
        await tab.waitForFunction(() => /more than 64\.0 MiB/.test(document.querySelector(".view .answer").textContent), undefined, { timeout: 60_000 });
        await stillWorks(tab);
    });
});

test("a list with a line of 10 MB is taken, and the page says so", { timeout: 120_000 }, async (context) => {
    const files = folder(context), list = files.path("long.txt");
    const descriptor = openSync(list, "w");
    writeSync(descriptor, "anna\n");
    writeSync(descriptor, "x".repeat(10 * 2 ** 20));
    writeSync(descriptor, "\nbert\r\n\n");
    closeSync(descriptor);
    await inTab(async (tab) => {
        await visit(tab, site.address, "data?kinds=quotient");
        await tab.setInputFiles("#data-file", list);
        await tab.waitForSelector("text=It begins with", { timeout: 60_000 });
        assert.match(await status(tab), /Line 2 is 10\.0 MiB long/);
        assert.match(await status(tab), /3 keys/);
        assert.equal(await tab.locator(".ranking tbody td").nth(4).innerText(), "all");
    });
});

test("links with absurd parameters are shown with the usual ones, and a remark", { timeout: 120_000 }, async () => {
    await inTab(async (tab) => {
        await visit(tab, site.address, "");
        for (const hash of [
            "planner?capacity=1e308&fpr=-1", "planner?capacity=NaN&fpr=2&remove=%3Cscript%3E&growth=1e999&x=y", "planner?memory=999999999999999999999999", "planner?growth=1e999", "planner?churn=-1", "planner?remove=1e30",
            "laboratory?kinds=nonsense&capacity=1e9&ops=a9999.a9999.a9999", "laboratory?ops=%00%ff(((&seed=-1", "laboratory?kinds=bloom%2Cbloom%2Cbloom&fpr=0", "laboratory?ops=A%28%25zz%29",
            "timeline?keys=1e12&kind=bloom&at=-5", "data?kinds=__proto__&fpr=7", "map?net=internet&from=%3Cb%3E&to=nowhere&bits=7&seed=1e99", "churn?days=1e9&keys=-3&kinds=a%2Cb&fpr=0",
        ]) {
            await tab.evaluate((wanted) => {
                document.getElementById("notices").replaceChildren();
                location.hash = wanted;
            }, hash);
            await tab.waitForSelector(".notice", { timeout: 60_000 });
            assert.match(await tab.locator(".notice").first().innerText(), /In this link/, hash);
            await tab.waitForFunction(() => document.querySelector("main .view h2") !== null);
        }
        await tab.goto("about:blank");
        await visit(tab, site.address, "toString");
        assert.match(await tab.locator(".notice").innerText(), /no view/);
        await visit(tab, site.address, "planner");
        await tab.waitForSelector(".ranking tbody tr");
    });
});

test("a link that is followed is not lost to a view that remembers its own state meanwhile", { timeout: 120_000 }, async () => {
    await inTab(async (tab) => {
        await visit(tab, site.address, "planner");
        await tab.waitForSelector(".ranking tbody tr:nth-child(2)");
        await tab.evaluate(() => {
            location.hash = "planner?growth=1e999"; // the event comes later
            document.querySelector(".ranking tbody tr:nth-child(2)").click();
        });
        await tab.waitForSelector(".notice", { timeout: 60_000 });
        assert.match(await tab.locator(".notice").first().innerText(), /In this link/);
    });
});

test("without WebAssembly the page says what is missing, and what to do", { timeout: 60_000 }, async () => {
    await inTab(async (tab) => {
        await visit(tab, site.address);
        assert.match(await tab.locator("main").innerText(), /no WebAssembly.*everbloom plan/s);
    }, (tab) => tab.addInitScript(() => { delete globalThis.WebAssembly; }));
});

test("a module that cannot be fetched, or is damaged, is reported", { timeout: 60_000 }, async () => {
    for (const answer of [{ status: 404, body: "" }, { status: 200, contentType: "application/wasm", body: "not a module" }]) {
        await inTab(async (tab) => {
            await visit(tab, site.address);
            assert.match(await tab.locator("main").innerText(), /could not be loaded/);
        }, (tab) => tab.route("**/everbloom.wasm", (route) => route.fulfill(answer)), /Failed to load resource/);
    }
});

test("storage denied: the colours change all the same, and the page says that it cannot remember", { timeout: 60_000 }, async () => {
    await inTab(async (tab) => {
        await visit(tab, site.address);
        const before = await tab.evaluate(() => document.documentElement.dataset.theme);
        await tab.click("#theme");
        assert.notEqual(await tab.evaluate(() => document.documentElement.dataset.theme), before);
        assert.match(await tab.locator(".notice").innerText(), /does not let this page remember/);
        await tab.waitForSelector(".ranking tbody tr");
    }, (tab) => tab.addInitScript(() => { Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } }); }));
});

test("the clipboard denied: the text is selected instead", { timeout: 60_000 }, async () => {
    await inTab(async (tab) => {
        await visit(tab, site.address);
        await tab.getByRole("button", { name: "Copy", exact: true }).click();
        await tab.waitForSelector("text=Selected: press Ctrl+C");
        assert.match(await tab.evaluate(() => String(getSelection())), /everbloom create/);
    }, (tab) => tab.addInitScript(() => { Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("denied")) } }); }));
});

test("keys of users are text, never markup", { timeout: 60_000 }, async (context) => {
    const files = folder(context);
    await inTab(async (tab) => {
        await visit(tab, site.address, "laboratory");
        await tab.fill("#lab-key", "<img src=x onerror=alert(1)>");
        await tab.getByRole("button", { name: "Add it" }).click();
        assert.equal(await tab.locator("main img").count(), 0);
        await visit(tab, site.address, "data");
        await tab.setInputFiles("#data-file", files.write("<b>name.txt", "<img src=x onerror=alert(1)>\n\u202eanna\n"));
        await tab.waitForSelector("text=It begins with");
        assert.equal(await tab.locator("main img, main b").count(), 0);
    });
});
