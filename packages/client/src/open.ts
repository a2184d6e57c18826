/**
 * What a program of one's own opens before it acts: the record, the vaults of workers, and the operations
 * that it may name.
 */
export { VaultClient } from '@treeos/overlay/vault'
export { findReality, openDatabase } from '@treeos/store'
export { buildRegistry, seed } from '@treeos/world'
