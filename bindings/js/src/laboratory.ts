// laboratory: the kinds, the planner and the models. Requests and answers are plain objects, those of everbloom.h. The simulation is left
// out: what it needs would be a tenth of the module.
import { current } from "./instance.js";

type Amount = number | string; // "10k" and "0.1%" are numbers, too

export interface Parameter {
    name: string;
    meaning: string;
    least: number;
    most: number;
    default: number | null;
    words: string[];
}
export interface Kind {
    id: number;
    name: string;
    summary: string;
    capabilities: string[];
    grows_by_itself: boolean;
    may_refuse_keys: boolean;
    loses_members: boolean;
    parameters: Parameter[];
}
export interface PlanRequest {
    capacity: Amount;
    fpr?: Amount;
    removed?: Amount;
    churn?: Amount;
    growth?: Amount;
    may_refuse?: boolean;
    deletable?: Amount;
    negatives?: Amount;
    memory_bytes?: Amount;
}
export interface Candidate {
    kind: string;
    parameters: Record<string, number | string>;
    /** what it would be made for: more than asked for, or a lower FPR, where the workload wears it out */
    capacity: number;
    made_for_fpr: number | null;
    bytes: number;
    first_bytes: number;
    slow_bytes: number;
    exclusion_bytes: number;
    bits_per_key: number;
    fpr: number;
    deletability: number | null;
    hashes: number | null;
    query_lines: number;
    cost: number;
}
export interface Plan {
    candidates: Candidate[];
    dropped: { kind: string; why: string }[];
    lowest_fpr: number | null;
}
export interface ModelRequest {
    kind: string;
    parameters?: Record<string, number | string>;
    capacity?: Amount;
    fpr?: Amount;
    items?: Amount;
    removed?: Amount;
    churn?: Amount;
    negatives?: Amount;
}
export interface Prediction {
    fpr: number | null;
    deletability: number | null;
    refusal: number | null;
    bytes: number;
    bits_per_key: number;
    parameters: Record<string, number | string>;
}
function ask(name: string, request: object, room?: number): unknown {
    const module = current();
    return module.withText(JSON.stringify(request), (text) =>
        module.document((at, size) => module.call[name]!(text, at, size, module.errorAt) as bigint, room));
}

/** The version of the library. */
export function version(): string {
    const module = current();
    return module.text(module.call["eb_version"]!() as number);
}
/** All kinds of filters: summary, capabilities, parameters. */
export function kinds(): Kind[] {
    const module = current();
    return module.document((at, size) => module.call["eb_kinds"]!(at, size, module.errorAt), 65536) as Kind[];
}
/** Ranks the kinds for a workload: candidates, best first, and dropped ones with the reasons. */
export function plan(request: PlanRequest): Plan {
    return ask("eb_plan", request, 32768) as Plan;
}
/** What the model of a kind predicts, without making a filter. */
export function model(request: ModelRequest): Prediction {
    return ask("eb_model", request) as Prediction;
}
