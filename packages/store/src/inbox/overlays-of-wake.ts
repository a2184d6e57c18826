import type { BeingName, OverlayTier } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Where the overlays of a moment are, without any text. */
export interface OverlaySources {
  /** handle of the overlay that its summon brought */
  readonly call: string | null
  /** handle of the overlay that its thread has */
  readonly thread: string | null
  /** whether any overlay is stored in this reality */
  readonly hasStored: boolean
}

export interface OverlayColumns {
  readonly overlay: string | null
  readonly thread_overlay: string | null
  readonly has_overlays: boolean
}

/** @returns undefined when there are none */
export function sourcesOf({
  overlay,
  thread_overlay,
  has_overlays,
}: OverlayColumns): OverlaySources | undefined {
  if (overlay === null && thread_overlay === null && !has_overlays) return undefined
  return { call: overlay, thread: thread_overlay, hasStored: has_overlays }
}

/** The sources of a wake that another process has claimed. */
export async function findOverlaySources(db: Db, wake: string): Promise<OverlaySources | undefined> {
  const { rows } = await sql<OverlayColumns>`
    select c.overlay,
      (select o.handle from treeos.overlay_change o where o.thread = c.root order by o.id desc limit 1) as thread_overlay,
      exists (select from treeos.overlay) as has_overlays
    from treeos.inbox c where c.id = ${wake}`.execute(db)
  const [row] = rows
  return row === undefined ? undefined : sourcesOf(row)
}

/** A stored overlay that is in force. */
export interface StoredOverlay {
  readonly tier: Extract<OverlayTier, 'channel' | 'workspace' | 'account'>
  readonly content: string
  /** names of Signatures; null: the entry Signature */
  readonly applies: readonly string[] | null
}

/**
 * The stored overlays of a moment, those set last first: of the reality; of the channel of its thread; and of
 * the person whose summon began the chain of its wake, else of the nearest person among the makers of its
 * being.
 */
export async function listOverlaysInForce(
  db: Db,
  { wake, being }: { readonly wake: string; readonly being: BeingName },
): Promise<StoredOverlay[]> {
  const { rows } = await sql<StoredOverlay>`
    with w as (select root, channel from treeos.inbox where id = ${wake}),
    channel as (
      select coalesce((select channel from w),
        (select i.channel from treeos.inbox i join w on i.root = w.root where i.channel is not null order by i.age limit 1)
      ) as name),
    account as (
      select coalesce(
        (select r.caller from treeos.inbox r join w on r.id = w.root where r.caller_cognition = 'human'),
        (select l.being from unnest(treeos.line_of(${being})) with ordinality l (being, nth)
          join treeos.projection p on p.key = 'being:' || l.being
          where p.cognition = 'human' order by l.nth limit 1)
      ) as name)
    select o.tier, o.content, o.applies from treeos.overlay o
    where (o.tier = 'workspace' and o.scope = ${WORKSPACE_SCOPE})
      or (o.tier = 'channel' and o.scope = (select name from channel))
      or (o.tier = 'account' and o.scope = (select name from account))
    order by o.set_at desc, o.name`.execute(db)
  return rows
}

/** The scope of the one workspace: the reality. */
export const WORKSPACE_SCOPE = 'reality'
