/**
 * Rewrites of Postgres by somebody who computes hashes again, so that the chains themselves hold together.
 */
import type { Json, JsonObject } from '@treeos/core'
import type { Random } from '../../faults/random.ts'
import { type Row, tableOf } from './dump.ts'
import type { Edit } from './edits.ts'
import { type Forgery, hasPayload, hex, jsonOf, payloadHash, stored, valueDigest } from './forgery.ts'
import type { Backup } from './stage.ts'

const anyFact = (forgery: Forgery, random: Random): Row => random.pick(forgery.rows('fact'))
const anyRecord = (forgery: Forgery, random: Random): Row => random.pick(forgery.rows('moment_outcome'))

/**
 * A fact happened at another time, or a moment began or ended at another one. Its own hash fits; sometimes
 * all after it.
 */
export const reTime: Edit = (forgery, random) => {
  const shift = random.between(1, 10) * (random.chance(0.5) ? 1000 : -1000)
  const what = random.between(0, 2)
  if (what === 0) {
    const fact = anyFact(forgery, random)
    forgery.rewrite(fact, { at: Number(jsonOf(fact.header).at) + shift })
    if (random.chance(0.7)) forgery.relinkFacts(fact.reel ?? '', Number(fact.seq))
  } else if (what === 1) {
    const row = anyRecord(forgery, random)
    row.sealed_at = String(Number(row.sealed_at) + shift)
    row.record = stored({ ...jsonOf(row.record), sealedAt: Number(row.sealed_at) })
    if (random.chance(0.7)) forgery.relinkRecords(row.being ?? '', Number(row.n))
  } else {
    const open = random.pick(forgery.rows('moment_open'))
    open.opened_at = String(Number(open.opened_at) + shift)
    open.record = stored({ ...jsonOf(open.record), openedAt: Number(open.opened_at) })
  }
}

/** A fact is on another reel, and both chains hold together. */
export const moveFact: Edit = (forgery, random) => {
  const fact = anyFact(forgery, random)
  const [from, to] = [fact.reel ?? '', anyFact(forgery, random).reel ?? '']
  if (from === to) return
  const after = forgery.facts(from).filter(({ seq }) => Number(seq) > Number(fact.seq))
  const place = { reel: to, seq: String(forgery.facts(to).length + 1) }
  Object.assign(fact, place)
  for (const row of after) {
    row.seq = String(Number(row.seq) - 1)
    forgery.rewrite(row)
  }
  forgery.rewrite(fact)
  forgery.relinkFacts(from)
  forgery.relinkFacts(to)
}

/** What a fact says, who did it or why is otherwise, and all of its reel after it is linked anew. */
export const rewriteReel: Edit = (forgery, random) => {
  const fact = anyFact(forgery, random)
  const header: Record<string, Json> = {}
  if (hasPayload(fact) && random.chance(0.5)) fact.bytes = stored(otherText(jsonOf(fact.bytes), random))
  else if (random.chance(0.5)) header.actor = random.pick(['ann', 'ben', 'operator'])
  else header.driver = random.pick(['ann', 'operator', null])
  if (hasPayload(fact) && random.chance(0.3)) fact.salt = hex(Buffer.alloc(32, random.between(0, 255)))
  forgery.rewrite(fact, header)
  forgery.relinkFacts(fact.reel ?? '', Number(fact.seq))
}

/** Another text in one place of a JSON value. */
function otherText(value: JsonObject, random: Random): JsonObject {
  const names = Object.keys(value)
  if (names.length === 0) return { said: 'more' }
  const name = random.pick(names)
  const old = value[name] as Json
  const isPlain = typeof old === 'object' && old !== null && !Array.isArray(old)
  if (isPlain) return { ...value, [name]: otherText(old as JsonObject, random) }
  return {
    ...value,
    [name]: typeof old === 'string' ? `${old}!` : typeof old === 'number' ? old + 1 : 'other',
  }
}

/**
 * How a moment ended, or what it rests on, is otherwise, and all records of the being after it are linked
 * anew.
 */
export const rewriteRecords: Edit = (forgery, random) => {
  const row = anyRecord(forgery, random)
  const record = jsonOf(row.record)
  const digests = Object.keys(record).filter((name) => /^[0-9a-f]{64}$/.test(String(record[name])))
  const changes: readonly (() => JsonObject)[] = [
    () => ({ by: ['role:other'] }),
    () => ({ openedAt: Number(record.openedAt) - 1 }),
    () => {
      row.sealed_at = String(Number(row.sealed_at) + 1)
      return { sealedAt: Number(row.sealed_at) }
    },
    () => {
      row.reason = row.reason === null ? 'FORBIDDEN' : null
      return { reason: row.reason }
    },
    () => {
      row.kind = random.pick(['act', 'see', 'failure'])
      return { outcome: row.kind }
    },
    () => ({ [random.pick(digests)]: random.pick(digests.map((name) => record[name] as Json)) }),
  ]
  row.record = stored({ ...record, ...random.pick(changes)() })
  forgery.relinkRecords(row.being ?? '', Number(row.n))
}

