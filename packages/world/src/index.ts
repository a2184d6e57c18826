/**
 * Spaces, beings, qualities and operations: what may change, who may change it, and how a moment sees it.
 * Pure.
 */
export type {
  AskSignature,
  Effect,
  EffectAttempt,
  EffectCall,
  EffectFound,
  EffectGiven,
  EffectPending,
  KeepBrought,
  OutsideAnswer,
  OutsideFetch,
  OutsideFile,
  OutsideRequest,
  OutsideRun,
  OutsideRunEnd,
  OutsideRunOptions,
  StartedWorkflow,
} from './extend/effect.ts'
export type {
  AllowInput,
  BirthChoice,
  BirthField,
  BirthForm,
  CarriedCall,
  CarryOut,
  DecidedOperation,
  DecideInput,
  Extension,
  Facet,
  Operation,
  PromptInput,
  ResumedApproval,
  Role,
  Script,
  ScriptInput,
  WakeView,
} from './extend/extension.ts'
export { codeIn, type ExtensionCode, extensionCodes, extensionsNeeded } from './extend/extension-code.ts'
export { type CodeManifest, manifestOf, registryFrom } from './extend/manifest.ts'
export { buildRegistry, type Registry } from './extend/registry.ts'
export {
  CITIZEN,
  DEFAULT_ROLE,
  DELEGATES,
  OPERATOR,
  ROLE_MANAGER,
  SUBSTRATE_NAMES,
} from './extend/substrate.ts'
export { ASKED, faultOfAsk, type RuleAsk, readAsk } from './gates/ask.ts'
export { listGate } from './gates/list-gate.ts'
export { requireLease, requireNotEnded } from './gates/moment-guards.ts'
export { reachOf, rolesNamed } from './gates/reach.ts'
export type { RuleQuestion, ShadowVerdict } from './gates/refusal.ts'
export { requireCovered } from './gates/require-covered.ts'
export { isOfConsent, type RuleDecision, ruleGate } from './gates/rule-gate.ts'
export { type RuleStanding, requireRules, STANDINGS } from './gates/rules.ts'
export { mayLookInto, mayRead, readsPlace, whyPlaceHidden } from './gates/sight.ts'
export { answeredWake } from './law/answered-wake.ts'
export {
  areFacts,
  differencesFrom,
  factsIn,
  mayBeRefusedByThread,
  mayHaveMovedThread,
  namesThread,
  type RecordedEnd,
} from './law/as-recorded.ts'
export { conclude, concludeCall, concludeUnlived, LAW, type LawOver } from './law/conclude.ts'
export { type ConcludedMoment, type Conclusion, isActLike } from './law/conclusion.ts'
export { askGates, type GatedCall, type GateFinding } from './law/gates-of-call.ts'
export { type LiveQuestions, nothingLive, pastLive, type RestsOn } from './law/live.ts'
export { type DecidedMoment, type OpenedMomentRecord, UNLIVED, type WornSurface } from './law/moment.ts'
export { decisionOfPerson, leaseOfAct, saltOfAct, signatureOfAct } from './law/person-act.ts'
export { ACCEPTED_TOOLS, queueOf } from './law/queued-reads.ts'
export { type PermissionChange, type WhyNotAllowed, whyNotAllowed } from './law/why-not-allowed.ts'
export { buildFace, surfaceOf } from './moment/build-face.ts'
export {
  type LastSealed,
  type MomentInputs,
  type OpenedContext,
  type OpenTime,
  openContext,
  readByFlow,
} from './moment/context.ts'
export { firstWake, type RefusedCall, refusedCalls } from './moment/first-wake.ts'
export { momentInputsOf } from './moment/moment-inputs.ts'
export { openTime } from './moment/open-time.ts'
export {
  type ComposedPrompt,
  composeMoment,
  fillMoment,
  PROMPT_LAYOUT,
  type PromptMoment,
} from './moment/prompt.ts'
export {
  assignStack,
  evaluateProgram,
  readWorld,
  type WorldReading,
  wornInShadow,
} from './moment/read-world.ts'
export {
  actStep,
  callText,
  gaveOf,
  refusedCall,
  repeatsIn,
  STEP_FIELDS,
} from './moment/steps.ts'
export { shownIn, type Tool, type ToolsAt, toolsFor, verbTools } from './moment/tools.ts'
export { isOfUnseenChange } from './moment/unseen-change.ts'
export { isAwaited, proseAnswers, repeatsLastLine } from './moment/wake-block.ts'
export { heardContent, type Quotes, quotesOf, rowOfChange, toldContent } from './moment/wake-quotes.ts'
export { callSentence, spokenText, toldText } from './moment/wake-sentence.ts'
export { wordsShown } from './moment/words-shown.ts'
export { releasedFact, requireEntry } from './operations/identity.ts'
export { PASSKEYS } from './operations/passkeys.ts'
export { PAST_VIEW } from './orientation/past.ts'
export {
  type PatternResolver,
  type RelationResolver,
  UnresolvedEntryError,
} from './read/expand-surface.ts'
export type { Face, Resolvers, SeeResolver } from './read/face.ts'
export { type ChangedRow, foldRows } from './read/fold-rows.ts'
export { memoryRows } from './read/memory-rows.ts'
export { type KindInPlace, type RowSource, WorldReader } from './read/reader.ts'
export { type LostPayload, ReelHistory } from './read/reel-history.ts'
export { type ReelHead, type Reels, rowsAtHeads } from './read/rows-at-heads.ts'
export type { OperationTarget } from './read/target.ts'
export { yesHoldsUntil } from './rows/approvals.ts'
export {
  STANDARD_BUDGET,
  STANDARD_BUDGETS,
  standardBudget,
  whyParked,
} from './rows/budgets.ts'
export { childrenAfter } from './rows/contents.ts'
export { evolve, type RowChange, rowKeyOf } from './rows/evolve.ts'
export { FOLD } from './rows/fold.ts'
export { driverOf, effectiveCognition, lenderOf, momentCognition } from './rows/inhabitation.ts'
export {
  CAN_LISTS,
  type CanLists,
  type ConcreteEntry,
  canonicalTarget,
  covers,
  coversEntry,
  SUBSTRATE_VIEWS,
  type Surface,
} from './rows/lists.ts'
export {
  doMeet,
  isMarked,
  isWithin,
  marksAfter,
  marksFor,
  OUTSIDE,
  pathWritten,
  RULES,
  SENT_BY,
  VOUCHED,
  WORDED,
} from './rows/origin.ts'
export { parseKeyPath, setAtPath } from './rows/qualities.ts'
export { indexOf } from './rows/row-index.ts'
export {
  type ApprovalRow,
  approvalKey,
  type BeingRow,
  beingKey,
  type KeyPath,
  type MatterRow,
  matterKey,
  type OutsideMarks,
  type RoleRow,
  type Row,
  roleKey,
  type SpaceRow,
  spaceKey,
  type ThreadRow,
  threadKey,
  type WorldRow,
  worldKey,
} from './rows/rows.ts'
export {
  type CalendarTimes,
  SCHEDULES,
  type Schedule,
  scheduleContent,
  schedulesOf,
  storedSchedule,
  WEEKDAYS,
  type Weekday,
} from './rows/schedules.ts'
export { type Subscription, subscriptionsOf } from './rows/subscriptions.ts'
export { COUNTED_KIND } from './rows/tallies.ts'
export { changeContent } from './rows/watches.ts'
export {
  genesisFacts,
  roleInstalled,
  roleRemoved,
  VERSION_INSTALLED,
  VERSION_USED,
  versionInstalled,
  versionUsed,
} from './seed/genesis.ts'
export { type IdentityOperation, type SubstrateOperation, seed } from './seed/substrate-extension.ts'
export type { Act, Asker } from './verbs/act-inputs.ts'
export { type CatalogRows, type Catalogs, type Choices, choicesOf } from './verbs/catalogs.ts'
export type { Descriptor } from './verbs/descriptor.ts'
export { defaultTarget } from './verbs/resolve-operation.ts'
export { resumedWake } from './verbs/resumed-wake.ts'
export { decideUngated } from './verbs/run-operation.ts'
