/** Judges the end state in plain SQL. It shares no code with what wrote that state. */

import type { Client } from '@temporalio/client'
import { verifyAll } from '@treeos/proofs'
import { replay } from '@treeos/replay'
import type { Reality, StoreDb } from '@treeos/store'
import { FOLD, type Registry } from '@treeos/world'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { judgeLetters, type Letter } from './letters.ts'

/** One act of a person, with ids known beforehand. */
export interface Asked {
  /** the correlation; the act's own wake is `act/<id>` */
  readonly id: string
  readonly person: string
  /** who was summoned; null for an act of the person's own, which nobody answers */
  readonly target: string | null
  /** pattern of the answer, with any number of the model's call; null where there is no answer */
  readonly answer: RegExp | null
  /** posted as a letter with this id */
  readonly posted?: true
  /** kind and reason of the outcome where it must fail: of the target's moment, else of the person's own */
  readonly fails?: RegExp
}

/** When the model was asked about a summon, ms since 1970. */
export type ModelCalls = ReadonlyMap<string, readonly number[]>

export interface Verdict {
  /** empty when everything holds */
  readonly broken: readonly string[]
  readonly moments: number
  readonly facts: number
  readonly modelCallsMax: number
  /** letters that reached the office again */
  readonly lettersAgain: number
}

interface Place {
  readonly db: Kysely<StoreDb>
  readonly temporal: Client
  readonly reality: Reality
  readonly registry: Registry
  readonly ground: { readonly replayBundlePath: string }
}

export interface Question {
  readonly asked: readonly Asked[]
  readonly modelCalls: ModelCalls
  readonly letters: readonly Letter[]
  /** times of every kill and cut, ms since 1970 */
  readonly faults: readonly number[]
  /** a terminated life may leave what it opened to the next one */
  readonly from: 'chain' | 'both'
}

export async function judge(at: Place, question: Question): Promise<Verdict> {
  const broken = [
    ...(await judgeAsked(at.db, question.asked)),
    ...(await judgeRows(at.db)),
    ...judgeCalls(question),
    ...judgeLetters(question.letters, postedIn(question.asked), question.faults),
  ]
  const verified = await verifyAll(at.db, at.reality.id, FOLD)
  broken.push(...verified.broken.map(({ reel, seq, reason }) => `verify ${reel}#${seq}: ${reason}`))
  const bundle = { codePath: at.ground.replayBundlePath }
  const replayed = await replay(at, { beings: null, from: question.from, bundle })
  for (const { being, n, field, recorded, chain, temporal } of replayed.mismatches.slice(0, 20)) {
    const values = [recorded, chain, temporal].map((value) => JSON.stringify(value)?.slice(0, 200))
    broken.push(
      `replay @${being} #${n} ${field}: recorded ${values[0]}, chain ${values[1]}, temporal ${values[2]}`,
    )
  }
  const modelCallsMax = Math.max(0, ...[...question.modelCalls.values()].map((calls) => calls.length))
  const lettersAgain = question.letters.length - new Set(question.letters.map(({ key }) => key)).size
  return { broken, moments: verified.moments, facts: verified.facts, modelCallsMax, lettersAgain }
}

const postedIn = (asked: readonly Asked[]) => asked.filter(({ posted }) => posted).map(({ id }) => id)

/**
 * Every accepted act has one outcome and one set of facts. Every summon adds one of each, and has one answer,
 * the expected one.
 */
async function judgeAsked(db: Kysely<StoreDb>, asked: readonly Asked[]): Promise<string[]> {
  const kindsOf = await grouped(
    sql`
    select wake as key, kind || coalesce(' ' || reason, '') as value from treeos.moment_outcome
    where reason is distinct from 'superseded' and wake is not null`,
    db,
  )
  const repliesTo = await grouped(
    sql`
    select being || ' ' || in_reply_to as key, convert_from(content, 'UTF8') as value from treeos.inbox
    where in_reply_to is not null`,
    db,
  )
  const factsOf = await grouped(
    sql`
    with said as (
      select reel, kind, convert_from(bytes, 'UTF8')::jsonb as payload from treeos.fact where bytes is not null
    )
    select reel || ' asked ' || (payload->>'correlation') as key, kind as value from said
      where kind = 'being:summoned' and payload->'inReplyTo' = 'null'
    union all
    select reel || ' answered ' || (payload->>'inReplyTo'), kind from said
      where kind = 'being:summoned' and payload->'inReplyTo' <> 'null'
    union all
    select reel || ' did ' || (payload->>'value'), kind from said where kind = 'quality:set'`,
    db,
  )

  const broken: string[] = []
  const one = (found: readonly string[] | undefined, what: string) => {
    if (found?.length !== 1)
      broken.push(`${what}: ${found?.length ?? 0} times [${found?.slice(0, 4).join(', ') ?? ''}]`)
    return found?.[0]
  }
  const endOf = (wake: string, wanted: RegExp) => {
    const kind = one(kindsOf.get(wake), `outcome of ${wake}`)
    if (kind !== undefined && !wanted.test(kind)) broken.push(`outcome of ${wake} is ${kind}`)
  }
  const actOf = (wake: string) => endOf(wake, /^act$/)
  for (const { id, person, target, answer, fails } of asked) {
    if (target === null && fails !== undefined) {
      endOf(`act/${id}`, fails)
      continue
    }
    actOf(`act/${id}`)
    one(
      factsOf.get(`being:${person} ${target === null ? 'did' : 'asked'} ${id}`),
      `fact of @${person} for ${id}`,
    )
    if (target === null) continue
    if (fails !== undefined) {
      endOf(id, fails)
      if (factsOf.has(`being:${target} answered ${id}`))
        broken.push(`@${target} answered ${id} though it failed`)
      continue
    }
    actOf(id)
    one(factsOf.get(`being:${target} answered ${id}`), `fact of @${target} for ${id}`)
    const text = one(repliesTo.get(`${person} ${id}`), `answer to @${person} for ${id}`)
    if (text !== undefined && answer?.test(JSON.parse(text)) === false)
      broken.push(`answer for ${id} is ${text}`)
  }
  return broken
}

