/** What workflow code may use: names and digests reach it, never specs, prompts or their composition. */
export { type CompiledClause, type CompiledFlow, compileFlow, flowPaths, flowRoles } from './compile.ts'
export {
  type ContextSlice,
  type OpenContext,
  sliceContext,
  worldNamespaces,
} from './context.ts'
export {
  evaluateFlow,
  type FlowInput,
  type FlowResult,
  type RoleNeeds,
  type RoleTable,
  type SkipReason,
} from './evaluate.ts'
export type { Program } from './program.ts'
export { checkWake, type OpeningWake } from './trigger.ts'
export type { Clause, RoleFlow, When } from './when.ts'
