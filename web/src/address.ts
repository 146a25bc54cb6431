// address: the state of a view in the URL, #view?name=value. A link replays what its sender saw.
//
// Nothing in a link is trusted: a value that makes no sense is replaced by the default, and the page says which.

export interface NumberField {
    readonly least: number;
    readonly most: number;
    readonly usual: number;
    readonly whole?: boolean;
}
export interface WordField {
    readonly words: readonly string[];
    readonly usual: string;
}
export interface TextField {
    readonly pattern: RegExp;
    /** characters */
    readonly most: number;
    readonly usual: string;
    /** for numbers that may also be left out: where they must lie */
    readonly range?: readonly [least: number, most: number];
}
export type Field = NumberField | WordField | TextField;

export type State<Fields extends Record<string, Field>> = {
    [Name in keyof Fields]: Fields[Name] extends NumberField ? number : string;
};

/** "1e6", "1M", "0.1%", "64 MiB" as on the command line; NaN for anything else. */
export function amount(text: string): number {
    const found = /^\s*([0-9][0-9_,]*\.?[0-9]*(?:e[+-]?\d+)?|\.[0-9]+)\s*(%|[kMGT]?(?:iB|B)?)?\s*$/i.exec(text);
    if (!found) return Number.NaN;
    const value = Number(found[1]!.replace(/[_,]/g, ""));
    const unit = (found[2] ?? "").toLowerCase();
    if (unit === "%") return value / 100;
    const power = " kmgt".indexOf(unit.charAt(0) || " ");
    return power < 1 ? value : value * (unit.endsWith("ib") ? 1024 : 1000) ** power;
}

function read(field: Field, text: string): number | string | undefined {
    if ("words" in field) return field.words.includes(text) ? text : undefined;
    if ("pattern" in field) {
        if (text.length > field.most || !field.pattern.test(text)) return undefined;
        if (!field.range || text.trim() === "") return text;
        const value = amount(text);
        return value >= field.range[0] && value <= field.range[1] ? text : undefined; // not NaN, not infinite
    }
    const value = amount(text);
    if (!Number.isFinite(value) || value < field.least || value > field.most) return undefined;
    return field.whole ? Math.round(value) : value;
}

export function defaults<Fields extends Record<string, Field>>(fields: Fields): State<Fields> {
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.usual])) as State<Fields>;
}

/** The state that a link asks for, and sentences about what in it made no sense. */
export function parse<Fields extends Record<string, Field>>(fields: Fields, query: string): { state: State<Fields>; complaints: string[] } {
    const state = defaults(fields) as Record<string, number | string>;
    const complaints: string[] = [];
    for (const [name, text] of new URLSearchParams(query.slice(0, 20_000))) {
        const field = fields[name];
        if (!field) {
            complaints.push(`it has no setting “${name.slice(0, 30)}”`);
            continue;
        }
        const value = read(field, text);
        if (value === undefined) complaints.push(`${name}=${text.slice(0, 30)} is not possible; ${name} is ${field.usual} instead`);
        else state[name] = value;
    }
    return { state: state as State<Fields>, complaints: complaints.slice(0, 4) };
}

/** The query of a state; what is as usual is left out. */
export function format<Fields extends Record<string, Field>>(fields: Fields, state: State<Fields>): string {
    const query = new URLSearchParams();
    for (const [name, field] of Object.entries(fields)) {
        const value = (state as Record<string, number | string>)[name];
        if (value !== undefined && value !== field.usual) query.set(name, String(value));
    }
    return query.toString();
}
