/** Overlays: text for one call of a model. It is resolved before the call and never recorded. */
export {
  checkCommitment,
  commitTo,
  newSalt,
  recordOf,
  saltFrom,
} from './resolve/commitment.ts'
export { ECHO_MASK, ECHO_MIN, maskEcho } from './resolve/echo.ts'
export {
  DEFAULT_MODE,
  labelOf,
  MODES,
  type OverlayMode,
  type OverlaysByTier,
  type ResolvedOverlay,
  resolveOverlays,
} from './resolve/resolve.ts'
export {
  admits,
  ENTRY,
  isSignatureName,
  isStoredTier,
  isTier,
  OVERLAY_LIMITS,
  type Overlay,
  parseOverlay,
  requireOverlayText,
  type SignatureRef,
  STORED_TIERS,
  type StoredTier,
  TIERS,
  type Tier,
} from './shape/overlay.ts'
export { HANDED_ON_BYTES_MAX, VaultAwayError, VaultCaller } from './vault/caller.ts'
export { vaultKeyIn } from './vault/key.ts'
export { type Listener, type ListenOptions, listen, type MutualTls } from './vault/listener.ts'
export { overlayModeIn, vaultAccess, vaultOfWorker } from './vault/settings.ts'
export {
  type HandedOn,
  type Kept,
  type OverlayUse,
  type Purpose,
  type Taken,
  type Taker,
  VAULT_LIMITS,
  Vault,
  vaultOf,
} from './vault/vault.ts'
