/** Spaces, beings, qualities and operations: what may change, who may change it, and how a moment sees it. Pure. */

export { decideCall } from './act.ts'
export type { Act, Acting, Asker } from './acting.ts'
export { isParked, tightest, whyParked } from './budgets.ts'
export { type CatalogRows, type Catalogs, catalogsOf } from './catalogs.ts'
export { type Composed, composeMoment } from './compose-moment.ts'
export {
  type LastSealed,
  type Opened,
  type Opening,
  type OpenTime,
  openContext,
  type Program,
} from './context.ts'
export { SUBSTRATE_REGISTRY } from './declared.ts'
export type { Descriptor } from './descriptor.ts'
export { type Effect, type EffectCall, type EffectInput, EffectPending } from './effect.ts'
export { type Change, evolve, indexOf, type RowIndex, rowKeyOf } from './evolve.ts'
export type {
  Decided,
  Extension,
  Operation,
  OperationInput,
  OperationTarget,
  PromptInput,
  Role,
  Script,
  ScriptInput,
  WakeView,
} from './extension.ts'
export { type Face, foldFace, type Resolvers, type SeeResolver } from './face.ts'
export { type FoldedRow, foldRows } from './fold-rows.ts'
export {
  DELEGATES,
  delegateInstalled,
  genesisFacts,
  OPERATOR,
  ROLE_MANAGER,
  roleInstalled,
  roleRemoved,
} from './genesis.ts'
export { driverOf, effectiveCognition, lenderOf, momentCognition, requireLease } from './inhabiting.ts'
export { evaluateProgram, lookAround, type Seen } from './look.ts'
export { memoryRows } from './memory-rows.ts'
export { openTime } from './open-time.ts'
export { decideUngated } from './operate.ts'
export { Arguments } from './operations/arguments.ts'
export { DEFAULT_ROLE, releasedFact } from './operations/identity.ts'
export { orientationRemark, type Remark } from './orientation.ts'
export { assemblePrompt, type Prompt, type Tool, toolsFor, VERB_TOOLS } from './prompt.ts'
export { parseKeyPath, setQuality } from './qualities.ts'
export { reachOf, rolesNamed } from './reach.ts'
export { type RowSource, type SeenHead, WorldReader } from './reader.ts'
export { buildRegistry, type Registry } from './registry.ts'
export {
  type BeingRow,
  beingKey,
  type MatterRow,
  matterKey,
  type RoleRow,
  type Row,
  roleKey,
  type SpaceRow,
  spaceKey,
  type ThreadRow,
  threadKey,
  type WorldRow,
  worldKey,
} from './rows.ts'
export { SCHEDULES, type Schedule, scheduleContent, schedulesOf } from './schedules.ts'
export { SUBSTRATE_ACTIONS, type SubstrateAction, seed } from './seed.ts'
export {
  isAncestor,
  STANDINGS,
  type StanceDecision,
  type StanceQuestion,
  type Standing,
  stanceGate,
} from './stance.ts'
export { type Subscription, subscriptionsOf } from './subscriptions.ts'
export {
  type CanLists,
  type Concrete,
  covers,
  expandSurface,
  listGate,
  type PatternResolver,
  type RelationResolver,
  type Surface,
  Unresolved,
} from './surface.ts'
export type { Thread, ThreadState } from './thread.ts'
export type { Watch } from './watch.ts'
export { changeContent, changedPaths, watchesOf } from './watches.ts'
