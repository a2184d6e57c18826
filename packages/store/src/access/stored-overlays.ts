import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Names one stored overlay. The tier is unchecked: storage refuses those that are never stored. */
export interface OverlayKey {
  readonly tier: string
  /** the channel's name, `reality`, or the being of a person */
  readonly scope: string
  readonly name: string
}

/** An overlay as it is stored. */
export interface OverlayEntry extends OverlayKey {
  readonly content: string
  /** names of Signatures; null: the entry Signature */
  readonly applies: readonly string[] | null
  readonly setBy: BeingName
  readonly setAt: Date
  /** it was set last in its tier and scope, so it is the one that counts */
  readonly isInForce: boolean
}

export type OverlaySet = 'set' | 'unstored' | 'forbidden' | 'too-long' | 'too-many'
export type OverlayDeleted = 'deleted' | 'unstored' | 'forbidden' | 'missing'

/** Stores an overlay, in place of the one with its name. */
export async function setStoredOverlay(
  db: Db,
  { tier, scope, name }: OverlayKey,
  overlay: Pick<OverlayEntry, 'content' | 'applies'> & { readonly by: BeingName },
): Promise<OverlaySet> {
  const { content, applies, by } = overlay
  const { rows } = await sql<{ answer: OverlaySet }>`
    select treeos.set_overlay(${tier}, ${scope}, ${name}, ${content}, ${applies}::text[], ${by}) as answer`.execute(
    db,
  )
  return rows[0]?.answer ?? 'forbidden'
}

export async function deleteStoredOverlay(
  db: Db,
  { tier, scope, name }: OverlayKey,
  by: BeingName,
): Promise<OverlayDeleted> {
  const { rows } = await sql<{ answer: OverlayDeleted }>`
    select treeos.delete_overlay(${tier}, ${scope}, ${name}, ${by}) as answer`.execute(db)
  return rows[0]?.answer ?? 'forbidden'
}

/**
 * The stored overlays that a person may read: those of the reality, and those that it may set. By tier, scope
 * and name.
 */
export async function listStoredOverlays(db: Db, reader: BeingName): Promise<OverlayEntry[]> {
  const { rows } = await sql<OverlayEntry>`
    select tier::text, scope, name, content, applies, set_by as "setBy", set_at as "setAt",
      row_number() over (partition by tier, scope order by set_at desc, name) = 1 as "isInForce"
    from treeos.overlay
    where tier::text = 'workspace' or treeos.may_set_overlay(tier::text, scope, ${reader})
    order by tier::text, scope, name`.execute(db)
  return rows
}
