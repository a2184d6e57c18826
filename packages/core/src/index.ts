/** The domain's words. Pure; imports nothing, and is the same in and out of the workflow sandbox. */
export {
  ASIDE_BOUNDS,
  type Aside,
  type AsideSource,
  type CitedFact,
  NO_ASIDE,
  type OpenThread,
  PAST_BOUNDS,
  type PastActs,
  type PastFact,
  type RecallAsked,
  type RecalledNotes,
  type SeenNotes,
  type WaitingWake,
} from './aside.ts'
export {
  type Account,
  type Breach,
  BUDGET_PERIODS,
  type Budget,
  type BudgetPeriod,
  MICROS,
  type StandardBudget,
} from './budget.ts'
export {
  type ActContent,
  type ActSignature,
  actWakeId,
  correlationFor,
  parseCall,
  parseDecision,
  parseStoredCall,
  requireContent,
  requireStorable,
} from './call.ts'
export {
  type CallParameters,
  callParameters,
  type FieldNotes,
  fieldFault,
  MODEL_FIELDS,
  readText,
  withOwnNames,
} from './call-shape.ts'
export { type CauseSource, causeSourceOf, type EffectCause, keyedBy } from './effect-cause.ts'
export { ERROR_STATUS, type ErrorCode, isErrorCode, storableMessage, TreeosError } from './error.ts'
export { brandError } from './error-brand.ts'
export {
  CODE_VERSION,
  FACT_ERASED,
  FACT_VERSION,
  type Fact,
  type FactDraft,
  type FactHeader,
  type FactRef,
  type Head,
  type HeadRef,
  HOLD_LIFTED,
  HOLD_SET,
  MOMENT_ERASED,
  type SeenHead,
  SPEECH_KIND,
} from './fact.ts'
export {
  type BroughtFile,
  FILE_BYTES_MAX,
  FILE_FORMS,
  FILES_MAX,
  type FileBounds,
  type FileNote,
  fileBoundsIn,
  fileIn,
  fileNameIn,
  filesNamed,
  wordsWith,
} from './file.ts'
export { frozen } from './frozen.ts'
export {
  asJson,
  canonicalJson,
  faultOfNumber,
  fromJson,
  guardJson,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonBounds,
  type JsonObject,
  NotPlainJsonError,
  REFUSED_KEYS,
  readPath,
  utf8Length,
} from './json.ts'
export { CONTENT_BOUNDS, GIVEN_BOUNDS, LIMITS } from './limits.ts'
export { mediaTypeOf } from './media-type.ts'
export {
  type Address,
  approvalReel,
  type BeingName,
  beingReel,
  isBeingName,
  isKey,
  isRoleName,
  type MatterId,
  type MomentId,
  matterReel,
  momentId,
  momentsReel,
  parentPath,
  parseAddress,
  parseMomentId,
  parseSpacePath,
  parseStance,
  quote,
  REGISTRY_REEL,
  type ReelId,
  ROOT_SPACE,
  type RoleName,
  reelOfKey,
  requireBeingName,
  requireRoleName,
  type SpacePath,
  SUBSTRATE,
  spaceAncestry,
  spaceName,
  spaceReel,
  stanceOf,
  taskQueueOf,
  threadReel,
  worldReel,
} from './names.ts'
export { didYouMean, nearestName } from './nearest.ts'
export { isOverlayHandle, OVERLAY_TIERS, type OverlayRecord, type OverlayTier } from './overlay.ts'
export {
  type RefusalFields,
  type RuleRefusal,
  refusalIn,
  refusalSentence,
  shortenedTarget,
  unknownBeing,
  unknownNameIn,
  unknownRole,
  unlisted,
  withRefusal,
} from './refusal.ts'
export { mendedBy, type Remedy, type RemedyTexts, toldWith, withRemedy } from './remedy.ts'
export type { LeaseIndex, RowIndex, Watch } from './row-index.ts'
export { describeFault, readVariables } from './schemas.ts'
export { sealedId } from './sealed-id.ts'
export { masked } from './secret-mask.ts'
export {
  COGNITIONS,
  type Cognition,
  type Digest,
  type PinnedRole,
  type PinnedStack,
  type Stack,
  VERBS,
  type Verb,
} from './stack.ts'
export { textOfBytes } from './text-bytes.ts'
export type { Thread, ThreadState } from './thread.ts'
export { classOfThrown, messageOfThrown, readThrown } from './thrown-errors.ts'
export { TIMER_SECONDS, TIMER_SECONDS_MAX, timerMs, timerSecondsIn } from './timer-seconds.ts'
export {
  APPROVED_PREFIX,
  ASKED_PREFIX,
  addressesOf,
  approvalOf,
  askedBy,
  askerIn,
  type Caller,
  CONTINUE_PREFIX,
  DENIED_PREFIX,
  type DecidingModel,
  type Decision,
  type DoCall,
  EXPIRED_PREFIX,
  heardWith,
  holdsCall,
  isChosen,
  isContinuation,
  isOfThread,
  isQueuedRead,
  isToSelf,
  LOOK_PREFIX,
  type LookingBack,
  type Notice,
  newWake,
  ORIENTATIONS,
  type Orientation,
  type OtherRefusal,
  OUTCOMES,
  type OutcomeKind,
  type OwedAnswer,
  type OwingRecord,
  owedIn,
  PRIORITIES,
  type Priority,
  priorityName,
  questionOf,
  READ_PREFIX,
  REFUSED_PREFIX,
  type SeeCall,
  STEP_PREFIXES,
  triggerOf,
  type VerbCall,
  type Wake,
  type WakeKind,
  wakeLabel,
} from './wake.ts'
export { isAsSaid, speechOf, WAKE_FIELDS, type WakeRecord, wakeFields, wakeRecordOf } from './wake-fields.ts'
export { isWakeId } from './wake-ids.ts'
export { NOTHING_SHOWN, namedVerb, readNamedCall, readWrittenCall, type ShownNames } from './written-call.ts'
