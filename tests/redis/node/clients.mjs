// node-redis, as it is, against the module: its own methods for BF and CF, in RESP3 and RESP2.
//
//     node clients.mjs PORT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package is installed outside of the source tree.
const require = createRequire(join(process.env.EVERBLOOM_NODE_REDIS, "package.json"));
const { createClient, RESP_TYPES } = require("redis");

const plain = (value) => JSON.parse(JSON.stringify(value)); // an object without a prototype is not "deep equal" to one with

async function bloom(client, resp) {
    assert.equal(await client.bf.reserve("f", 0.01, 1000), "OK");
    assert.equal(await client.bf.reserve("g", 0.01, 1000, { EXPANSION: 4 }), "OK");
    assert.equal(await client.bf.reserve("h", 0.01, 1000, { NONSCALING: true }), "OK");
    await assert.rejects(client.bf.reserve("f", 0.01, 1000), /item exists/);
    // Truth values, not numbers: in RESP3 the client passes them through.
    assert.equal(await client.bf.add("f", "a"), true);
    assert.equal(await client.bf.add("f", "a"), false);
    assert.deepEqual(await client.bf.mAdd("f", ["a", "b"]), [false, true]);
    assert.deepEqual(await client.bf.insert("i", ["a", "b"], { CAPACITY: 500, ERROR: 0.001, EXPANSION: 2 }), [true, true]);
    await assert.rejects(client.bf.insert("none", ["a"], { NOCREATE: true }), /not found/);
    assert.equal(await client.bf.exists("f", "b"), true);
    assert.equal(await client.bf.exists("none", "b"), false);
    assert.deepEqual(await client.bf.mExists("f", ["b", "none"]), [true, false]);
    assert.equal(await client.bf.card("f"), 2);
    assert.equal(await client.bf.card("none"), 0);
    const { Size: size, ...info } = plain(await client.bf.info("f"));
    assert.ok(Number.isInteger(size) && size > 0);
    assert.deepEqual(info, { Capacity: 1000, "Number of filters": 1, "Number of items inserted": 2, "Expansion rate": 2 });
    assert.equal((await client.bf.info("h"))["Expansion rate"], null);
    await assert.rejects(client.bf.info("none"), /not found/);
    const one = await client.sendCommand(["BF.INFO", "f", "ITEMS"]);
    assert.deepEqual(plain(one), resp === 3 ? { "Number of items inserted": 2 } : [2]);
}

async function cuckoo(client, resp) {
    assert.equal(await client.cf.reserve("c", 1000, { BUCKETSIZE: 4, MAXITERATIONS: 10, EXPANSION: 2 }), "OK");
    assert.equal(await client.cf.add("c", "a"), true);
    assert.equal(await client.cf.addNX("c", "a"), false);
    assert.deepEqual(await client.cf.insert("c", ["a", "b"]), [true, true]);
    // The one reply that stays a number in RESP3, where the client passes it through; in RESP2 it makes a truth value of it.
    const inserted = await client.sendCommand(["CF.INSERTNX", "c", "ITEMS", "a", "c"]);
    assert.deepEqual(inserted, [0, 1]);
    await client.cf.reserve("full", 4, { EXPANSION: 0 });
    assert.deepEqual(await client.cf.insert("full", [..."abcde"]), [true, true, true, true, false]);
    assert.deepEqual(await client.sendCommand(["CF.INSERTNX", "full", "ITEMS", "a", "z"]), [0, -1]);
    assert.equal(await client.cf.count("c", "a"), 2);
    assert.equal(await client.cf.exists("c", "c"), true);
    assert.equal(await client.cf.del("c", "c"), true);
    assert.equal(await client.cf.exists("c", "c"), false);
    await assert.rejects(client.cf.del("none", "c"), /Not found/);
    const { Size: size, "Number of buckets": buckets, ...info } = plain(await client.cf.info("c"));
    assert.ok(size > 0 && buckets > 0);
    assert.deepEqual(info, {
        "Number of filters": 1, "Number of items inserted": 3, "Number of items deleted": 1, "Bucket size": 4, "Expansion rate": 2,
        "Max iterations": 10,
    });
    void resp;
}

async function dumps(client) {
    const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    const items = Array.from({ length: 3000 }, (_, i) => `key${i}`);
    await client.bf.insert("from", items);
    await client.cf.insert("cfrom", items);
    for (const [family, from, end] of [["bf", "from", 0], ["cf", "cfrom", null]]) {
        for (let iterator = 0; ; ) {
            const reply = await binary[family].scanDump(from, iterator);
            if (reply.iterator === 0) {
                assert.equal(end === null ? reply.chunk : reply.chunk.length, end);
                break;
            }
            assert.equal(await client[family].loadChunk(`${from}2`, reply.iterator, reply.chunk), "OK");
            iterator = reply.iterator;
        }
    }
    assert.ok((await client.bf.mExists("from2", items)).every((one) => one === true));
    assert.equal(await client.cf.exists("cfrom2", "key17"), true);
}

async function ours(client, resp) {
    assert.equal(await client.sendCommand(["BF.RESERVE", "d", "0.01", "100", "DELETABLE"]), "OK");
    await client.bf.mAdd("d", ["a", "b"]);
    const yes = resp === 3 ? true : 1;
    assert.deepEqual(await client.sendCommand(["BF.DEL", "d", "a"]), yes);
    assert.deepEqual(plain(await client.multi().bf.add("d", "c").bf.exists("d", "b").exec()), [true, true]);
    const stats = await client.sendCommand(["BF.STATS", "d"]);
    if (resp === 3) assert.equal(stats["Target error rate"], 0.01);
}

const port = Number(process.argv[2]);
for (const resp of [3, 2]) {
    const client = createClient({ socket: { host: "127.0.0.1", port, reconnectStrategy: false }, RESP: resp });
    await client.connect();
    await client.flushAll();
    for (const part of [bloom, cuckoo, dumps, ours]) {
        try {
            await part(client, resp);
        } catch (error) {
            console.error(`RESP${resp}, ${part.name}:`, error);
            process.exit(1);
        }
    }
    client.destroy();
    console.log(`RESP${resp}: ok`);
}
