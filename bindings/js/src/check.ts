// everbloom/check: loads filters and asks them, and does nothing else, in a fraction of the bytes.
import { keyFromText, keyTypes, u64, withKey, type Key, type KeyType } from "./keys.js";
import { FilterError, Module, type ModuleSource } from "./module.js";

export { FilterError, type ErrorCode, type ModuleSource } from "./module.js";
export type { Key, KeyType } from "./keys.js";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the WebAssembly module, once. Without an argument it is the file beside this script. */
export async function load(source: ModuleSource = new URL("./everbloom-check.wasm", import.meta.url)): Promise<void> {
    if (loaded) return;
    loading ??= Module.instantiate(source);
    try {
        loaded = await loading;
    } catch (error) {
        loading = undefined;
        throw error;
    }
}

const forgotten = new FinalizationRegistry<{ module: Module; at: number }>(({ module, at }) => module.call["eb_free"]!(at));

/** A filter from the bytes of a file, of any kind, read-only. Every byte is checked. */
export class Checker {
    readonly #module: Module;
    readonly #type: KeyType;
    #at: number;

    constructor(bytes: Uint8Array) {
        if (!loaded) throw new FilterError("bad_parameter", "the module is not loaded yet; call `await load()` first");
        const module = loaded;
        this.#module = module;
        this.#at = module.pointer(module.withBytes(bytes, (at) => module.call["eb_read_memory"]!(at, bytes.length, module.errorAt) as number));
        this.#type = keyTypes[module.call["eb_key_type_of"]!(this.#at) as number]!;
        forgotten.register(this, { module, at: this.#at }, this);
    }

    /** False: certainly not in it. True: maybe. */
    has(key: Key): boolean {
        const module = this.#module;
        if (this.#at === 0) throw new FilterError("bad_parameter", "this filter is closed");
        const found =
            this.#type === "u64"
                ? (module.call["eb_query_u64"]!(this.#at, u64(key, "a key of this filter")) as number)
                : withKey(module, key, (at, bytes) => module.call["eb_query_bytes"]!(this.#at, at, bytes) as number);
        if (found < 0) throw new FilterError("bad_parameter", "this is no key for this filter");
        return found === 1;
    }
    /** A key of this filter's type from its text, as the command line reads it. */
    keyFromText(text: string): Key {
        return keyFromText(this.#module, this.#type, text);
    }
    get kind(): string {
        return this.#module.text(this.#module.call["eb_kind"]!(this.#at) as number);
    }
    get keyType(): KeyType {
        return this.#type;
    }
    get capacity(): number {
        return Number(this.#module.call["eb_capacity"]!(this.#at) as bigint);
    }
    get targetFpr(): number {
        return this.#module.call["eb_target_fpr"]!(this.#at) as number;
    }
    /** Frees the memory now; later calls fail. */
    close(): void {
        if (this.#at === 0) return;
        forgotten.unregister(this);
        this.#module.call["eb_free"]!(this.#at);
        this.#at = 0;
    }
}
