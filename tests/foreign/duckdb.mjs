// Our Parquet Bloom filters beside DuckDB's, both ways: those of a Parquet file that DuckDB wrote answer in our program as in DuckDB, the
// same keys give the same bytes here, and DuckDB asks a filter of ours in the place of its own.
//
//   node duckdb.mjs CLI MODULES        MODULES: the folder that tests/foreign/install filled; works in the current folder
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [cli, modules] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.resolve(modules) + '/')('@duckdb/node-api');

function everbloom(words, input = '') {
    const ran = spawnSync(cli, words, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
    assert.ok(ran.status === 0 || ran.status === 1, `everbloom ${words.join(' ')}: ${ran.stderr}`);
    return ran.stdout;
}
const lines = (texts) => texts.map((text) => text + '\n').join('');

const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
const query = async (sql) => (await connection.runAndReadAll(sql)).getRowObjects();

const count = 500;
const columns = [
    { name: 'name', sql: "'key' || (i % 500)", type: 'text', key: (i) => `key${i}`, literal: (key) => `'${key}'` },
    { name: 'num', sql: '(i % 500)::BIGINT', type: 'u64', key: (i) => `${i}`, literal: (key) => `${key}::BIGINT` },
];

// DuckDB writes the filter of a column with a dictionary. One row group, so that there is one filter per column.
await connection.run(
    `COPY (SELECT ${columns.map((column) => `${column.sql} AS ${column.name}`).join(', ')} FROM range(20000) t(i))
     TO 'theirs.parquet' (FORMAT parquet, ROW_GROUP_SIZE 20000, BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01)`,
);
const places = await query(
    "SELECT path_in_schema AS name, bloom_filter_offset AS at, bloom_filter_length AS bytes FROM parquet_metadata('theirs.parquet')",
);
const file = fs.readFileSync('theirs.parquet');

/// Which of the keys DuckDB does not exclude by the filter of a column.
async function asked(parquet, column, keys) {
    const found = [];
    for (const key of keys) {
        const [answer] = await query(`SELECT * FROM parquet_bloom_probe('${parquet}', '${column.name}', ${column.literal(key)})`);
        if (!answer.bloom_filter_excludes) found.push(key);
    }
    return found;
}

for (const column of columns) {
    const place = places.find((one) => one.name === column.name);
    const [at, bytes] = [Number(place.at), Number(place.bytes)];
    const blob = file.subarray(at, at + bytes);
    const type = ['--key-type', column.type];
    fs.writeFileSync('theirs.blob', blob);

    // Theirs in our program: recognised by its content, no member is missed, and absent keys get the answers of DuckDB.
    const members = Array.from({ length: count }, (_, i) => column.key(i));
    const shown = JSON.parse(everbloom(['show', 'theirs.blob', '--json']));
    assert.equal(shown.kind, 'parquet');
    assert.ok(Math.abs(shown.items - count) < 40, `about ${shown.items} keys`);
    assert.equal(everbloom(['check', 'theirs.blob', ...type], lines(members)), lines(members));
    const absent = Array.from({ length: 400 }, (_, i) => column.key(100000 + i));
    const theirs = await asked('theirs.parquet', column, absent);
    assert.equal(everbloom(['check', 'theirs.blob', ...type], lines(absent)), lines(theirs));

    // The same keys give the same bytes, and others of the same size, in the place of theirs, give DuckDB our answers.
    everbloom(['convert', '-', 'same.sbbf', '--force', '--quiet', '--fpr', '1%', ...type], lines(members));
    assert.ok(fs.readFileSync('same.sbbf').equals(blob), `${column.name}: the same keys give other bytes than DuckDB's`);
    const others = Array.from({ length: count }, (_, i) => column.key(200000 + i));
    everbloom(['convert', '-', 'ours.sbbf', '--force', '--quiet', '--fpr', '1%', ...type], lines(others));
    const ours = fs.readFileSync('ours.sbbf');
    assert.equal(ours.length, bytes);
    const patched = Buffer.from(file);
    ours.copy(patched, at);
    fs.writeFileSync('patched.parquet', patched);
    assert.deepEqual(await asked('patched.parquet', column, others), others);
    assert.equal(everbloom(['check', 'ours.sbbf', ...type], lines(members)), lines(await asked('patched.parquet', column, members)));
}
console.log(`DuckDB ${(await query('SELECT version() AS v'))[0].v}: ${columns.length} columns, both ways`);
