// The package under test: the built one, as users get it, in EVERBLOOM_PACKAGE.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = process.env["EVERBLOOM_PACKAGE"];
if (!folder) throw new Error("EVERBLOOM_PACKAGE must name the folder of the built package");
export const packageFile = (name) => pathToFileURL(join(folder, name));
export const rootFile = (name) => join(dirname(fileURLToPath(import.meta.url)), "../../..", name);

const main = await import(packageFile("dist/index.js").href);
const check = await import(packageFile("dist/check.js").href);
export const { Filter, FilterError, load, hashKeyFromSeed, insertOutcomes, eraseOutcomes, kinds, plan, model, version, columnOf, wasAdded, wasRemoved } = main;
export const { Checker, load: loadCheck } = check;
