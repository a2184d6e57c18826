import { asJson, fromJson, type Json, TreeosError } from '@treeos/core'
import { openedIn, type Presence } from '@treeos/reality'
import { digestOf, readBlobCached, readRows } from '@treeos/store'
import { isMarked, type RoleRow, type Row, roleKey, worldKey } from '@treeos/world'

/**
 * What a person marks as trusted: a place, a being or a thing by its whole address, or a role or the signals
 * of a namespace.
 */
export type VouchedFor =
  | { readonly address: string }
  | { readonly role: string }
  | { readonly namespace: string }

/** What stands in a row with words from outside. */
export interface MarkedView {
  /** names exactly this to the operation `vouch` */
  readonly seen: string
  readonly holds: Json
}

/**
 * Shows what a person is to vouch for. The text of a note is readable in it; `seen` is the digest of what is
 * recorded.
 * @throws {TreeosError} RESOURCE_CONFLICT where nothing there is from outside
 */
export async function markedView(
  { db, reality }: Pick<Presence, 'db' | 'reality'>,
  asked: VouchedFor,
): Promise<MarkedView> {
  const [row] = await readRows(db, reality.id, [vouchedKey(asked)])
  const state = row?.state ?? null
  if (state === null || !isMarked(fromJson<Row>(state)))
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      'everything there is trusted: it holds nothing from outside that is not marked as trusted',
    )
  const seen = digestOf(state)
  if (!('role' in asked)) return { seen, holds: await openedIn(db, vouchedKey(asked), state) }
  const role = fromJson<RoleRow>(state)
  return { seen, holds: asJson({ ...role, spec: await readBlobCached(db, role.digest) }) }
}

function vouchedKey(asked: VouchedFor): string {
  if ('role' in asked) return roleKey(asked.role)
  if ('namespace' in asked) return worldKey(asked.namespace)
  const { address } = asked
  if (address.startsWith('@')) return `being:${address.slice(1)}`
  return address.startsWith('/') ? `space:${address}` : address
}
