// instance: the one module that the package works with, once it is loaded.
import { FilterError, Module, type ModuleSource } from "./module.js";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads from `source`, once: later calls wait for the first one. A failure may be tried again. */
export async function loadFrom(source: ModuleSource): Promise<void> {
    if (loaded) return;
    loading ??= Module.instantiate(source);
    try {
        loaded = await loading;
    } catch (error) {
        loading = undefined;
        throw error;
    }
}

export function current(): Module {
    if (!loaded) throw new FilterError("bad_parameter", "the module is not loaded yet; call `await load()` first");
    return loaded;
}
