import { createHash } from 'node:crypto'
import { round } from '../statistics.ts'
import type { RecordedAppend } from './recorded.ts'

/** Which shard a reel lies on. */
export type Place = (reel: string) => number

/**
 * Ways to place reels:
 * - `reel`: each by its own hash
 * - `being`: the records of a being where the being is
 * - `neighbours`: so, and each being where the space is that its appends named most often
 */
export const PLACEMENTS = ['reel', 'being', 'neighbours'] as const
export type Placement = (typeof PLACEMENTS)[number]

export function placing(placement: Placement, shards: number, appends: readonly RecordedAppend[]): Place {
  const hashed = (text: string) => createHash('sha256').update(text).digest().readUInt32BE() % shards
  if (placement === 'reel') return hashed
  const home = placement === 'neighbours' ? homesOf(appends) : new Map<string, string>()
  const known = new Map<string, number>()
  return (reel) => {
    const before = known.get(reel)
    if (before !== undefined) return before
    const being = beingOf(reel)
    const shard = hashed(being === null ? reel : (home.get(being) ?? `being:${being}`))
    known.set(reel, shard)
    return shard
  }
}

/** The being whose own reel or records this is. */
function beingOf(reel: string): string | null {
  const [kind, name] = [reel.slice(0, reel.indexOf(':')), reel.slice(reel.indexOf(':') + 1)]
  return kind === 'being' || kind === 'moments' ? name : null
}

/**
 * The space that the appends of each being named most often; the first by name where two are equal. The root
 * is named by all, so it is no home.
 */
function homesOf(appends: readonly RecordedAppend[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { being, written, checked } of appends) {
    if (being === null) continue
    const named = counts.get(being) ?? new Map<string, number>()
    counts.set(being, named)
    for (const reel of [...written, ...checked])
      if (reel.startsWith('space:/') && reel !== 'space:/') named.set(reel, (named.get(reel) ?? 0) + 1)
  }
  const homes = new Map<string, string>()
  for (const [being, named] of counts) {
    const [most] = [...named].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    if (most !== undefined) homes.set(being, most[0])
  }
  return homes
}

/** Of these there is one in a reality, however large it is; so are all signals of a namespace. */
const ONLY = new Set(['registry', 'space:/', 'being:operator', 'moments:operator'])

/**
 * A reality in which all beings and places of these appends exist several times, each time under another
 * name.
 */
export function multiplied(appends: readonly RecordedAppend[], times: number): RecordedAppend[] {
  const renamed = (reel: string, i: number) =>
    ONLY.has(reel) || reel.startsWith('world:') ? reel : `${reel}~${i}`
  return appends.flatMap(({ being, written, checked }) =>
    Array.from({ length: times }, (_, i) => ({
      being: being === null || ONLY.has(`being:${being}`) ? being : `${being}~${i}`,
      written: written.map((reel) => renamed(reel, i)),
      checked: checked.map((reel) => renamed(reel, i)),
    })),
  )
}

/** The shards that one append reaches, in their order. */
export interface Reach {
  readonly writes: readonly number[]
  /** beyond those that it writes to */
  readonly checks: readonly number[]
}

/** @param copied reels that each shard has a copy of: to check one reaches no other shard */
export function reachOf(
  { written, checked }: RecordedAppend,
  place: Place,
  copied: (reel: string) => boolean = () => false,
): Reach {
  const writes = [...new Set(written.map(place))].sort((a, b) => a - b)
  const others = checked.filter((reel) => !copied(reel)).map(place)
  return {
    writes,
    checks: [...new Set(others)].filter((shard) => !writes.includes(shard)).sort((a, b) => a - b),
  }
}

/**
 * A reel that is named this many times as often to check it as to write to it could be copied to every shard.
 */
const CHECKS_A_WRITE_MIN = 10

