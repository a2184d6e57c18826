/** What a reality hands to people outside, for them to check: audit bundles, and receipts of single moments. */
export { type Exported, type ExportRequest, exportBundle } from './bundle.ts'
export type { CheckpointedLog, LogProof } from './log.ts'
export { envelopeOf, issueReceipt, type ReceiptSigner } from './receipt.ts'
