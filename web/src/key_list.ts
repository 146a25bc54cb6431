// key_list: the bytes of a dropped list as keys, one per line, without a copy of the whole.
import type { KeyColumn } from "../../bindings/js/src/api.js";
import { grouped, size } from "./words.js";

export interface KeyList {
    readonly column: KeyColumn;
    readonly keys: number;
    /** what a person should know about how it was read */
    readonly remarks: string[];
}

const longLine = 65536;

/** Lines end with a newline, or CR and newline if all of them do. An empty line is no key here. The bytes are changed. */
export function keysIn(data: Uint8Array): KeyList {
    const remarks: string[] = [];
    let start = 0;
    if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) {
        start = 3;
        remarks.push("It begins with a byte order mark, which is not part of the first key.");
    }
    let lines = 0, returns = 0, zeros = 0;
    for (let i = start; i < data.length; ++i) {
        if (data[i] === 10) {
            ++lines;
            if (data[i - 1] === 13) ++returns;
        } else if (data[i] === 0) ++zeros;
    }
    if (zeros > 0) throw new Error(`This is not a list of keys: it has ${grouped(zeros)} NUL bytes. A list is text with one key per line.`);
    const windows = lines > 0 && returns === lines;
    if (windows) remarks.push("Its lines end as on Windows (CR LF); the CR is not part of the keys.");
    const offsets = new Int32Array(lines + 2);
    let used = 0, keys = 0, empty = 0, longest = 0;
    for (let from = start, number = 0; from < data.length; ++number) {
        let end = data.indexOf(10, from);
        if (end < 0) end = data.length;
        const stop = windows && end > from && data[end - 1] === 13 ? end - 1 : end;
        if (stop === from) ++empty;
        else {
            if (stop - from > longLine) {
                longest = Math.max(longest, stop - from);
                if (remarks.length < 6) remarks.push(`Line ${grouped(number + 1)} is ${size(stop - from)} long. It counts as one key; is this really a list?`);
            }
            data.copyWithin(used, from, stop);
            used += stop - from;
            offsets[++keys] = used;
        }
        from = end + 1;
    }
    if (empty > 0) remarks.push(`${grouped(empty)} empty ${empty === 1 ? "line was" : "lines were"} left out.`);
    if (keys === 0) throw new Error("There is no key in it: a list has one key per line.");
    return { column: { data: data.subarray(0, used), offsets: offsets.subarray(0, keys + 1) }, keys, remarks };
}

export function keyAt(column: KeyColumn, index: number): Uint8Array {
    return column.data.subarray(column.offsets[index]!, column.offsets[index + 1]!);
}
