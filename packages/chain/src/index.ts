/** The reel in Postgres: tables, migrations, queries, and the one append. */
export {
  type Appended,
  type Authorship,
  append,
  type Batch,
  type BuiltFact,
  buildFacts,
  type Change,
  type LeaseWrite,
  lockHeads,
  type OutcomeWrite,
  type RowWrite,
  type SeenHead,
  type Watch,
} from './append.ts'
export { getBlob, putBlob } from './blob.ts'
export {
  type Attempt,
  type Cost,
  countParked,
  listParkedBy,
  type Reserved,
  reserve,
  settle,
} from './budgets.ts'
export { type DatabaseOptions, type Db, inSnapshot, openDatabase } from './database.ts'
export {
  type EffectRequest,
  type EffectResult,
  readEffect,
  recordEffect,
  recordEffectResult,
  type StoredEffect,
} from './effects.ts'
export { listFactsAfter, listFactsOfMoment, listReels } from './facts.ts'
export { actDigest, digestOf, genesisHash, momentHash, newSalt, saltedDigest } from './hash.ts'
export {
  type ClaimedWake,
  claimWake,
  closeAsRead,
  countChain,
  countOpen,
  countOwn,
  enqueue,
  enqueueUnlessWaiting,
  findEntry,
  findReply,
  type InboxEntry,
  listBusy,
  listChain,
  listOpenSummons,
  listUnrung,
  measureInboxes,
  pageUnrung,
  releaseDelayed,
} from './inbox.ts'
export { type Prefetched, prefetch, ReadSet, readAtOneInstant, type Viewer } from './instant.ts'
export { findLease, type Lease, listLapsedLeases, renewLease } from './leases.ts'
export { beginLife, StaleGenerationError } from './life.ts'
export { migrate } from './migrate.ts'
export {
  listOutcomes,
  listUnfinished,
  type OpenWrite,
  readClock,
  readDecision,
  readDecisionBytes,
  readOpen,
  readOutcome,
  readOutcomeByNumber,
  readOutcomeOfWake,
  recordDecision,
  recordOpen,
  type StoredDecision,
  type StoredOpen,
  type StoredOutcome,
} from './moments.ts'
export { createReality, type Reality, readReality } from './reality.ts'
export type { MomentRecord, OpenRecord } from './records.ts'
export { ErasedFactError, type Fold, type Folded, type FoldedRow, rebuildRow, refold } from './refold.ts'
export {
  keysInPlace,
  keysOfChildren,
  listRows,
  listScheduling,
  readHeads,
  readRows,
  type SeenRow,
} from './rows.ts'
export type { ChainDb } from './schema.ts'
export { catalogRowsOf, getBlobCached, rowSource } from './source.ts'
export { listThreads, type ThreadTally, threadOf } from './threads.ts'
export {
  findToken,
  findTokenBySecret,
  insertToken,
  listAllTokens,
  listSpentTokens,
  markTokenRevoked,
  type Token,
} from './tokens.ts'
export { isTransient } from './transient.ts'
export { type Broken, type BrokenReason, type Verified, type VerifyOptions, verifyChains } from './verify.ts'
export { verifyInSql } from './verify-sql.ts'
