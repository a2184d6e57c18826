/** What workflow code may use: names and digests reach it, never specs, prompts or their composition. */
export {
  type CompiledClause,
  type CompiledFlow,
  compileFlow,
  flowPaths,
  flowRoles,
} from './evaluate/compile.ts'
export {
  type ContextSlice,
  type OpenContext,
  sliceContext,
  worldNamespaces,
} from './evaluate/context.ts'
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
export type { Program } from './shape/program.ts'
export type { Clause, RoleFlow, When } from './shape/when.ts'