/** Reels that are checked far more often than written to, such as the registry. */
export function mostlyChecked(appends: readonly RecordedAppend[]): (reel: string) => boolean {
  const count = (of: (append: RecordedAppend) => readonly string[]) => {
    const counts = new Map<string, number>()
    for (const append of appends) for (const reel of of(append)) counts.set(reel, (counts.get(reel) ?? 0) + 1)
    return counts
  }
  const [writes, checks] = [count(({ written }) => written), count(({ checked }) => checked)]
  return (reel) => (checks.get(reel) ?? 0) >= CHECKS_A_WRITE_MIN * Math.max(1, writes.get(reel) ?? 0)
}

/** What the appends of a reality would be on several shards. Shares are of all appends. */
export interface Simulated {
  readonly shards: number
  readonly placement: Placement
  /** reaches another shard, to write or to check */
  readonly spanning: number
  /** … if each shard had a copy of what is mostly checked */
  readonly spanningWithCopies: number
  /** writes to several shards, so it needs two phases */
  readonly twoPhase: number
  /** commits an append that wait for a disk: one, or with two phases two on each shard that is written */
  readonly flushes: number
  /** transactions of shards, an append: those that only check included */
  readonly transactions: number
  /** of all flushes, those of the busiest shard */
  readonly busiest: number
  /** appends a second, of those on one shard, if the disk of a shard is what limits */
  readonly capacity: number
}

export function simulate(
  appends: readonly RecordedAppend[],
  shards: number,
  placement: Placement,
): Simulated {
  if (appends.length === 0) throw new Error('the reality has recorded no append')
  const place = placing(placement, shards, appends)
  const copied = mostlyChecked(appends)
  const flushesOf = Array.from({ length: shards }, () => 0)
  let [spanning, withCopies, twoPhase, transactions] = [0, 0, 0, 0]
  for (const append of appends) {
    const { writes, checks } = reachOf(append, place)
    const fewer = reachOf(append, place, copied)
    spanning += Number(writes.length + checks.length > 1)
    withCopies += Number(fewer.writes.length + fewer.checks.length > 1)
    twoPhase += Number(writes.length > 1)
    transactions += writes.length + checks.length
    for (const shard of writes) flushesOf[shard]! += writes.length > 1 ? 2 : 1
  }
  const flushes = flushesOf.reduce((sum, count) => sum + count, 0)
  const busiest = Math.max(...flushesOf)
  const each = (count: number) => round(count / appends.length)
  return {
    shards,
    placement,
    spanning: each(spanning),
    spanningWithCopies: each(withCopies),
    twoPhase: each(twoPhase),
    flushes: each(flushes),
    transactions: each(transactions),
    busiest: round(busiest / Math.max(flushes, 1)),
    capacity: round(appends.filter(({ written }) => written.length > 0).length / Math.max(busiest, 1)),
  }
}

/** How many reels one append writes to and checks, and by which kinds of reels. */
export function describeReach(appends: readonly RecordedAppend[]) {
  const count = (of: (append: RecordedAppend) => readonly string[]) => {
    const lengths = appends.map((append) => of(append).length).sort((a, b) => a - b)
    const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))]
    return { p50: at(0.5), p95: at(0.95), max: lengths.at(-1) }
  }
  return { written: count(({ written }) => written), checked: count(({ checked }) => checked) }
}

/** Share of the appends that name a reel of each kind, to write and to check. */
export function kindsOf(
  appends: readonly RecordedAppend[],
): Record<string, { written: number; checked: number }> {
  const counts = new Map<string, { written: number; checked: number }>()
  for (const append of appends)
    for (const how of ['written', 'checked'] as const)
      for (const kind of new Set(append[how].map((reel) => reel.split(':', 1)[0]!))) {
        const known = counts.get(kind) ?? { written: 0, checked: 0 }
        counts.set(kind, { ...known, [how]: known[how] + 1 })
      }
  const each = (count: number) => round(count / appends.length)
  return Object.fromEntries(
    [...counts]
      .sort()
      .map(([kind, { written, checked }]) => [kind, { written: each(written), checked: each(checked) }]),
  )
}
