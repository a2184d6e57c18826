/** Checks audit bundles and receipts of TreeOS, of bytes alone. What moments open with, calls of bundles and the gates of receipts are asked of the functions that the worker asked; hashes, signatures, trees and chains are its own code. */

export { verifyBundle } from './bundle/bundle.ts'
export type { Broken } from './bundle/causes.ts'
export type { Scope } from './bundle/cover.ts'
export { pathsRead } from './bundle/opened.ts'
export type { Erased, Verified } from './bundle/verified.ts'
export { canonical, type Json, type JsonObject, parseCanonical } from './canonical.ts'
export { readCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
export { type Cosigned, cosignedBy, type OutsideWitness } from './cosignature.ts'
export { type Followed, verifyFollows } from './follow.ts'
export { lineHash } from './hash.ts'
export { MissingReel } from './missing-reel.ts'
export { type Signing, signerOf, signingOf } from './passkey.ts'
export { Passkeys } from './passkeys.ts'
export {
  describeQuorum,
  isQuorum,
  lacking,
  parsePolicy,
  type Quorum,
  type Trusting,
  trusted,
  type WitnessPolicy,
} from './policy.ts'
export { type Derived, derive } from './receipt/derive.ts'
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
export { BORE, isOfContext, isRead, type Link } from './receipt/witness-reels.ts'
export { shownReceipt, shownReceipts, shownVerified } from './show.ts'
export {
  parseKey,
  preAuthentication,
  readSignatures,
  type VerifierKey,
} from './signature.ts'
export type { Checking, Status } from './status.ts'
