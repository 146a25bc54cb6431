// everbloom: membership filters for sets that change, in browsers and in node.
import { loadFrom, type ModuleSource } from "./api.js";

export * from "./api.js";

/**
 * Loads the WebAssembly module, once; everything else needs it. Without an argument it is the file beside this script.
 *
 *     import { load, Filter } from "everbloom";
 *     await load();
 */
export function load(source: ModuleSource = new URL("./everbloom.wasm", import.meta.url)): Promise<void> {
    return loadFrom(source);
}
