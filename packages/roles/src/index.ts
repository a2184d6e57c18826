/** Roles, the roleFlow and its `when` language, and the stack composer. Pure; imports core. */
export { type CompiledClause, type CompiledFlow, compileFlow, flowPaths, flowRoles } from './compile.ts'
export { type ComposedRole, composeRoles, type WornRole } from './compose.ts'
export { OPERATORS, type Operator } from './condition.ts'
export { type ContextSlice, type OpenContext, sliceContext, worldNamespaces } from './context.ts'
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
} from './entry.ts'
export {
  evaluateFlow,
  type FlowInput,
  type FlowResult,
  type RoleNeeds,
  type RoleTable,
  type SkipReason,
} from './evaluate.ts'
export {
  type ClauseResult,
  type ClauseTrace,
  type Explanation,
  explainFlow,
  type Trace,
  type TraceGroup,
  type TraceTest,
} from './explain.ts'
export type { Fault } from './fault.ts'
export { composeLine, evalLine } from './json-lines.ts'
export { type Lint, type LintOptions, lintFlow, requireFlow } from './lint.ts'
export { parseRole } from './parse-role.ts'
export type { Program } from './program.ts'
export {
  type CompleteRole,
  type FunctionPrompt,
  ORIENTATIONS,
  type Orientation,
  permissionsOf,
  REPLY_TARGETS,
  RESPOND_MODES,
  type ReplyTarget,
  type RespondMode,
  type RoleSpec,
  type Surface,
  toolsOf,
  withDefaults,
} from './role.ts'
export { flowSchema, roleSchema } from './schema.ts'
export { checkWake, type OpeningWake } from './trigger.ts'
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
} from './when.ts'
