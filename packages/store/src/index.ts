/** The record in Postgres: schema, queries, and the one function that appends. */
export { findLease, type Lease, listLapsedLeases, renewLease } from './access/leases.ts'
export {
  deleteStoredOverlay,
  listStoredOverlays,
  type OverlayEntry,
  type OverlayKey,
  setStoredOverlay,
} from './access/overlays.ts'
export {
  type AccessToken,
  findToken,
  findTokenBySecret,
  insertToken,
  listAllTokens,
  listEndedTokens,
  markTokenRevoked,
} from './access/tokens.ts'
export { announceVault, findVault, forgetVault, listVaults } from './access/vaults.ts'
export { type ClaimedWake, claimWake } from './inbox/claim.ts'
export { enqueue, enqueueUnlessWaiting, releaseDelayed, withdraw } from './inbox/enqueue.ts'
export type { InboxEntry } from './inbox/entry.ts'
export {
  type ClosedHow,
  closeEntries,
  countChain,
  countOpen,
  countOwnWakes,
  findEntries,
  findEntry,
  findReply,
  listChain,
  listOpenSummons,
  measureRoom,
} from './inbox/inbox.ts'
export { beginLife, StaleGenerationError } from './inbox/life.ts'
export {
  findOverlaySources,
  listOverlayChanges,
  listOverlaysInForce,
  type OverlayChange,
  type OverlaySources,
  recordOverlayChange,
  type StoredOverlay,
  WORKSPACE_SCOPE,
} from './inbox/overlays.ts'
export { listThreads, listThreadsOf, listThreadsOfChannel, threadOf } from './inbox/threads.ts'
export {
  isListening,
  leftToListen,
  listBusy,
  listUnclaimed,
  listWithWakes,
  measureInboxes,
  measurePeoplesInboxes,
  pageUnclaimed,
} from './inbox/waiting.ts'
export { type Appended, append, lockHeads } from './ledger/append.ts'
export type {
  Batch,
  DecisionWrite,
  Notice,
  OpenWrite,
  OutcomeWrite,
  RowWrite,
  SettlementWrite,
  WatchedChange,
} from './ledger/batch.ts'
export { getBlob, putBlob } from './ledger/blob.ts'
export { type Authorship, type BuiltFact, buildFacts } from './ledger/build-facts.ts'
export { encodeWake, wakeOf } from './ledger/encode-wake.ts'
export {
  factsByHash,
  listFactsAfter,
  listFactsAt,
  listFactsMentioning,
  listFactsOfMoment,
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
} from './ledger/hash.ts'
export { type JournalEntry, readJournal, settleJournal } from './ledger/journal.ts'
export {
  createReality,
  REALITY_FORKED,
  REALITY_MADE,
  type Reality,
  type RealityMade,
  readReality,
} from './ledger/reality.ts'
export type { Beside, MomentRecord, OpenRecord } from './ledger/records.ts'
export { sha256 } from './ledger/sha256.ts'
export { type AccountUse, countLastMoments, listAccounts } from './moments/accounts.ts'
export { headsBeyond, overlaid, readBases, readJudged, seqsOf } from './moments/basis.ts'
export { type BeforeStamp, readBeforeStamp } from './moments/before-stamp.ts'
export {
  type Attempt,
  type Cost,
  countParked,
  listParked,
  listParkedBy,
  reserve,
  type Settlement,
  settle,
} from './moments/budgets.ts'
export { cancelCall, isAtWork, listCancelled } from './moments/cancel.ts'
export { claimAndRead, type Opening } from './moments/claim-and-read.ts'
export { costOf, type MomentCost } from './moments/costs.ts'
export {
  listRecentCalls,
  newDecision,
  readDecision,
  recordDecision,
  type StoredDecision,
} from './moments/decision.ts'
export {
  type EffectRequest,
  type EffectResult,
  effectDigests,
  readEffect,
  recordEffect,
  recordEffectResult,
  type StoredEffectBytes,
} from './moments/effects.ts'
export { countEnds, type EndCount } from './moments/ends.ts'
export { type Fault, type FaultPart, keepFault, listFaults } from './moments/faults.ts'
export { announceCall, endCall, isCallUnderWay, renewCall } from './moments/mind-call.ts'
export { listUnfinished, readOpen, recordOpen } from './moments/open.ts'
export {
  listBeingsWithMoments,
  listNewestOutcomes,
  listOutcomes,
  listOutcomesOf,
  readOutcome,
  readOutcomeByNumber,
  readOutcomeOfWake,
  requireOutcome,
  type StoredOutcome,
} from './moments/outcome.ts'
export { type RecordedMoment, readRecorded } from './moments/recorded.ts'
export { readWakeState } from './moments/wake-state.ts'
export { type Erasure, Erasures, listErasures, readErasures } from './rows/erasures.ts'
export {
  countChildren,
  countNamedRoles,
  findAddresses,
  listAddresses,
  listBeingsNaming,
  listBudgeted,
} from './rows/naming.ts'
export {
  type KeptReading,
  type Prefetched,
  prefetch,
  readAgain,
  readAtOneInstant,
  readFrom,
} from './rows/prefetch.ts'
export { ReadSet } from './rows/read-set.ts'
export {
  applyFact,
  ErasedFactError,
  type Fold,
  type Folded,
  type Refolded,
  rebuildRow,
  refold,
  refoldAll,
} from './rows/refold.ts'
export { listRows, listScheduling, readHeads, readRows } from './rows/rows.ts'
export { catalogRowsOf, getBlobCached, rowSource } from './rows/source.ts'
export { whyNotErasable } from './rows/why-not-erasable.ts'
export { readClock } from './sql/clock.ts'
export type { CopiedRow, CopyOut } from './sql/copy.ts'
export { type DatabaseOptions, type Db, inSnapshot, openDatabase } from './sql/database.ts'
export { type JournalListener, listenToJournal, type Watch } from './sql/listen.ts'
export { type Login, readLogin } from './sql/login.ts'
export { MIGRATIONS, type Migrations, migrate } from './sql/migrate.ts'
export type { ChainDb, FactTable, InboxTable, MomentOutcomeTable } from './sql/schema.ts'
export { decodeJson, encodeJson } from './sql/stored-json.ts'
export { isTransient } from './sql/transient.ts'
export { isWatched, NOTICE_BYTES_MAX, notifyWords, type Saying, type Words } from './sql/words.ts'
