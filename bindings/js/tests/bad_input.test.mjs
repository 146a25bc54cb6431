// Wrong options, damaged files, exhausted memory: an error with a sentence, and the module works afterwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Checker, Filter, FilterError, hashKeyFromSeed, kinds, load, loadCheck, model, plan } from "./package.mjs";

await Promise.all([load(), loadCheck()]);
const stillWorks = () => assert.equal(new Filter({ capacity: 10 }).add("anna").has("anna"), true);

test("options that make no sense", () => {
    for (const wrong of [
        { capacity: 0 }, { capacity: -1 }, { capacity: 1.5 }, { capacity: "many" }, {}, { capacity: 10, fpr: 0 }, { capacity: 10, fpr: 1 }, { capacity: 10, fpr: NaN },
        { capacity: 10, kind: "blom" }, { capacity: 10, keys: "words" }, { capacity: 10, hash: "md5" }, { capacity: 10, hashKey: new Uint8Array(15) },
        { capacity: 10, kind: "bloom", parameters: { bits: "x" } }, { capacity: 10, kind: "bloom", parameters: { wheels: 4 } }, { capacity: 10, growth: -2 },
    ]) {
        assert.throws(() => new Filter(wrong), (error) => error instanceof FilterError && error.code === "bad_parameter" && error.message.length > 10, JSON.stringify(wrong));
    }
    assert.throws(() => plan({ capacity: 10, colour: "red" }), FilterError);
    assert.throws(() => model({ kind: "bloom" }), FilterError);
    stillWorks();
});

test("a filter too large for the memory of a browser is refused, and nothing breaks", () => {
    for (const kind of kinds()) {
        for (const capacity of [10 ** 12, 2 ** 53 - 1]) {
            assert.throws(() => new Filter({ capacity, fpr: 1e-6, kind: kind.name }), (error) => error instanceof FilterError, kind.name);
        }
    }
    stillWorks();
    // Growing into the limit of the memory: an error, or room; never a crash.
    const held = [];
    assert.throws(() => {
        for (let i = 0; i < 40; ++i) held.push(new Filter({ capacity: 250_000_000, fpr: 0.01, kind: "blocked" }));
    }, (error) => error.code === "out_of_memory");
    for (const one of held) one.close();
    stillWorks();
});

test("files that are damaged, cut off, or something else", () => {
    for (const { name } of kinds().filter((kind) => kind.capabilities.includes("insert"))) {
        const bytes = Filter.of(Array.from({ length: 100 }, (_, i) => `key ${i}`), { kind: name, hashKey: hashKeyFromSeed(1) }).save();
        for (const open of [(given) => Filter.load(given), (given) => new Checker(given)]) {
            for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 41))) {
                const damaged = bytes.slice();
                damaged[at] ^= 0x10;
                assert.throws(() => open(damaged), (error) => error instanceof FilterError && error.code !== "internal", `${name}, byte ${at}`);
                assert.throws(() => open(bytes.subarray(0, at)), FilterError);
            }
            assert.throws(() => open(new Uint8Array([...bytes, 0])), FilterError);
        }
    }
    assert.throws(() => Filter.load(new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0])), /gzip/);
    assert.throws(() => Filter.load(new Uint8Array(0)), FilterError);
    stillWorks();
});

test(".bloom files: a good one, and hostile ones", () => {
    const make = (fields, words = 2, rest = 0) => {
        const bytes = new Uint8Array(48 + 8 * words + rest), view = new DataView(bytes.buffer);
        const { flags = 1n, n = 10n, p = 0.01, k = 7n, m = 96n, N = 0n } = fields;
        [flags, n].forEach((value, i) => view.setBigUint64(8 * i, value, true));
        view.setFloat64(16, p, true);
        [k, m, N].forEach((value, i) => view.setBigUint64(24 + 8 * i, value, true));
        return bytes;
    };
    const good = Filter.loadDcso(make({}));
    assert.equal(good.kind, "bloom");
    assert.equal(good.hash, "dcso");
    assert.equal(good.has("anna"), false);
    for (const fields of [{ flags: 2n }, { k: 0n }, { k: 2n ** 63n }, { m: 0n }, { m: 2n ** 62n }, { m: 1000n }, { p: NaN }, { p: -1 }, { n: 2n ** 64n - 1n, m: 2n ** 64n - 1n }]) {
        assert.throws(() => Filter.loadDcso(make(fields)), FilterError, JSON.stringify(fields, (_, value) => String(value)));
    }
    for (let length = 0; length < 64; ++length) assert.throws(() => Filter.loadDcso(make({}).subarray(0, length)), FilterError);
    stillWorks();
});

test("a closed filter says that it is closed", () => {
    const filter = new Filter({ capacity: 10 });
    filter.close();
    filter.close();
    for (const use of [() => filter.has("a"), () => filter.add("a"), () => filter.save(), () => filter.stats(), () => filter.kind]) assert.throws(use, /closed/);
});

test("a kind that cannot do it says so", () => {
    const bloom = Filter.of(["anna"], { kind: "bloom" });
    assert.throws(() => bloom.delete("anna"), (error) => error.code === "unsupported");
    assert.equal(bloom.erase("anna"), "unsupported");
    assert.throws(() => bloom.resize({ capacity: 1000 }), (error) => error.code === "unsupported");
    assert.throws(() => bloom.count("anna"), (error) => error.code === "unsupported");
    assert.throws(() => bloom.protect(["anna"], ["bert"]), (error) => error.code === "unsupported");
});

test("memory is given back", () => {
    const before = Filter.of(["anna"]).memoryBytes;
    assert.ok(before > 0);
    // 3 GB in turn: without giving back, this would not fit into the module.
    for (let i = 0; i < 24; ++i) new Filter({ capacity: 80_000_000, fpr: 0.005, kind: "blocked" }).close();
    stillWorks();
});

test("offsets of a column that lie outside, or fall, are refused", () => {
    const filter = new Filter({ capacity: 100 });
    const data = new TextEncoder().encode("annabert");
    for (const offsets of [[0, 4, 9], [-1, 4], [0, 8, 4], [4, 2]]) assert.throws(() => filter.addMany({ data, offsets: Int32Array.from(offsets) }), FilterError, String(offsets));
    assert.equal(filter.addMany({ data, offsets: Int32Array.from([0, 4, 8]) }), 2);
    assert.equal(filter.addMany({ data, offsets: Int32Array.from([]) }), 0);
    assert.ok(filter.has("anna") && filter.has("bert"));
    assert.throws(() => filter.addMany("anna"), FilterError);
});
