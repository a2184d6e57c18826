/** The record in Postgres: schema, queries, and the one function that appends. */

export { countFileBytes, type FileKept, type GivenFile, keepFile, openFile } from './access/files.ts'
export { findLease, type Lease, listLapsedLeases, renewLease } from './access/leases.ts'
export {
  announceWorker,
  forgetWorker,
  type LiveWorker,
  type LoadedVersion,
  listWorkers,
  type SealingArguments,
} from './access/live-workers.ts'
export {
  findLastRestore,
  listUnrecordedRestores,
  type NotedRestore,
  noteRestore,
  tellRestore,
} from './access/restores.ts'
export { type FactName, listFactsSaying, listMomentsShown, type SaidFact } from './access/said-facts.ts'
export {
  keepVector,
  listUnlikened,
  openSealed,
  openShown,
  sealedWithout,
  sealText,
} from './access/sealed-texts.ts'
export {
  deleteStoredOverlay,
  listStoredOverlays,
  type OverlayEntry,
  type OverlayKey,
  setStoredOverlay,
} from './access/stored-overlays.ts'
export {
  type AccessToken,
  findTokenBySecret,
  findTokenOf,
  insertToken,
  listTokensOf,
  markTokenRevoked,
  tokenHash,
} from './access/tokens.ts'
export { announceVault, findVault, forgetVault, listVaults } from './access/vault-addresses.ts'
export { type BeingStanding, listStandings } from './inbox/being-standings.ts'
export { enqueue, enqueueUnlessWaiting, releaseDelayed, withdraw } from './inbox/enqueue.ts'
export type { InboxEntry } from './inbox/entry.ts'
export {
  type ClosedHow,
  closeEntries,
  closeHosted,
  countChain,
  countOpen,
  countOpenSummons,
  findEntry,
  findReply,
  listAnswersFrom,
  listChain,
  listEntries,
  listOpenSummons,
  listReplies,
  listSaid,
  measureRoom,
} from './inbox/inbox.ts'
export { beginLife, StaleGenerationError } from './inbox/life.ts'
export {
  findOverlaySources,
  listOverlaysInForce,
  type OverlaySources,
  type StoredOverlay,
  WORKSPACE_SCOPE,
} from './inbox/overlays-of-wake.ts'
export {
  aboutOf,
  countAsked,
  countOwnWakes,
  findOwed,
  isOpenWake,
  listHeard,
  type OwedState,
  wasLetGo,
} from './inbox/questions.ts'
export { releaseClaim } from './inbox/release-claim.ts'
export {
  listOverlayChanges,
  type OverlayChange,
  recordOverlayChange,
} from './inbox/thread-overlays.ts'
export {
  listOpenQuestions,
  listThreadEntries,
  listThreads,
  listThreadsOf,
  listThreadsOfChannel,
  listThreadWords,
  type OpenQuestion,
  type ThreadEntry,
  type ThreadPage,
  type ThreadsWanted,
  type ThreadWords,
  threadOf,
} from './inbox/threads.ts'
export {
  countPaced,
  isListening,
  leftToListen,
  listBusy,
  listPacedAuthors,
  listUnclaimed,
  listWithWakes,
  measureInboxes,
  measurePeoplesInboxes,
  pageUnclaimed,
  type WaitingShare,
  type WaitingWakes,
} from './inbox/waiting-wakes.ts'
export { type AppendResult, append, lockHeads } from './ledger/append.ts'
export type {
  Batch,
  DecisionWrite,
  OpenWrite,
  OutcomeWrite,
  RowWrite,
  SettlementWrite,
  WakingChange,
} from './ledger/batch.ts'
export { putBlob, readBlob } from './ledger/blob.ts'
export { type Authorship, type BuiltFact, buildFacts } from './ledger/build-facts.ts'
export { encodeWake, wakeOf } from './ledger/encode-wake.ts'
export {
  factsByHash,
  listFactsAfter,
  listFactsAt,
  listFactsMentioning,
  listFactsOfKinds,
  listFactsOfMoment,
  listKindsOnReel,
  listReels,
} from './ledger/facts.ts'
export {
  actDigest,
  digestOf,
  digestOfBytes,
  digestOfCanonical,
  genesisHash,
  isFactHash,
  isMomentHash,
  isPayloadHash,
  saltedDigest,
  type WrittenJson,
  writeJson,
} from './ledger/hash.ts'
export { basisDigest, judgedDigest, newBasis, notedDigest, saltedHead } from './ledger/heads-digest.ts'
export { type JournalEntry, readJournal, waitForOpenAppends } from './ledger/journal.ts'
export {
  createReality,
  findReality,
  REALITY_FORKED,
  REALITY_MADE,
  REALITY_RESTORED,
  type Reality,
  type RealityMade,
} from './ledger/reality.ts'
export {
  askedIn,
  type Basis,
  type MomentNotes,
  type MomentRecord,
  type OpenRecord,
} from './ledger/records.ts'
export { commitRefusal, type RefusalWrite, refusalDigest } from './ledger/refusal-digest.ts'
export { commitSends, type SentList, sendsDigest, wakeHash } from './ledger/sends-digest.ts'
export { sha256 } from './ledger/sha256.ts'
export { type AccountUse, countLastMoments, listAccounts } from './moments/accounts.ts'
export { headsBeyond, overlaid, readBases, readJudged } from './moments/basis.ts'
export { type BeforeStamp, readBeforeStamp } from './moments/before-stamp.ts'
export {
  type CallAttempt,
  type CallCost,
  type CallSettlement,
  countParked,
  listParked,
  listParkedBy,
  reserve,
  settle,
} from './moments/budgets.ts'
export { cancelCall, hasAsked, isAtWork, listCancelled } from './moments/cancel.ts'
export { type ClaimedWake, type ClaimResult, claimAndRead } from './moments/claim-and-read.ts'
export {
  costOf,
  listCosts,
  listModelAttempts,
  listModelUse,
  type ModelAttempt,
  type ModelUse,
  type MomentCost,
} from './moments/costs.ts'
export {
  findDecision,
  listDecisions,
  listRecentCalls,
  listUnheard,
  newDecision,
  recordDecision,
  type StoredDecision,
  saltedDecision,
} from './moments/decision.ts'
export {
  type EffectAsked,
  type EffectRequest,
  type EffectResult,
  effectDigests,
  findEffect,
  findHeldByOther,
  hasEffectOfWake,
  keyedRequest,
  listHeldFacts,
  recordEffect,
  recordEffectResult,
  type StoredEffectBytes,
} from './moments/effects.ts'
export { countEnds, type EndCount } from './moments/ends.ts'
export {
  type AttemptFault,
  type FaultPart,
  listFaults,
  recordFault,
  type StackDigests,
} from './moments/faults.ts'
export {
  type FoundEntry,
  type FoundMoment,
  findLived,
  findSaid,
  searching,
  type WordsWanted,
} from './moments/find-words.ts'
export {
  type LatelyWanted,
  type LateMoment,
  listLately,
  listWaitingFor,
  type WaitingFor,
} from './moments/lately.ts'
export { announceCall, endCall, isCallUnderWay, renewCall } from './moments/mind-call.ts'
export {
  findOpen,
  listOpens,
  listUnfinished,
  recordOpen,
  type StoredOpen,
  type WholeOpen,
  wholeOpen,
} from './moments/open-record.ts'
export {
  findOutcome,
  findOutcomeByNumber,
  findOutcomeOfWake,
  listBeingsWithMoments,
  listNewestOutcomes,
  listOutcomes,
  listOutcomesBetween,
  listOutcomesOf,
  listOutcomesWithin,
  listShadowed,
  listWornInShadow,
  type OutcomesWanted,
  requireOutcome,
  type StoredOutcome,
} from './moments/outcome.ts'
export { listPersonItems, type PersonItem } from './moments/person-data.ts'
export { type RecordedMoment, readRecorded } from './moments/recorded-moments.ts'
export {
  findLastReplay,
  type ReplayGround,
  type ReplayRun,
  readRealityAge,
  readReplayGround,
  recordReplay,
  type StoredReplayRun,
} from './moments/replay-runs.ts'
export {
  type AcceptedDifference,
  type DifferingStack,
  findDifferingStack,
  listAcceptedDifferences,
  listDifferingStacks,
} from './moments/stack-differences.ts'
export { spanIdOf, traceDigits, traceIdOf, traceparentOf } from './moments/trace-ids.ts'
export { findWakeState, listDecidedAgain, type WakeState } from './moments/wake-state.ts'
export { countWaitingForYes, listOverdueApprovals } from './rows/approvals.ts'
export { type Erasure, Erasures, listErasures, readErasures } from './rows/erasures.ts'
export { listHolds } from './rows/holds.ts'
export {
  countChildren,
  countNamedRoles,
  findAddresses,
  listAddresses,
  listBeingsHolding,
  listBeingsNaming,
  listBudgeted,
  listNamesLike,
} from './rows/names-in-rows.ts'
export { tellsOutside } from './rows/past-acts.ts'
export {
  type KeptReading,
  type PrefetchedWorld,
  prefetch,
  readAgain,
  readAtOneInstant,
  readFrom,
} from './rows/prefetch.ts'
export { ReadSet } from './rows/read-set.ts'
export type { NoteSeeker } from './rows/read-set-items.ts'
export {
  applyFact,
  ErasedFactError,
  type RefoldReport,
  type RowFold,
  type RowFolder,
  rebuildRow,
  refold,
  refoldAll,
} from './rows/refold.ts'
export { listRows, listScheduling, readHeads, readRows } from './rows/rows.ts'
export { catalogRowsOf, readBlobCached, rowSource } from './rows/source.ts'
export { whyNotErasable } from './rows/why-not-erasable.ts'
export { faultsOfCatalog } from './sql/catalog.ts'
export { type SchemaShape, shapeOf } from './sql/catalog-shape.ts'
export { readClock } from './sql/clock.ts'
export type { CopiedRow, CopyOut } from './sql/copy.ts'
export { type DatabaseOptions, type Db, inSnapshot, openDatabase } from './sql/database.ts'
export { type JournalListener, listenToJournal, type WordStream } from './sql/listen.ts'
export { type Login, readLogin } from './sql/login.ts'
export { MIGRATIONS, type Migrations, migrate, waitingMigrations } from './sql/migrate.ts'
export { listObservers, type SchemaObserver } from './sql/observers.ts'
export type { FactTable, InboxTable, MomentOutcomeTable, StoreDb } from './sql/schema.ts'
export { isTransient, type RecordRefusal, recordRefusalOf } from './sql/sqlstates.ts'
export { paceStatements } from './sql/statement-batcher.ts'
export { decodeJson, encodeJson } from './sql/stored-json.ts'
export {
  isStreamed,
  NOTICE_BYTES_MAX,
  notifyWords,
  type WordNotice,
  type WordPiece,
} from './sql/word-notices.ts'
