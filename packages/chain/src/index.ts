/** The reel in Postgres: tables, migrations, queries, and the one append. */

export { findLease, type Lease, listLapsedLeases, renewLease } from './access/leases.ts'
export {
  findToken,
  findTokenBySecret,
  insertToken,
  listAllTokens,
  listSpentTokens,
  markTokenRevoked,
  type Token,
} from './access/tokens.ts'
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
} from './inbox/inbox.ts'
export { beginLife, StaleGenerationError } from './inbox/life.ts'
export { listThreads, threadOf } from './inbox/threads.ts'
export {
  type Appended,
  type Authorship,
  append,
  type Batch,
  type BuiltFact,
  buildFacts,
  type Change,
  lockHeads,
  type OutcomeWrite,
  type RowWrite,
} from './ledger/append.ts'
export { getBlob, putBlob } from './ledger/blob.ts'
export { listFactsAfter, listFactsOfMoment, listReels } from './ledger/facts.ts'
export { actDigest, digestOf, genesisHash, momentHash, newSalt, saltedDigest } from './ledger/hash.ts'
export { createReality, type Reality, readReality } from './ledger/reality.ts'
export type { MomentRecord, OpenRecord } from './ledger/records.ts'
export {
  type Attempt,
  type Cost,
  countParked,
  listParkedBy,
  type Reserved,
  reserve,
  settle,
} from './moments/budgets.ts'
export {
  type EffectRequest,
  type EffectResult,
  readEffect,
  recordEffect,
  recordEffectResult,
  type StoredEffect,
} from './moments/effects.ts'
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
} from './moments/moments.ts'
export { type Prefetched, prefetch, ReadSet, readAtOneInstant, type Viewer } from './rows/prefetch.ts'
export { ErasedFactError, type Fold, type Folded, type FoldedRow, rebuildRow, refold } from './rows/refold.ts'
export {
  keysInPlace,
  keysOfChildren,
  listRows,
  listScheduling,
  readHeads,
  readRows,
  type SeenRow,
} from './rows/rows.ts'
export { catalogRowsOf, getBlobCached, rowSource } from './rows/source.ts'
export { type DatabaseOptions, type Db, inSnapshot, openDatabase } from './sql/database.ts'
export { migrate } from './sql/migrate.ts'
export type { ChainDb } from './sql/schema.ts'
export { isTransient } from './sql/transient.ts'
export {
  type Broken,
  type BrokenReason,
  type Verified,
  type VerifyOptions,
  verifyChains,
} from './verify/verify.ts'
export { verifyInSql } from './verify/verify-in-sql.ts'
