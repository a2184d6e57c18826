import { utf8Length } from '@treeos/core'
import { HANDED_ON_BYTES_MAX, type HandedOn, type Vault, type VaultClient } from '@treeos/overlay/vault'
import { announceVault, listVaults, type StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'

/** A worker that stops looks this long for another one that takes its overlays. */
const SEARCH_MS_MAX = 5000

/**
 * Hands the overlays of a vault on to the vault of another worker, from memory to memory, and says in the
 * table of vaults that it is found there now.
 * @param at url: where the vault itself listens
 * @returns false when it holds none, or no other worker takes them; what cannot be handed on to the first
 *   that takes some is lost
 */
export async function handOn(
  vault: Vault,
  at: { readonly db: Kysely<StoreDb>; readonly caller: VaultClient; readonly url: string },
  onError: (error: unknown) => void,
): Promise<boolean> {
  const messages = inMessages(vault.handOn())
  if (messages.length === 0) return false
  const late = performance.now() + SEARCH_MS_MAX
  for (const heir of await listVaults(at.db)) {
    if (heir.url === at.url || vault.serves(heir.id)) continue
    let taken = 0
    try {
      for (const message of messages) {
        if (performance.now() > late) break
        await at.caller.handOn(heir, message)
        taken += 1
      }
    } catch (error) {
      onError(error)
    }
    if (taken === 0) continue
    for (const id of vault.names) await announceVault(at.db, { id, url: heir.url })
    return true
  }
  return false
}

function inMessages(handed: readonly HandedOn[]): HandedOn[][] {
  const messages: HandedOn[][] = []
  let room = 0
  for (const one of handed) {
    const bytes = utf8Length(JSON.stringify(one)) + 1
    if (bytes > room) {
      messages.push([])
      room = HANDED_ON_BYTES_MAX
    }
    messages.at(-1)?.push(one)
    room -= bytes
  }
  return messages
}
