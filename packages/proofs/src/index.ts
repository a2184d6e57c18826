/** What proves a record to others: the log and its checkpoints, verification, comparisons of realities, audit bundles and receipts. */
export { type Exported, type ExportRequest, exportBundle } from './bundles/bundle.ts'
export type { CheckpointedLog, LogProof } from './bundles/log.ts'
export { envelopeOf, issueReceipt, type ReceiptSigner } from './bundles/receipt.ts'
export { type BookFault, type Books, readBooks, readKeys, readNewest } from './log/books.ts'
export { type CheckpointingOptions, keepCheckpointing, makeCheckpoint } from './log/checkpointing.ts'
export { loadSigners } from './log/keys.ts'
export { findLogIndex, readConsistencyProof, readInclusionProof, readTreeHead } from './log/prove.ts'
export { sequence } from './log/sequence.ts'
export { type LastSigned, readLastSigned, type Signed, Signer, type SignerPlace } from './log/signer.ts'
export { type LogState, readLogState } from './log/state.ts'
export { compareRealities, type MomentSide, type RealityDifference } from './realities/compare.ts'
export { type Copied, copyRecord } from './realities/copy.ts'
export { type Cut, cutAt } from './realities/cut.ts'
export { type Forked, type ForkRequest, forkReality } from './realities/fork.ts'
export {
  type Checkpoint,
  checkpointText,
  openCheckpoint,
  originOf,
  type Refusal,
  refusalOf,
  type TreeHead,
} from './tree/checkpoint.ts'
export { EMPTY_ROOT } from './tree/hash.ts'
export { type LogEntry, leafData, leafHashOf } from './tree/leaf.ts'
export {
  NoteError,
  type NoteSigner,
  newSignerKey,
  readSigner,
  readVerifier,
  signNote,
  type Verifier,
  verifierKeyOf,
} from './tree/note.ts'
export {
  isConsistent,
  isIncluded,
  type NodeReader,
  proveConsistency,
  proveInclusion,
  rootOf,
} from './tree/proofs.ts'
export { CompactRange } from './tree/range.ts'
export { type FactRow, readFacts } from './verify/read.ts'
export type { Broken, BrokenReason, Verified } from './verify/verdict.ts'
export { verifyAll } from './verify/verify-all.ts'
export { type VerifyOptions, verifyChains } from './verify/verify-chains.ts'
export { type LogVerified, type Suspect, verifyLog } from './verify/verify-log.ts'
