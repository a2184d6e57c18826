/**
 * Checks client-side histories: whether each reel behaved as one list to which every append was added at one
 * instant between its start and its end, and which every read saw whole at one instant.
 */
import type { Append, Entry, Operation, Read } from './history.ts'

/**
 * Entries are unique, so the longest read and what follows from real time decide everything, and the check is
 * complete: a history without a finding has an order that explains it.
 * @returns one sentence for each anomaly, with its reel
 */
export function anomalies(history: readonly Operation[]): string[] {
  const reels = Map.groupBy(history, ({ reel }) => reel)
  return [...reels].flatMap(([reel, operations]) =>
    anomaliesOf(operations).map((anomaly) => `reel ${reel}: ${anomaly}`),
  )
}

function anomaliesOf(operations: readonly Operation[]): string[] {
  const appends = operations.filter((one) => one.kind === 'append')
  const reads = operations.filter((one) => one.kind === 'read')
  const found = [...repeatedIn(appends), ...reads.flatMap(({ entries }) => doubledIn(entries))]
  if (found.length > 0) return [...new Set(found)]
  const longest = reads.reduce<readonly Entry[]>(
    (best, { entries }) => (entries.length > best.length ? entries : best),
    [],
  )
  found.push(...unknownIn(longest, appends), ...reads.flatMap((read) => forkIn(read, longest)))
  return found.length > 0 ? found : outOfTime(appends, reads, longest)
}

/** A mistake of the harness: the order could not be told. */
const repeatedIn = (appends: readonly Append[]) =>
  doubledIn(appends.map(({ entry }) => entry)).map((text) => `${text} by the clients themselves`)

function doubledIn(entries: readonly Entry[]): string[] {
  const seen = new Set<Entry>()
  return entries
    .filter((entry) => seen.has(entry) || !seen.add(entry))
    .map((entry) => `${entry} is there twice`)
}

function unknownIn(entries: readonly Entry[], appends: readonly Append[]): string[] {
  const known = new Set(appends.map(({ entry }) => entry))
  return entries.filter((entry) => !known.has(entry)).map((entry) => `${entry} was appended by nobody`)
}

/** Two reads of one list agree: the shorter one is the start of the longer one. */
function forkIn({ entries }: Read, longest: readonly Entry[]): string[] {
  const at = entries.findIndex((entry, i) => entry !== longest[i])
  return at < 0 ? [] : [`two reads differ at ${at + 1}: ${entries[at]} and ${longest[at]}`]
}

interface Placed {
  readonly what: string
  readonly from: number
  readonly to: number
  /** an append is at 2n - 1 when it is the nth of its reel, a read of n entries at 2n */
  readonly place: number
}

/** What ended before another operation began has no later place. */
function outOfTime(appends: readonly Append[], reads: readonly Read[], longest: readonly Entry[]): string[] {
  const placeOf = new Map(longest.map((entry, i) => [entry, 2 * i + 1]))
  const placed: Placed[] = [
    ...appends
      // One that has no end and was never read may yet be done.
      .filter(({ entry, to }) => placeOf.has(entry) || to < Number.POSITIVE_INFINITY)
      .map(({ entry, from, to }) => ({
        what: `append of ${entry}`,
        from,
        to,
        place: placeOf.get(entry) ?? Number.POSITIVE_INFINITY, // after all that was read
      })),
    ...reads.map(({ entries, from, to }) => ({
      what: `read of ${entries.length} entries`,
      from,
      to,
      place: 2 * entries.length,
    })),
  ]
  const ended = placed.toSorted((a, b) => a.to - b.to)
  let next = 0
  let last: Placed | null = null
  const found: string[] = []
  for (const one of placed.toSorted((a, b) => a.from - b.from)) {
    for (let other = ended[next]; other !== undefined && other.to < one.from; other = ended[++next])
      if (last === null || other.place > last.place) last = other
    if (last !== null && last.place > one.place)
      found.push(`${last.what} had ended before ${one.what} began, and comes after it`)
  }
  return found
}
