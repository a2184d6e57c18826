/**
 * The vault: the memory of a worker in which overlays wait for their call, and its calls between processes.
 */
export { HANDED_ON_BYTES_MAX, VaultClient } from './vault/client.ts'
export { vaultKeyIn } from './vault/key.ts'
export { type Listener, type ListenOptions, listen } from './vault/listener.ts'
export { overlayModeIn, vaultAccess, vaultOfWorker } from './vault/settings.ts'
export {
  type HandedOn,
  type KeptOverlay,
  type Purpose,
  type TakenOverlay,
  type Taker,
  Vault,
} from './vault/vault.ts'
