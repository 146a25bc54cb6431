// api: all that the package offers, except for the default place of the module, which differs between packages and pages.
export { loadFrom } from "./instance.js";
export { FilterError, type ErrorCode, type ModuleSource } from "./module.js";
export { Filter, hashKeyFromSeed } from "./filter.js";
export type { Census, Description, FilterOptions, Hash, ListUpdate, Protection, Stats } from "./filter.js";
export { columnOf, type Key, type KeyColumn, type Keys, type KeyType } from "./keys.js";
export { eraseOutcomes, insertOutcomes, wasAdded, wasRemoved, type EraseOutcome, type InsertOutcome } from "./outcomes.js";
export { kinds, model, plan, version } from "./laboratory.js";
export type { Candidate, Kind, ModelRequest, Parameter, Plan, PlanRequest, Prediction } from "./laboratory.js";
