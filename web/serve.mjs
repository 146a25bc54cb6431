// Serves a folder on the loopback interface: node web/serve.mjs DIR [PORT]. Prints the address; ends with Ctrl+C.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, normalize, resolve, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { pathToFileURL } from "node:url";

const types = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", wasm: "application/wasm" };

/** A server for the folder; `address` is where it listens. */
export async function serve(folder, port = 0) {
    const root = resolve(folder);
    const server = createServer(async (request, response) => {
        try {
            const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
            const file = join(root, normalize(path === "/" ? "/index.html" : path));
            if (!file.startsWith(root + sep) || !["GET", "HEAD"].includes(request.method)) throw new Error("refused");
            const bytes = await readFile(file);
            const zip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
            response.writeHead(200, {
                "content-type": types[file.split(".").pop()] ?? "application/octet-stream", "x-content-type-options": "nosniff", "cache-control": "no-cache",
                ...(zip ? { "content-encoding": "gzip" } : {}),
            });
            response.end(request.method === "HEAD" ? undefined : zip ? gzipSync(bytes) : bytes);
        } catch {
            response.writeHead(404, { "content-type": "text/plain" });
            response.end("not found\n");
        }
    });
    await new Promise((done, failed) => {
        server.once("error", failed);
        server.listen(port, "127.0.0.1", done);
    });
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
    const [folder, port = "8080"] = process.argv.slice(2);
    let served;
    try {
        served = await serve(folder, Number(port));
    } catch (error) {
        if (error.code !== "EADDRINUSE") throw error;
        served = await serve(folder, 0); // somebody has that one already
    }
    console.log(`everbloom: the page is at ${served.address} (end it with Ctrl+C)`);
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => served.close().then(() => process.exit(0)));
}
