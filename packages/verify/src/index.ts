/**
 * Checks audit bundles and receipts of TreeOS, of bytes alone. What moments open with, calls of bundles and
 * the gates of receipts are asked of the functions that the worker asked; hashes, signatures, trees and
 * chains are its own code.
 */

export { type BundleOptions, verifyBundle } from './bundle/bundle.ts'
export type { BundleReport, ErasedContent } from './bundle/bundle-report.ts'
export type { BrokenPlace } from './bundle/causes.ts'
export { type ChainLinks, readChainLinks } from './bundle/chain-links.ts'
export type { BundleCover } from './bundle/cover.ts'
export { pathsRead } from './bundle/derive-opened.ts'
export { canonical, type Json, type JsonObject, parseCanonical } from './canonical.ts'
export { readCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
export { cosignedBy, type OutsideWitness, type WitnessCosignature } from './cosignature.ts'
export { type FollowReport, verifyFollows } from './follow.ts'
export { lineHash } from './hash.ts'
export { MissingReel } from './missing-reel.ts'
export { type PasskeyResult, signerOf, signingOf } from './passkey.ts'
export { Passkeys } from './passkeys.ts'
export {
  describeQuorum,
  isQuorum,
  parsePolicy,
  type Quorum,
  quorumFaults,
  type TrustOptions,
  trustedPolicy,
  type WitnessPolicy,
} from './policy.ts'
export { type DerivedPermission, derivePermission } from './receipt/derive-permission.ts'
export {
  type CheckedReceipt,
  type CheckedReceipts,
  PAYLOAD_TYPE,
  RECEIPT_TYPE,
  STATEMENT_TYPE,
  verifyReceipt,
  verifyReceipts,
} from './receipt/receipt.ts'
export type { Verdict } from './receipt/verdict.ts'
export type { Witness } from './receipt/witness.ts'
export {
  BIRTH_OF_CHILD_KIND,
  isContextKind,
  isPermissionFact,
  type ReceiptLink,
} from './receipt/witness-reels.ts'
export { shownReceipt, shownReceipts, shownVerified } from './show.ts'
export {
  parseKey,
  preAuthentication,
  readSignatures,
  type VerifierKey,
} from './signature.ts'
export type { CheckOptions, Status } from './status.ts'
export { faultOfWake } from './wake.ts'
