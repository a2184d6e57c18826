/**
 * What proves a record to others: the log and its checkpoints, verification, comparisons of realities, audit
 * bundles and receipts.
 */
export { type ExportedBundle, type ExportRequest, exportBundle } from './bundles/bundle.ts'
export type { CheckpointedLog } from './bundles/log.ts'
export {
  type Envelope,
  envelopeOf,
  issueReceipt,
  issueReceipts,
  type ReceiptSigner,
} from './bundles/receipt.ts'
export type { NotCosigned } from './log/add-checkpoint.ts'
export { findCosigned, findNewest, readCheckpointFiles, readKeys } from './log/checkpoint-files.ts'
export { checkpointRepeatedly, makeCheckpoint } from './log/checkpoints.ts'
export { HeadsOfLog } from './log/heads.ts'
export { loadSigners } from './log/keys.ts'
export { findLogIndex, readConsistencyProof, readInclusionProof, readTreeHead } from './log/prove.ts'
export { sequence } from './log/sequence.ts'
export {
  findLastSigned,
  type LastSigned,
  Signer,
  type SignerPlace,
  type SigningResult,
} from './log/signer.ts'
export { type LogState, readLogState } from './log/state.ts'
export { readTile } from './log/tiles.ts'
export {
  cosignRepeatedly,
  failWitnessing,
  findWitnessing,
  forgetWitnessing,
  WitnessClient,
  type WitnessFile,
  type WitnessState,
} from './log/witness-client.ts'
export { compareRealities, type RealityDifference } from './realities/compare.ts'
export { cutAt } from './realities/cut.ts'
export { forkReality } from './realities/fork.ts'
export { type Checkpoint, logOrigin } from './tree/checkpoint.ts'
export { leafHashOf } from './tree/leaf.ts'
export { newSignerKey, readSigner, readVerifier, type Verifier, verifierKeyOf } from './tree/note.ts'
export { isConsistent, isIncluded } from './tree/proofs.ts'
export { readFacts } from './verify/read.ts'
export type { BrokenReason, ChainFault, ChainsVerified } from './verify/verdict.ts'
export { verifyAll } from './verify/verify-all.ts'
export { verifyChains } from './verify/verify-chains.ts'
export { type LogVerified, verifyLog } from './verify/verify-log.ts'