async function grouped(query: RawBuilder<unknown>, db: Kysely<StoreDb>): Promise<Map<string, string[]>> {
  const { rows } = await (query as RawBuilder<{ key: string; value: string }>).execute(db)
  const values = new Map<string, string[]>()
  for (const { key, value } of rows) values.set(key, [...(values.get(key) ?? []), value])
  return values
}

interface Rule {
  readonly what: string
  readonly query: RawBuilder<{ found: string }>
}

/** Rules over all rows. Each query finds the rows that break its rule. */
const RULES: readonly Rule[] = [
  {
    what: 'a wake is still open',
    query: sql<{ found: string }>`
      select being || ' ' || id as found from treeos.inbox
      where closed_by is null and (kind = 'act' or (
        select cognition from treeos.projection where key = 'being:' || being) <> 'human')`,
  },
  {
    what: 'a wake was closed by a moment that has no outcome for it',
    query: sql<{ found: string }>`
      select i.id as found from treeos.inbox i
      where i.closed_by is not null and i.closed_by <> 'read' and not exists (
        select from treeos.moment_outcome o where o.moment = i.closed_by)`,
  },
  {
    what: 'a wake has two outcomes',
    query: sql<{ found: string }>`
      select wake as found from treeos.moment_outcome
      where reason is distinct from 'superseded' group by wake having count(*) > 1`,
  },
  {
    what: 'a moment was opened and never ended',
    query: sql<{ found: string }>`
      select moment as found from treeos.moment_open o
      where not exists (select from treeos.moment_outcome e where e.moment = o.moment)`,
  },
  {
    what: 'a being has a gap in its moments',
    query: sql<{ found: string }>`
      select being || ' ' || count(*) || '/' || max(n) as found from treeos.moment_outcome
      group by being having count(*) <> max(n) or min(n) <> 1`,
  },
  {
    what: 'a reel has a gap',
    query: sql<{ found: string }>`
      select reel || ' ' || count(*) || '/' || max(seq) as found from treeos.fact
      group by reel having count(*) <> max(seq) or min(seq) <> 1`,
  },
  {
    what: 'an act has other facts than its record says',
    query: sql<{ found: string }>`
      with said as (
        select o.moment, o.kind, f.fact->>0 as reel, (f.fact->>1)::bigint as seq, f.fact->>2 as hash
        from treeos.moment_outcome o
        left join jsonb_array_elements(convert_from(o.record, 'UTF8')::jsonb->'facts') as f(fact) on true
      ), there as (
        select moment, reel, seq, encode(hash, 'hex') as hash from treeos.fact where moment is not null
      )
      select coalesce(s.moment, t.moment) || ' ' || coalesce(s.reel || '#' || s.seq, 'not recorded')
        || ' / ' || coalesce(t.reel || '#' || t.seq, 'not there') as found
      from (select * from said where reel is not null) s
      full join there t on t.moment = s.moment and t.reel = s.reel and t.seq = s.seq and t.hash = s.hash
      where s.moment is null or t.moment is null
      union all
      select moment || ' is an act without a fact' from said where kind = 'act' and reel is null
      union all
      select moment || ' is ' || kind || ' and has a fact' from said
      where kind <> 'act' and reel is not null and not (kind = 'waiting' and reel = 'approval:' || moment)`,
  },
  {
    what: 'a record names an act that did not happen, or leaves one out',
    query: sql<{ found: string }>`
      select moment as found from treeos.moment_outcome
      where (kind = 'act') <> (convert_from(record, 'UTF8')::jsonb->>'act' is not null)`,
  },
  {
    what: 'a summon was answered twice',
    query: sql<{ found: string }>`
      select in_reply_to as found from treeos.inbox
      where in_reply_to is not null group by in_reply_to, being having count(*) > 1`,
  },
]

async function judgeRows(db: Kysely<StoreDb>): Promise<string[]> {
  const broken: string[] = []
  for (const { what, query } of RULES) {
    const { rows } = await query.execute(db)
    if (rows.length === 0) continue
    const shown = rows.slice(0, 3).map(({ found }) => found)
    broken.push(`${what}: ${shown.join(', ')}${rows.length > 3 ? ` and ${rows.length - 3} more` : ''}`)
  }
  return broken
}

/** A model is asked again only because something died since it was asked. */
function judgeCalls({ modelCalls, faults }: Question): string[] {
  const broken: string[] = []
  for (const [id, calls] of modelCalls) {
    for (const [i, at] of calls.entries()) {
      const before = calls[i - 1]
      if (before === undefined || faults.some((fault) => fault >= before && fault <= at)) continue
      const died = faults.filter((fault) => fault < before)
      const since = died.length === 0 ? '' : `, ${(before - Math.max(...died)) / 1000} s after the last death`
      broken.push(
        `the model was asked ${calls.length} times about ${id}, with nothing dying between ${i} and ${i + 1}` +
          `${since}, ${(at - before) / 1000} s apart`,
      )
    }
  }
  return broken
}
