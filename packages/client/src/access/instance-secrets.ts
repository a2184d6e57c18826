import { TreeosError } from '@treeos/core'
import type { VaultClient } from '@treeos/overlay/vault'

/**
 * A secret of the instance, which follows from the key that its workers and clients share, and from a salt:
 * it is stored nowhere, and neither of both is enough to make it.
 * @param name what it is for
 * @param salt random bytes that workers may not read
 * @throws {TreeosError} SERVICE_UNAVAILABLE in a program that has no key
 */
export function instanceSecret(
  { vaults }: { readonly vaults?: VaultClient },
  name: string,
  salt: Uint8Array,
): Buffer {
  if (vaults !== undefined) return vaults.secretFor(name, salt)
  throw new TreeosError(
    'SERVICE_UNAVAILABLE',
    'this program has no key of the instance: a worker makes it in its folder, or TREEOS_VAULT_KEY names its file',
  )
}
