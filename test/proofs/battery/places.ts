/** Where an attack touched the record, and whether what was found names it. */
import { parseMomentId } from '@treeos/core'
import type { Finding } from './auditor.ts'
import { type Change, type Dump, type Row, tableOf } from './dump.ts'
import { beingOfRun, type Event, firstDifference, type Histories } from './histories.ts'
import type { Changed } from './history-edits.ts'
import { reelOfRow } from './rewrites.ts'

/** Numbers by reel, sorted; null where a place has no number. */
export type Places = ReadonlyMap<string, readonly number[] | null>

/** The places of changed rows: their reels and numbers, and the moments that wrote or lived them. */
export function placesOf(changes: readonly Change[], from: Dump): Places {
  const places = new Map<string, number[] | null>()
  const add = (reel: string, seq: number | null) => {
    const known = places.get(reel)
    if (known === null || seq === null) places.set(reel, null)
    else
      places.set(
        reel,
        [...new Set([...(known ?? []), seq])].sort((a, b) => a - b),
      )
  }
  const numberOf = new Map(tableOf(from, 'moment_outcome').rows.map(({ moment, n }) => [moment, Number(n)]))
  const addMoment = (moment: string | null | undefined) => {
    if (!moment || !MOMENT_ID.test(moment)) return // what a flipped bit makes of an id may name no moment
    add(`moments:${parseMomentId(moment).being}`, numberOf.get(moment) ?? parseMomentId(moment).n)
  }
  const causeOf = new Map(
    tableOf(from, 'fact').rows.map(({ hash, reel, seq }) => [hash, { reel: reel ?? '', seq: Number(seq) }]),
  )
  const byTable: Record<string, (row: Readonly<Row>) => void> = {
    fact: (row) => {
      add(row.reel ?? '', Number(row.seq))
      addMoment(row.moment)
    },
    inbox: (row) => {
      add(`inbox:${row.being}`, Number(row.age))
      addMoment(row.claimed_by)
      addMoment(row.closed_by)
      const cause = row.kind === 'summon' ? causeOf.get(row.cause ?? null) : undefined
      if (cause !== undefined) add(cause.reel, cause.seq)
    },
    blob: (row) => add(`blob:${row.digest}`, 0),
    reality: () => add(ANYWHERE, null),
    moment_outcome: (row) => add(`moments:${row.being}`, Number(row.n)),
    moment_open: (row) => addMoment(row.moment),
    moment_decision: (row) => addMoment(row.moment),
    moment_effect: (row) => addMoment(row.moment),
  }
  const numberless: Record<string, (row: Readonly<Row>) => string> = {
    head: (row) => row.reel ?? '',
    life: (row) => `moments:${row.being}`,
    ...Object.fromEntries(
      ['projection', 'watch', 'account', 'lease', 'parking'].map((name) => [
        name,
        (row: Readonly<Row>) => reelOfRow(name, row),
      ]),
    ),
  }
  const rowsIn = (tables: Record<string, unknown>) =>
    changes.flatMap(({ table, before, after }) =>
      table in tables ? [before, after].flatMap((row) => (row === null ? [] : [{ table, row }])) : [],
    )
  for (const { table, row } of rowsIn(byTable)) byTable[table]?.(row)
  // What has a number says more than what has none.
  for (const { table, row } of rowsIn(numberless)) {
    const reel = numberless[table]?.(row) ?? ''
    if (!places.has(reel)) add(reel, null)
  }
  return places
}

const MOMENT_ID = /^[^/]+\/[1-9]\d*\/[1-9]\d*$/

/** Another id of the reality makes every chain another one. */
const ANYWHERE = '*'

/** What a finding names: its own place, and a fact that the moment read. */
function named({ reel, seq, why, says }: Finding): { reel: string; seq: number; why: string }[] {
  const cited = [...says.matchAll(/fact (\d+) of ([a-z]+(?::[^\s"]+)?)/g)]
  return [
    { reel, seq, why },
    ...cited.map(([, seq, reel = '']) => ({ reel, seq: Number(seq), why: 'cited' })),
  ]
}

/** Whether something was found at the first place that was touched on its reel. */
export function isLocated(found: readonly Finding[], places: Places): boolean {
  if (places.has(ANYWHERE)) return found.length > 0
  return found.flatMap(named).some(({ reel, seq, why }) => {
    const touched = places.get(reel)
    if (touched === undefined) return false
    if (touched === null) return true
    const first = touched[0] ?? 0
    // A wrong head is named by the last fact, and a gap by the first number that is missing.
    return (
      seq === first || (why === 'head-mismatch' && seq === first - 1) || (why === 'seq-gap' && seq < first)
    )
  })
}

/**
 * For each being the moment under way where its histories first differ from what they were; that and the next
 * one may be named.
 */
export function placesOfHistories(changed: Changed, from: Histories): Places {
  const places = new Map<string, number[]>()
  for (const [run, history] of changed) {
    const reel = `moments:${beingOfRun(run)}`
    // an invented run is like another one
    const like = from.get(run) ?? from.get(run.replace(/-forged-\d+$/, ''))
    const n = firstMoment(like?.events ?? [], history?.events ?? [])
    const known = places.get(reel)?.[0] ?? Number.POSITIVE_INFINITY
    if (n < known) places.set(reel, [n])
  }
  return places
}

function firstMoment(were: readonly Event[], are: readonly Event[]): number {
  const end = firstDifference(were, are)
  const opened = were.flatMap((event, i) => {
    const n = openedIn(event)
    return n === null ? [] : [{ i, n }]
  })
  return opened.findLast(({ i }) => i < end)?.n ?? opened[0]?.n ?? 1
}

/** The number of the moment that a local activity opened. */
function openedIn({ markerRecordedEventAttributes: marker }: Event): number | null {
  const text = Buffer.from(marker?.details?.result?.payloads?.[0]?.data ?? []).toString('utf8')
  const moment = /"moment":"[^"/]+\/\d+\/(\d+)"/.exec(text)?.[1]
  return moment === undefined || !text.includes('"decided"') ? null : Number(moment)
}

export function isLocatedInHistory(found: readonly Finding[], places: Places): boolean {
  return found.some(({ reel, seq }) => {
    const first = places.get(reel)?.[0]
    return first !== undefined && (seq === first || seq === first + 1)
  })
}
