/** Roles, the roleFlow and its `when` language, and the stack composer. Pure; imports core. */
export {
  type CompiledClause,
  type CompiledFlow,
  compileFlow,
  flowPaths,
  flowRoles,
} from './evaluate/compile.ts'
export { type ComposedRole, composeRoles, type WornRole } from './evaluate/compose.ts'
export { type ContextSlice, type OpenContext, sliceContext, worldNamespaces } from './evaluate/context.ts'
export {
  checkWake,
  evaluateFlow,
  type FlowInput,
  type FlowResult,
  type OpeningWake,
  pinStack,
  type RoleNeeds,
  type RoleTable,
  type SkipReason,
} from './evaluate/evaluate.ts'
export type { ContextChange } from './explain/changes.ts'
export {
  actualText,
  type ClauseResult,
  type ClauseTrace,
  type Explanation,
  explainFlow,
  type HiddenPlace,
  isOfPlace,
  type Trace,
  type TraceGroup,
  type TraceTest,
} from './explain/explain.ts'
export { composeLine, evalLine } from './explain/json-lines.ts'
export { type Lint, type LintOptions, lintFlow, requireFlow } from './explain/lint.ts'
export { isSpokenTo, lintRole, type RoleLintOptions } from './explain/lint-role.ts'
export { type NeverWorn, type WhyNotWorn, whyNotWorn } from './explain/why-not.ts'
export { OPERATORS, type Operator } from './parse/condition.ts'
export type { ParseFault } from './parse/fault.ts'
export { withFullNames } from './parse/full-names.ts'
export { parseRole } from './parse/parse-role.ts'
export {
  type Entry,
  entryKey,
  isPattern,
  type PatternToken,
  type PlacePattern,
  parsePlace,
  type RelToken,
  type ResolverToken,
  type Token,
  textPattern,
} from './shape/entry.ts'
export type { Program } from './shape/program.ts'
export {
  type CanLists,
  type CompleteRole,
  type FunctionPrompt,
  LAYOUTS,
  ORIENTATIONS,
  type Orientation,
  permissionsOf,
  RESPOND_MODES,
  type RespondMode,
  type RoleSpec,
  toolsOf,
  withDefaults,
} from './shape/role.ts'
export { flowSchema, roleSchema } from './shape/schema.ts'
export {
  type Clause,
  type Condition,
  type Operators,
  type Path,
  ROOTS,
  type RoleFlow,
  type Root,
  type Scalar,
  type When,
} from './shape/when.ts'
