// The vector file: the same answers as in C++, C, Python and on the command line (docs/format.md#vectors).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { crc32 } from "./crc32.mjs";
import { Checker, Filter, hashKeyFromSeed, load, loadCheck, rootFile } from "./package.mjs";

await Promise.all([load(), loadCheck()]);

const keys = new Map(), filters = [];
for (const line of readFileSync(rootFile("tests/vectors/answers.txt"), "utf8").split("\n")) {
    if (line.startsWith("key ")) {
        const [, type, role, digits] = line.split(" ");
        const spelling = line.split(" ").slice(4).join(" ");
        const bytes = digits === "-" ? new Uint8Array(0) : Uint8Array.from(digits.match(/../g), (two) => parseInt(two, 16));
        const name = `${type} ${role}`;
        keys.set(name, [...(keys.get(name) ?? []), { bytes, spelling }]);
    } else if (line.startsWith("filter ")) filters.push(line.split(" ").slice(1));
}
const numberOf = (bytes) => new DataView(bytes.buffer).getBigUint64(0, true);
/** As a program has them. */
const keysOf = (type, role) => keys.get(`${type} ${role}`).map((one) => (type === "u64" ? numberOf(one.bytes) : one.bytes));

test("there are vectors for every kind", () => {
    assert.ok(filters.length > 100);
    assert.ok(new Set(filters.map((one) => one[0])).size >= 18);
});

for (const kind of new Set(filters.map((one) => one[0]))) {
    test(`${kind}: outcomes, answers and files are those of the other doors`, () => {
        for (const [, hash, type, capacity, fpr, seed, inserted, erased, answers, length, crc] of filters.filter((one) => one[0] === kind)) {
            const what = `${kind} ${hash} ${type}`;
            const members = keysOf(type, "member"), all = [...members, ...keysOf(type, "absent")];
            for (const way of ["one by one", "many", "as texts"]) {
                const filter = new Filter({ kind, hash, keys: type, capacity: Number(capacity), fpr: Number(fpr), hashKey: hashKeyFromSeed(Number(seed)) });
                const given = way === "as texts" ? keys.get(`${type} member`).map((one) => filter.keyFromText(one.spelling)) : members;
                const outcomes = way === "one by one" ? given.map((key) => names.indexOf(filter.insert(key))) : [...filter.insertMany(given)];
                assert.equal(outcomes.map((one) => one.toString(16)).join(""), inserted, `${what} ${way}`);
                if (erased !== "-") {
                    const gone = given.filter((_, i) => i % 4 === 0);
                    const removed = way === "one by one" ? gone.map((key) => removals.indexOf(filter.erase(key))) : [...filter.eraseMany(gone)];
                    assert.equal(removed.join(""), erased, `${what} ${way}`);
                }
                const found = way === "one by one" ? all.map((key) => Number(filter.has(key))) : [...filter.hasMany(all)];
                assert.equal(found.join(""), answers, `${what} ${way}`);
                const file = filter.save();
                assert.equal(file.length, Number(length), `${what} ${way}`);
                assert.equal(crc32(file).toString(16).padStart(8, "0"), crc.padStart(8, "0"), `${what} ${way}`);
                if (way !== "many") continue;
                // The small module answers from the file.
                const checker = new Checker(file);
                assert.equal(checker.kind, kind);
                assert.equal(checker.keyType, type);
                assert.equal(all.map((key) => Number(checker.has(key))).join(""), answers, `${what}, everbloom/check`);
                checker.close();
                filter.close();
            }
        }
    });
}

import { eraseOutcomes as removals, insertOutcomes as names } from "./package.mjs";
