/** Overlays: text for one call of a model. It is resolved before the call and never recorded. */
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
export { HANDED_ON_BYTES_MAX, VaultAwayError, VaultCaller } from './vault/caller.ts'
export { vaultKeyIn } from './vault/key.ts'
export { type Listener, type ListenOptions, listen } from './vault/listener.ts'
export { overlayModeIn, vaultAccess, vaultOfWorker } from './vault/settings.ts'
export {
  type HandedOn,
  type Kept,
  markOf,
  type Purpose,
  type Taken,
  type Taker,
  Vault,
  vaultOf,
} from './vault/vault.ts'
