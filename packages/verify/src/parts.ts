/**
 * The steps of a derivation, one by one, and the hashes: for those who compare them with another
 * implementation, or forge.
 */
export { actHash, factHash, momentHash, saltedHash, saltedHeadHash, valueHash } from './hash.ts'
export { shownHeads, wholeHeads } from './heads.ts'
export { WitnessReels } from './receipt/witness-reels.ts'
