// The native command line, for comparison: what the page shows must be what it prints.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = process.env["EVERBLOOM_CLI"];
if (!program) throw new Error("EVERBLOOM_CLI must name the native program");

/** A folder for the files of one test. */
export function folder(context) {
    const made = mkdtempSync(join(tmpdir(), "everbloom-web-"));
    context.after(() => rmSync(made, { recursive: true, force: true }));
    return { path: (name) => join(made, name), write: (name, contents) => { writeFileSync(join(made, name), contents); return join(made, name); } };
}
export function native(...given) {
    return execFileSync(program, given, { encoding: "utf8", timeout: 60_000, maxBuffer: 2 ** 26, stdio: ["ignore", "pipe", "pipe"] });
}
/** Exit status 1 means "none found"; the document is there all the same. */
export function nativeJson(...given) {
    try {
        return JSON.parse(native(...given, "--json"));
    } catch (error) {
        if (error.status === 1 && error.stdout) return JSON.parse(error.stdout);
        throw error;
    }
}
/** Exit status 1 means "not found" for check, as for grep. */
export function nativeCheck(filter, keys) {
    try {
        return native("check", filter, keys).split("\n").filter((line) => line !== "");
    } catch (error) {
        if (error.status === 1) return [];
        throw error;
    }
}