/** What a mind answered, or an effect gave, is otherwise, with a digest that fits. */
export const editAnswer: Edit = (forgery, random) => {
  const isEffect = random.chance(0.3)
  const row = random.pick(forgery.rows(isEffect ? 'moment_effect' : 'moment_decision'))
  const column = isEffect ? random.pick(['request', 'result']) : 'bytes'
  row[column] = stored(otherText(jsonOf(row[column]), random))
  if (random.chance(0.3)) row.salt = hex(Buffer.alloc(32, random.between(0, 255)))
  if (!isEffect) row.digest = payloadHash(row.salt ?? '', row.bytes ?? '').toString('hex')
}

/** A role says otherwise: its content, the fact that set it, or the stack that a moment wore. */
export const editRole: Edit = (forgery, random) => {
  const what = random.between(0, 2)
  if (what === 0) {
    const row = random.pick(forgery.rows('projection').filter(({ key }) => key?.startsWith('role:')))
    const digest = /"digest":"([0-9a-f]{64})"/.exec(row.state ?? '')?.[1] ?? ''
    const spec = forgery.rows('blob').find((blob) => blob.digest === digest)
    if (spec === undefined) return
    const bytes = stored(otherText(jsonOf(spec.bytes), random))
    const other = valueDigest(bytes)
    forgery.rows('blob').push({ digest: other, bytes })
    row.state = (row.state ?? '').replaceAll(digest, other)
  } else if (what === 1) {
    const fact = random.pick(forgery.facts('registry'))
    if (!hasPayload(fact)) return
    fact.bytes = stored(otherText(jsonOf(fact.bytes), random))
    forgery.rewrite(fact)
    forgery.relinkFacts('registry', Number(fact.seq))
  } else {
    const row = anyRecord(forgery, random)
    const record = jsonOf(row.record)
    const stack = record.stack as { primary: { digest: string } } | null
    if (stack === null) return
    stack.primary.digest = jsonOf(anyRecord(forgery, random).record).stackDigest as string
    row.record = stored(record)
    forgery.relinkRecords(row.being ?? '', Number(row.n))
  }
}

const CHAINED = ['fact', 'head', 'projection', 'watch', 'account', 'lease', 'parking'] as const
const OF_MOMENTS = ['moment_open', 'moment_decision', 'moment_effect', 'moment_outcome'] as const

/**
 * The newest moments of one being never happened: what they wrote is gone, with heads and rows as they were
 * before.
 */
export const truncate =
  (backups: readonly Backup[]): Edit =>
  (forgery, random) => {
    const { dump } = random.pick(backups.slice(0, -1))
    const being = anyRecord(forgery, random).being ?? ''
    const known = new Set(tableOf(dump, 'moment_outcome').rows.map(({ moment }) => moment))
    const isGone = (row: Row) => (row.moment ?? '').startsWith(`${being}/`) && !known.has(row.moment ?? '')
    const reels = new Set(forgery.rows('fact').flatMap((row) => (isGone(row) ? [row.reel ?? ''] : [])))
    for (const table of OF_MOMENTS) forgery.drop(table, isGone)
    reels.add(`moments:${being}`)
    for (const table of CHAINED) putBack(forgery, table, (row) => reels.has(reelOfRow(table, row)), dump)
  }

export function reelOfRow(table: string, row: Readonly<Row>): string {
  if (table === 'projection') return row.key?.startsWith('role:') ? 'registry' : (row.key ?? '')
  return ['watch', 'account', 'lease', 'parking'].includes(table) ? `being:${row.being}` : (row.reel ?? '')
}

function putBack(forgery: Forgery, table: string, is: (row: Readonly<Row>) => boolean, dump: Backup['dump']) {
  const old = tableOf(dump, table).rows.filter(is)
  forgery.keep(table, [...forgery.rows(table).filter((row) => !is(row)), ...old])
}

/** Tables that an attacker may leave as they are when the others are an older backup. */
const LEFT = ['blob', 'journal', 'token', 'reservation', 'delayed', 'mind_call', 'overlay']

/** Postgres is as one of these backups holds it. */
export const restore =
  (backups: readonly Backup[]): Edit =>
  (forgery, random) => {
    const { dump } = random.pick(backups)
    const left = LEFT.filter(() => random.chance(0.5))
    for (const [name, { rows }] of dump) if (!left.includes(name)) forgery.keep(name, rows)
  }
