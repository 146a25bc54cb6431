// snippets: a plan as a command line, as C++, as Python and as Redis commands, ready to copy.
import type { Candidate, PlanRequest } from "../../bindings/js/src/api.js";

export interface Snippet {
    readonly name: string;
    readonly text: string;
}
/** The lifetime as the person wrote it: "30%" reads better than 0.3. */
export interface Lifetime {
    readonly remove: string;
    readonly churn: string;
    readonly growth: string;
    readonly negatives: string;
}

const grouped = (value: number, separator: string): string => String(value).replace(/\B(?=(\d{3})+$)/g, separator);

export function snippets(request: PlanRequest, life: Lifetime, chosen: Candidate): Snippet[] {
    const capacity = Number(request.capacity), fpr = Number(request.fpr ?? 0.001);
    const flags = [
        life.remove.trim() === "" ? "" : ` --remove ${life.remove.trim()}`,
        life.churn.trim() === "" ? "" : ` --churn ${life.churn.trim()}`,
    ].join("");
    const growth = Number(request.growth ?? 1);
    const grows = growth > 1 ? ` --growth ${growth}x` : "";
    const negatives = Number(request.negatives ?? 0);
    const kind = chosen.kind;
    return [
        {
            name: "Command line",
            text: `everbloom create names.eb names.txt --kind ${kind} --capacity ${capacity} --fpr ${fpr}${flags}${grows}\n` +
                (negatives > 0 ? "everbloom protect names.eb negatives.txt --members names.txt\n" : "") +
                "everbloom check names.eb questions.txt",
        },
        {
            name: "C++",
            text: `#include <everbloom/everbloom.hpp>\n\n` +
                `everbloom::filter<std::string, everbloom::${kind}> names({.capacity = ${grouped(capacity, "'")}, .fpr = ${fpr}});\n` +
                `names.insert("anna");\nif (names.may_contain("bert")) { /* maybe */ }`,
        },
        {
            name: "Python",
            text: `from everbloom import Filter\n\nnames = Filter(capacity=${grouped(capacity, "_")}, fpr=${fpr}, kind="${kind}")\n` +
                `names.add("anna")\nprint("bert" in names, names.current_fpr)`,
        },
        {
            name: "JavaScript",
            text: `import { load, Filter } from "everbloom";\n\nawait load();\n` +
                `const names = new Filter({ capacity: ${grouped(capacity, "_")}, fpr: ${fpr}, kind: "${kind}" });\nnames.add("anna");\nconsole.log(names.has("bert"), names.fpr);`,
        },
        {
            name: "Redis",
            text: `EB.CREATE names KIND ${kind} CAPACITY ${capacity} ERROR ${fpr}\nEB.ADD names anna\nEB.EXISTS names bert`,
        },
    ];
}
