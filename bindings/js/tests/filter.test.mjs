// The package as a program uses it: sets, many keys, files, whole filters, documents.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Checker, columnOf, Filter, FilterError, hashKeyFromSeed, kinds, load, loadCheck, model, plan, rootFile, version } from "./package.mjs";

test("nothing works before the module is loaded, and an error says so", () => {
    assert.throws(() => new Filter({ capacity: 10 }), /await load\(\)/);
    assert.throws(() => new Checker(new Uint8Array(100)), /await load\(\)/);
});

test("loading twice is loading once", async () => {
    await Promise.all([load(), load()]);
    await load();
    await loadCheck();
    assert.match(version(), /^\d+\.\d+\.\d+$/);
});

test("a filter is used like a Set", () => {
    const seen = new Filter({ capacity: 1000, fpr: 0.01 });
    assert.equal(seen.add("anna").has("anna"), true);
    assert.equal(seen.has("bert"), false);
    assert.equal(seen.delete("anna"), true);
    assert.equal(seen.delete("anna"), false);
    assert.equal(seen.has("anna"), false);
    assert.equal(seen.size, 0);
});

test("text is its UTF-8 bytes", () => {
    const seen = new Filter({ capacity: 100 });
    for (const key of ["", "Zoë", "🌸", "a".repeat(200_000), "\u0000", "lone \ud800 surrogate"]) {
        seen.add(key);
        assert.equal(seen.has(key), true);
        assert.equal(seen.has(new TextEncoder().encode(key)), true);
    }
});

test("numbers need a filter for numbers, and are whole", () => {
    const ids = new Filter({ capacity: 100, keys: "u64" });
    ids.add(42).add(2n ** 64n - 1n).add(0);
    assert.equal(ids.has(42n), true);
    assert.equal(ids.has(2n ** 64n - 1n), true);
    for (const wrong of [-1, 1.5, 2 ** 60, 2n ** 64n, "42", NaN, null, undefined]) assert.throws(() => ids.has(wrong), FilterError, String(wrong));
    for (const wrong of [42, 42n, null, undefined, {}, ["anna"]]) assert.throws(() => new Filter({ capacity: 10 }).add(wrong), FilterError);
});

test("many keys are the same as one by one, in every form", () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `key number ${i}`);
    const options = { capacity: 50_000, fpr: 0.01, hashKey: hashKeyFromSeed(1) };
    for (const kind of ["blocked", "quotient", "dleft"]) {
        const one = new Filter({ ...options, kind });
        for (const key of keys) one.add(key);
        for (const given of [keys, new Set(keys), columnOf(keys), keys.map((key) => new TextEncoder().encode(key)), (function* () { yield* keys; })()]) {
            const many = new Filter({ ...options, kind });
            assert.equal(many.addMany(given), keys.length);
            assert.ok(many.equals(one), kind);
            many.close();
        }
        assert.equal(one.countContained(keys), keys.length);
        assert.equal(one.hasMany(keys).reduce((a, b) => a + b, 0), keys.length);
    }
    const numbers = new Filter({ capacity: 50_000, keys: "u64", hash: "integer", hashKey: hashKeyFromSeed(1) });
    numbers.addMany(BigUint64Array.from({ length: 40_000 }, (_, i) => BigInt(i)));
    assert.equal(numbers.countContained(Array.from({ length: 40_000 }, (_, i) => i)), 40_000);
});

test("a key beyond the capacity is refused, with the reason", () => {
    const small = new Filter({ capacity: 4, fpr: 0.01, kind: "bloom" });
    const outcomes = [...small.insertMany(Array.from({ length: 100 }, (_, i) => `key ${i}`))];
    assert.ok(outcomes.includes(8));
    assert.throws(() => small.addMany(["one more", "and another"]), (error) => error.code === "no_room");
    assert.throws(() => small.add("and a third"), /capacity/);
});

test("all kinds are saved, loaded, and answered by the small module", () => {
    for (const { name } of kinds().filter((kind) => kind.capabilities.includes("insert"))) {
        const keys = Array.from({ length: 200 }, (_, i) => `${name} ${i}`);
        const filter = Filter.of(keys, { fpr: 0.01, kind: name });
        const bytes = filter.save();
        assert.ok(bytes instanceof Uint8Array);
        const again = Filter.load(bytes);
        assert.ok(again.equals(filter), name);
        assert.equal(again.identity, filter.identity);
        assert.equal(again.countContained(keys), 200);
        const checker = new Checker(bytes);
        const strangers = Array.from({ length: 500 }, (_, i) => `stranger ${i}`);
        for (const key of [...keys, ...strangers]) assert.equal(checker.has(key), filter.has(key), name);
        assert.equal(checker.capacity, filter.capacity);
    }
});

test("a filter that was built elsewhere answers in both modules", () => {
    const bytes = readFileSync(rootFile("tests/golden/fuse.eb"));
    const filter = Filter.load(bytes), checker = new Checker(bytes);
    assert.equal(filter.kind, "fuse");
    for (let i = 0; i < 200; ++i) assert.ok(filter.has(`key-${i}`) && checker.has(`key-${i}`));
    for (let i = 200; i < 1200; ++i) assert.equal(checker.has(`key-${i}`), filter.has(`key-${i}`));
    assert.deepEqual(filter.save(), new Uint8Array(bytes));
    assert.throws(() => filter.add("another"), FilterError);
});

