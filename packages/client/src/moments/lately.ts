import { type BeingName, type OutcomeKind, stanceOf } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { type Db, type LateMoment, listEntries, listLately, listWaitingFor } from '@treeos/store'
import { openTo } from '../access/past-access.ts'
import { shownWords } from '../beings/entry-words.ts'

/** How often one being woke another lately, by words or an act. */
export interface SpokenTo {
  readonly from: string
  readonly to: string
  readonly count: number
  /** how many of these moments failed */
  readonly failed: number
  /** ISO 8601, UTC */
  readonly last: string
  /** the thread of the last one */
  readonly thread: string
  /** the last words, shortened; null where the last one was an act, and after the first 50 pairs */
  readonly words: string | null
  /** these words come from outside */
  readonly outside?: true
}

/** A moment on the strip of the last minutes. */
export interface StripMoment {
  readonly being: string
  readonly n: number
  readonly outcome: OutcomeKind
  readonly reason: string | null
  readonly role: string | null
  /** ISO 8601, UTC; null where it was never opened */
  readonly openedAt: string | null
  readonly endedAt: string
}

/** For whom something waits. */
export interface WaitsFor {
  readonly being: string
  readonly cognition: string | null
  readonly count: number
  readonly seconds: number
  /** who waits longest; null where no being does */
  readonly from: string | null
  readonly thread: string
}

/** What happened in the last minutes, and what waits now, as far as one may look. */
export interface RecentActivity {
  /** ISO 8601, UTC */
  readonly since: string
  readonly until: string
  readonly spoken: readonly SpokenTo[]
  /** oldest first */
  readonly strip: readonly StripMoment[]
  /** the longest waiting first */
  readonly waiting: readonly WaitsFor[]
  /** false: more happened than is shown */
  readonly isAll: boolean
}

/** More marks on the strip than this tell nobody anything. */
const STRIP_MAX = 1000
const SPOKEN_MAX = 200
/** Of so many pairs it is said what they said. */
const WORDS_MAX = 50
const WAITING_MAX = 50

/**
 * Who spoke to whom in the last minutes, what happened, and what waits for whom. Only beings count whose past
 * the caller may read.
 * @throws {TreeosError} as `authorizeActingAs`
 */
export async function lately(
  at: Presence,
  as: BeingName,
  { seconds }: { readonly seconds: number },
): Promise<RecentActivity> {
  const { of, moments, isAll } = await lateMoments(at, as, seconds)
  const waiting = await listWaitingFor(at.db, { of, limit: WAITING_MAX })
  const until = Date.now()
  return {
    since: isoOf(until - seconds * 1000),
    until: isoOf(until),
    spoken: await withWords(at.db, spokenIn(moments).slice(0, SPOKEN_MAX)),
    strip: moments.slice(0, STRIP_MAX).map(markOf).reverse(),
    waiting: waiting.map(({ being, cognition, count, oldestSeconds, caller, thread }) => ({
      being: stanceOf(being),
      cognition,
      count,
      seconds: oldestSeconds,
      from: caller === null ? null : stanceOf(caller),
      thread,
    })),
    isAll: isAll && moments.length <= STRIP_MAX,
  }
}

/**
 * Moments that ended lately and that a being may read, the newest first, and whose they are.
 * @throws {TreeosError} as `authorizeActingAs`
 */
export async function lateMoments(at: Presence, as: BeingName, seconds: number) {
  const of = await openTo(at, as)
  return { of, ...(await listLately(at.db, { of, seconds })) }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

const markOf = ({ being, n, kind, reason, role, openedAt, sealedAt }: LateMoment): StripMoment => ({
  being: stanceOf(being),
  n,
  outcome: kind,
  reason,
  role,
  openedAt: openedAt === null ? null : isoOf(openedAt),
  endedAt: isoOf(sealedAt),
})

type SpokenPair = Omit<SpokenTo, 'words' | 'outside'> & Pick<LateMoment, 'wake'>

/** Who heard it may be read, so its words may be. */
async function withWords(db: Db, pairs: readonly SpokenPair[]): Promise<SpokenTo[]> {
  const entries = await listEntries(
    db,
    pairs.slice(0, WORDS_MAX).flatMap(({ wake }) => wake ?? []),
  )
  return pairs.map(({ wake, ...pair }) => {
    const entry = entries.get(wake ?? '')
    return entry?.kind === 'summon' ? { ...pair, ...shownWords(entry) } : { ...pair, words: null }
  })
}

/** Who spoke to whom, the pair that spoke most first. @param moments newest first */
export function spokenIn(moments: readonly LateMoment[]): SpokenPair[] {
  const pairs = new Map<string, SpokenPair>()
  for (const { being, caller, thread, wake, kind, sealedAt } of moments) {
    if (caller === null || caller === being || thread === null) continue
    const key = `${caller} ${being}`
    const known = pairs.get(key) ?? {
      from: stanceOf(caller),
      to: stanceOf(being),
      count: 0,
      failed: 0,
      last: isoOf(sealedAt),
      thread,
      wake,
    }
    pairs.set(key, { ...known, count: known.count + 1, failed: known.failed + Number(kind === 'failure') })
  }
  return [...pairs.values()].sort((a, b) => b.count - a.count)
}
