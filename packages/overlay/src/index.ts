/**
 * Overlays: text for one call of a model. It is resolved before the call and never recorded. What keeps it
 * until then is behind the door `./vault`.
 */
export {
  checkCommitment,
  commitTo,
  newSalt,
  recordOf,
  saltFrom,
} from './resolve/commitment.ts'
export { ECHO_MASK, maskEcho } from './resolve/echo.ts'
export {
  DEFAULT_MODE,
  type OverlayMode,
  type OverlaysByTier,
  resolveOverlays,
} from './resolve/resolve.ts'
export { markOf, vaultOf } from './shape/handle.ts'
export {
  admits,
  ENTRY,
  isStoredTier,
  isTier,
  type Overlay,
  parseOverlay,
  type SignatureRef,
  STORED_TIERS,
  type StoredTier,
} from './shape/overlay.ts'
export { VaultAwayError } from './shape/vault-away-error.ts'
