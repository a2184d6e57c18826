import {
  type BeingName,
  beingReel,
  type FactHeader,
  isJsonObject,
  type Json,
  type MomentId,
  type OutcomeKind,
  type ReelId,
  SPEECH_KIND,
} from '@treeos/core'
import { sql } from 'kysely'
import { isLasting } from '../rows/why-not-erasable.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** A fact or a moment that concerns somebody. */
export type PersonItem = (FactItem | MomentItem) & {
  /** ms since 1970 UTC */
  readonly at: number
  /** who did or lived it */
  readonly by: string
  /** it was erased, or there was nothing to erase */
  readonly isGone: boolean
  /** the legal hold that it is under, as `"NAME" on ADDRESS`; null without one */
  readonly hold: string | null
  /** what a fact says, or what a moment decided and did outside; null where it is gone */
  readonly content: Json
}

interface FactItem {
  readonly kind: 'fact'
  readonly reel: ReelId
  readonly seq: number
  /** of the fact */
  readonly what: string
  /** its kind is of those that cannot be erased */
  readonly isLasting: boolean
}

interface MomentItem {
  readonly kind: 'moment'
  readonly moment: MomentId
  readonly what: OutcomeKind
}

interface StoredItem {
  readonly reel: ReelId | null
  readonly seq: number | null
  readonly moment: MomentId | null
  readonly what: string
  readonly header: Buffer | null
  readonly being: BeingName | null
  readonly at: number
  readonly hold: string | null
  readonly content: Buffer | null
  readonly result: Buffer | null
}

/**
 * All that is kept of somebody, over all beings, oldest first: their own facts and those of others about them,
 * words to them, and every moment that concerns them, as the SQL function `concerned_by` says. It reads the
 * whole record, so it is for people, not for moments.
 */
export async function listPersonItems(
  db: Db,
  { person, skip, limit }: { readonly person: BeingName; readonly skip: number; readonly limit: number },
): Promise<PersonItem[]> {
  const { rows } = await sql<StoredItem>`
    with lived as materialized (
      select m.moment, m.being, m.kind, m.sealed_at from treeos.moment_outcome m
      where m.being = ${person} or ${person} = any(treeos.concerned_by(m.moment))
    ), all_items as (
      select f.reel, f.seq, null::text as moment, f.kind as what, f.header, null::text as being,
        (treeos.told(f.header)->>'at')::bigint as at, f.bytes as content, null::bytea as result
      from treeos.fact f
      where f.reel = ${beingReel(person)} or treeos.told(f.header)->>'actor' = ${person} or treeos.told(f.header)->>'driver' = ${person}
        or f.moment in (select moment from lived) or (f.kind = ${SPEECH_KIND} and treeos.told(f.bytes)->>'to' = ${person})
      union all
      select null, null, l.moment, l.kind::text, null, l.being, l.sealed_at, d.bytes, e.result
      from lived l left join treeos.moment_decision d on d.moment = l.moment left join treeos.moment_effect e on e.moment = l.moment
    ), page as (
      select * from all_items order by at, moment nulls first, reel collate "C", seq offset ${skip} limit ${limit}
    )
    select page.*, treeos.hold_over(coalesce(reel, 'being:' || being), seq, moment) as hold from page
    order by at, moment nulls first, reel collate "C", seq`.execute(db)
  return rows.map(itemOf)
}

function itemOf({
  reel,
  seq,
  moment,
  what,
  header,
  being,
  at,
  hold,
  content,
  result,
}: StoredItem): PersonItem {
  const told = content === null ? null : decodeJson<Json>(content)
  if (header !== null && reel !== null && seq !== null) {
    const by = isJsonObject(told) && typeof told.onBehalfOf === 'string' ? told.onBehalfOf : null
    const { actor } = decodeJson<FactHeader>(header)
    const shown = { kind: 'fact' as const, reel, seq, what, isLasting: isLasting(what) }
    return { ...shown, at, by: by ?? actor, isGone: content === null, hold, content: told }
  }
  const effect = result === null ? null : decodeJson<Json>(result)
  return {
    kind: 'moment',
    moment: String(moment),
    what: what as OutcomeKind,
    at,
    by: String(being),
    isGone: content === null && result === null,
    hold,
    content:
      content === null && result === null ? null : { decision: told, ...(effect === null ? {} : { effect }) },
  }
}