test("whole filters: clone, merge, intersect, resize, clear, export", () => {
    const options = { capacity: 1000, fpr: 0.01, kind: "elastic_blocked", hashKey: hashKeyFromSeed(3) };
    const a = Filter.of(["anna", "bert"], options), b = Filter.of(["bert", "carla"], options);
    const both = a.clone();
    both.merge(b);
    assert.deepEqual([...both.hasMany(["anna", "bert", "carla", "dora"])], [1, 1, 1, 0]);
    both.intersect(b);
    assert.deepEqual([...both.hasMany(["bert", "carla"])], [1, 1]);
    assert.throws(() => a.merge(new Filter({ ...options, hashKey: hashKeyFromSeed(4) })), (error) => error.code === "mismatch");
    const growing = Filter.of(["anna"], { capacity: 100, kind: "quotient" });
    growing.resize({ capacity: 10_000 });
    assert.equal(growing.capacity, 10_000);
    assert.equal(growing.has("anna"), true);
    assert.equal(growing.export(0.01).has("anna"), true);
    assert.throws(() => Filter.of(["anna"], { kind: "bloom" }).export(0.01), (error) => error.code === "unsupported");
    growing.clear();
    assert.equal(growing.has("anna"), false);
});

test("kinds that store hashes verify a maybe", () => {
    const filter = Filter.of(Array.from({ length: 500 }, (_, i) => `member ${i}`), { kind: "elastic_blocked", fpr: 0.1 });
    const wrong = Array.from({ length: 500 }, (_, i) => `stranger ${i}`).filter((key) => filter.has(key));
    assert.ok(wrong.length > 5);
    assert.equal(wrong.filter((key) => filter.hasVerified(key)).length, 0);
    assert.equal(filter.hasVerified("member 7"), true);
    assert.throws(() => Filter.of(["anna"], { kind: "bloom" }).hasVerified("anna"), (error) => error.code === "unsupported");
});

test("known negatives", () => {
    const members = Array.from({ length: 300 }, (_, i) => `member ${i}`), negatives = Array.from({ length: 3000 }, (_, i) => `negative ${i}`);
    const bloom = Filter.of(members, { kind: "bloom", fpr: 0.05 });
    const before = bloom.countContained(negatives);
    const done = bloom.exclude(negatives);
    assert.deepEqual([done.negatives, done.falsePositivesBefore, done.membersLost], [3000, before, 0]);
    assert.equal(bloom.countContained(negatives), done.falsePositivesAfter);
    assert.equal(bloom.countContained(members), 300);
    bloom.dropExclusions();
    assert.equal(bloom.countContained(negatives), before);
    const yesNo = new Filter({ capacity: 300, fpr: 0.05, kind: "yes_no", negatives: 3000 });
    assert.throws(() => yesNo.protect(members, negatives), (error) => error.code === "mismatch"); // they must be in it
    yesNo.addMany(members);
    const own = yesNo.protect(members, negatives);
    assert.equal(yesNo.countContained(members), 300);
    assert.equal(yesNo.countContained(negatives), own.falsePositivesAfter);
});

test("following a list", () => {
    const monday = Array.from({ length: 500 }, (_, i) => `bad${i}.example`), tuesday = monday.slice(20).concat(Array.from({ length: 30 }, (_, i) => `new${i}.example`));
    const filter = Filter.of(monday, { kind: "quotient" });
    const done = filter.sync(monday, tuesday);
    assert.deepEqual([done.inserted, done.removed, done.undeletable, done.rebuilt, done.why], [30, 20, 0, false, ""]);
    assert.equal(filter.countContained(tuesday), tuesday.length);
    assert.equal(filter.size, tuesday.length);
});

test("documents and cells", () => {
    const filter = Filter.of(["anna", "bert"], { capacity: 100, kind: "counting", fpr: 0.01 });
    const about = filter.describe(), stats = filter.stats(), census = filter.census(10, 4);
    assert.equal(about.kind, "counting");
    assert.equal(stats.capacity, 100);
    const cells = filter.cells();
    assert.equal(cells.length, about.cells);
    assert.equal(cells.filter((value) => value !== 0).length, census.cells - census.values[0]);
    assert.deepEqual(filter.cells(5, 10), cells.slice(5, 15));
    assert.deepEqual(filter.cells(about.cells, 10), []);
    assert.equal(filter.count("anna"), 1);
    assert.equal(filter.canErase("anna"), "removed");
    assert.equal(filter.hashKey.length, 16);
});

test("the planner and the models", () => {
    const ranked = plan({ capacity: "1M", fpr: "0.1%", removed: 0.3 });
    assert.ok(ranked.candidates.length > 3 && ranked.dropped.length > 1);
    const predicted = model({ kind: "bloom", parameters: { bits: 65536, hashes: 4 }, items: 6000 });
    assert.ok(Math.abs(predicted.fpr - 0.0088) < 1e-4 && predicted.bytes === 8192);
    assert.equal(kinds().length, 19);
});

test("different keys give different filters, and a random key is the default", () => {
    assert.notDeepEqual(new Filter({ capacity: 10 }).hashKey, new Filter({ capacity: 10 }).hashKey);
    assert.deepEqual([...hashKeyFromSeed(258)].slice(0, 3), [2, 1, 0]);
});
