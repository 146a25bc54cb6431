// module: a WebAssembly module of everbloom, its memory, and how JavaScript and C exchange text, bytes and errors.
//
// The modules are built without emscripten's JavaScript (cmake/wasm.cmake). What they import of a system is below: random bytes, and a
// few functions of files that nothing in here calls. Views of the memory are made anew at every use, because it may have moved.

/** What an operation failed of, as in everbloom.h: "bad_parameter", "damaged", "out_of_memory" and so on. */
export type ErrorCode =
    | "bad_parameter" | "unsupported" | "mismatch" | "damaged" | "out_of_memory" | "input_output" | "busy" | "no_room"
    | "not_durable" | "internal";

/** An error of the library: a code for the program, and a sentence for a person. */
export class FilterError extends Error {
    readonly code: ErrorCode;
    constructor(code: ErrorCode, sentence: string) {
        super(sentence);
        this.name = "FilterError";
        this.code = code;
    }
}

/** Where a module comes from: its bytes, a response, a compiled module, or an address. */
export type ModuleSource = BufferSource | Response | Promise<Response> | WebAssembly.Module | URL | string;

type Export = (...values: (number | bigint)[]) => any; // eslint-disable-line @typescript-eslint/no-explicit-any

const ERROR_BYTES = 512;
const SCRATCH_BYTES = 65536;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The functions of a system that the modules import. `memory` is known only after they are instantiated. */
function system(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
    const notThere = 52; // ENOSYS of WASI
    return new Proxy<WebAssembly.ModuleImports>(
        {
            getentropy(into: number, bytes: number): number {
                globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, into, bytes));
                return 0;
            },
            random_get(into: number, bytes: number): number {
                globalThis.crypto.getRandomValues(new Uint8Array(memory().buffer, into, bytes));
                return 0;
            },
            emscripten_notify_memory_growth(): void {},
            proc_exit(status: number): never {
                throw new FilterError("internal", `the module stopped with status ${status}`);
            },
            abort(): never {
                throw new FilterError("internal", "the module stopped");
            },
        },
        { get: (known, name) => known[name as string] ?? (() => notThere) },
    );
}

/** An instance with its memory. */
export class Module {
    readonly call: Record<string, Export>;
    private readonly memory: WebAssembly.Memory;
    private readonly error: number;
    private readonly scratch: number;

    private constructor(instance: WebAssembly.Instance) {
        this.call = instance.exports as unknown as Record<string, Export>;
        this.memory = instance.exports["memory"] as WebAssembly.Memory;
        this.call["_initialize"]?.();
        this.error = this.call["malloc"]!(ERROR_BYTES) as number;
        this.scratch = this.call["malloc"]!(SCRATCH_BYTES) as number;
    }

    static async instantiate(source: ModuleSource): Promise<Module> {
        let memory: WebAssembly.Memory | undefined;
        const functions = system(() => memory!);
        const imports = { env: functions, wasi_snapshot_preview1: functions };
        const compiled = await compile(source);
        const instance = await WebAssembly.instantiate(compiled, imports);
        memory = instance.exports["memory"] as WebAssembly.Memory;
        return new Module(instance);
    }

    /** All of the memory, until the next call. */
    get bytes(): Uint8Array {
        return new Uint8Array(this.memory.buffer);
    }
    get view(): DataView {
        return new DataView(this.memory.buffer);
    }

    /** Memory for the time of `use`. */
    with<Result>(bytes: number, use: (at: number) => Result): Result {
        if (bytes <= SCRATCH_BYTES / 2 && !this.scratchInUse) {
            this.scratchInUse = true;
            try {
                return use(this.scratch);
            } finally {
                this.scratchInUse = false;
            }
        }
        const at = this.call["malloc"]!(Math.max(bytes, 1)) as number;
        if (at === 0) throw new FilterError("out_of_memory", `no memory for ${bytes} bytes`);
        try {
            return use(at >>> 0);
        } finally {
            this.call["free"]!(at);
        }
    }
    private scratchInUse = false;

    /** These bytes in the memory of the module, for the time of `use`. */
    withBytes<Result>(given: Uint8Array, use: (at: number) => Result): Result {
        return this.with(given.length, (at) => {
            this.bytes.set(given, at);
            return use(at);
        });
    }
    /** A NUL-terminated text; 0 for none. */
    withText<Result>(text: string | null | undefined, use: (at: number) => Result): Result {
        if (text === null || text === undefined) return use(0);
        return this.withBytes(encoder.encode(text + "\0"), use);
    }
    /** The UTF-8 bytes of a text, written where they are needed, without a copy in between. */
    withUtf8<Result>(text: string, use: (at: number, bytes: number) => Result): Result {
        return this.with(3 * text.length, (at) => {
            const { written } = encoder.encodeInto(text, new Uint8Array(this.memory.buffer, at, 3 * text.length));
            return use(at, written);
        });
    }

    text(at: number): string {
        const bytes = this.bytes;
        return decoder.decode(bytes.slice(at, bytes.indexOf(0, at)));
    }

    /** The address of the one eb_error, for functions that take one. */
    get errorAt(): number {
        return this.error;
    }
    /** The error that the last call left there. */
    failure(): FilterError {
        const code = this.view.getInt32(this.error, true);
        return new FilterError(this.text(this.call["eb_code_name"]!(code) as number) as ErrorCode, this.text(this.error + 4));
    }
    /** For functions that return a pointer, a code, or a number that is negative after an error. */
    pointer(made: number): number {
        if (made === 0) throw this.failure();
        return made >>> 0;
    }
    check(code: number): void {
        if (code !== 0) throw this.failure();
    }
    number(found: number | bigint): number {
        if (found < 0) throw this.failure();
        return Number(found);
    }

    /** A document, written in the manner of snprintf. */
    document(write: (buffer: number, size: number) => number | bigint, room = 16384): unknown {
        const text = this.with(room, (at) => {
            const length = this.number(write(at, room));
            return length < room ? decoder.decode(this.bytes.slice(at, at + length)) : length;
        });
        return typeof text === "string" ? JSON.parse(text) : this.document(write, text + 1);
    }
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
    if (typeof WebAssembly !== "object") {
        throw new FilterError("unsupported", "this browser has no WebAssembly, or it is switched off");
    }
    if (source instanceof WebAssembly.Module) return source;
    if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) return WebAssembly.compile(source);
    if (typeof source === "string" || source instanceof URL) {
        const address = new URL(source, (globalThis as { location?: { href: string } }).location?.href);
        if (address.protocol === "file:" && "process" in globalThis) {
            const name = "node:fs/promises"; // not seen by bundlers for browsers
            const { readFile } = (await import(/* @vite-ignore */ name)) as { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> };
            return WebAssembly.compile(await readFile(address));
        }
        return compile(fetch(address));
    }
    const response = await source;
    if (!response.ok) throw new FilterError("input_output", `${response.url}: the server answered ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
}
