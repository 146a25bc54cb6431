// Builds the npm package and the page from the modules that CMake has made. tools/web calls it.
//
//   node web/build.mjs package DIR     the package, ready for `npm pack`
//   node web/build.mjs page DIR        the page: index.html, page.css, page.js, everbloom.wasm, everbloom-module.js (for file://)
//
// EVERBLOOM_WASM is the folder of the modules, EVERBLOOM_NODE_MODULES that of esbuild.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url)), root = dirname(here);
const wasm = process.env["EVERBLOOM_WASM"], modules = process.env["EVERBLOOM_NODE_MODULES"];
const [what, folder] = process.argv.slice(2);
if (!wasm || !modules || !folder || !["package", "page"].includes(what)) {
    console.error("usage: EVERBLOOM_WASM=DIR EVERBLOOM_NODE_MODULES=DIR node web/build.mjs package|page DIR");
    process.exit(64);
}
const esbuild = createRequire(join(modules, "index.js"))("esbuild");
// Paths below the project, whatever folder this is run from: the package names its sources, and is to have the same bytes everywhere.
const out = resolve(folder);
const common = { absWorkingDir: root, bundle: true, minify: true, target: "es2022", logLevel: "warning", legalComments: "none", charset: "utf8" };

async function makePackage() {
    const source = join(root, "bindings/js");
    mkdirSync(join(out, "dist"), { recursive: true });
    // The name of this file changes with its contents: that of an earlier build would stay and be shipped.
    for (const name of readdirSync(join(out, "dist")).filter((one) => /^common-.*\.js$/.test(one))) rmSync(join(out, "dist", name));
    await esbuild.build({ ...common, minify: false, format: "esm", splitting: true, chunkNames: "common-[hash]", entryPoints: [join(source, "src/index.ts"), join(source, "src/check.ts")], outdir: join(out, "dist") });
    for (const name of ["everbloom.wasm", "everbloom-check.wasm"]) copyFileSync(join(wasm, name), join(out, "dist", name));
    for (const name of ["package.json", "README.md"]) copyFileSync(join(source, name), join(out, name));
    cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
}

async function makePage() {
    mkdirSync(out, { recursive: true });
    await esbuild.build({ ...common, format: "iife", loader: { ".graphml": "text" }, entryPoints: [join(here, "src/main.ts")], outfile: join(out, "page.js") });
    await esbuild.build({ ...common, entryPoints: [join(here, "page.css")], outfile: join(out, "page.css") });
    copyFileSync(join(here, "index.html"), join(out, "index.html"));
    const module = readFileSync(join(wasm, "everbloom.wasm"));
    writeFileSync(join(out, "everbloom.wasm"), module);
    writeFileSync(join(out, "everbloom-module.js"), `globalThis.everbloomModule="${module.toString("base64")}";\n`);
}

await (what === "package" ? makePackage() : makePage());
for (const name of what === "package" ? ["dist/everbloom.wasm", "dist/everbloom-check.wasm", "dist/index.js"] : ["index.html", "page.css", "page.js", "everbloom.wasm"]) {
    const bytes = readFileSync(join(out, name));
    console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
}
