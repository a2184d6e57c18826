import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BeingName,
  beingReel,
  type Fact,
  type Json,
  parseMomentId,
  quote,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import {
  findOutcome,
  isTransient,
  type JournalEntry,
  type JournalListener,
  listFactsAt,
  readJournal,
  type StoreDb,
  waitForOpenAppends,
} from '@treeos/store'
import type { Kysely } from 'kysely'
import { isFactOpen, type OpenPasts } from '../access/past-access.ts'
import { readDecided } from './journal-pages.ts'
import { describeMoment } from './lived-moments.ts'
import type { MomentView } from './moments.ts'

/** A moment that has ended. */
export interface MomentHappening extends MomentView {
  readonly id: string
  readonly type: 'moment'
  readonly being: BeingName
  readonly stance: string
}

/** A fact on a reel. */
export interface FactHappening {
  readonly id: string
  readonly type: 'fact'
  readonly reel: string
  readonly seq: number
  readonly hash: string
  readonly kind: string
  /** name of the being that acted; `$reality` where none did */
  readonly actor: string
  /** name of the being that drove the actor */
  readonly driver: string | null
  readonly moment: string | null
  /** ISO 8601, UTC */
  readonly at: string
  /** null once it is erased */
  readonly payload: Json
}

/**
 * What happened: the moment that ended, then each of its facts. Its id is `<entry>.<line>`: the entry of the
 * journal, and its line in it. The ids of one reality are in the order in which its happenings are followed.
 */
export type Happening = MomentHappening | FactHappening

export interface FollowConnection {
  readonly db: Kysely<StoreDb>
  /** may serve many followers */
  readonly listener: JournalListener
}

export interface FollowRequest {
  /**
   * the id of the last happening that was seen, or what `from` of an earlier follow said; left out, only new
   * ones come
   */
  readonly after?: string | undefined
  /** only the moments of this being, and the facts by it or on its reel */
  readonly being?: BeingName | undefined
  /** whose moments and facts may come at all; what is of others alone is not read. Left out: everybody's */
  readonly isOpen?: OpenPasts | undefined
  /** ends it */
  readonly signal: AbortSignal
  /** called when Postgres did not answer; it is tried again */
  readonly onTrouble?: (error: Error) => void
}

export interface FollowStream {
  /** the place where it begins, to give as `after` */
  readonly from: string
  readonly happenings: AsyncGenerator<Happening, void>
}

/** Entries that are read at once. */
const PAGE = 200
const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 5_000

/** The last happening that was seen: a line of an entry of the journal, all of its lines being `Infinity`. */
interface Place {
  readonly entry: number
  readonly line: number
}

/**
 * Follows what happens in a reality, from now on or after a happening that was seen earlier. Each happening
 * comes once, whatever connection is lost meanwhile. What comes after an id is the same for everyone who
 * asks.
 * @throws {TreeosError} INVALID_INPUT when `after` is not an id of this reality
 */
export async function follow(
  { db, listener }: FollowConnection,
  request: FollowRequest,
): Promise<FollowStream> {
  const { signal, being } = request
  const bell = new Bell()
  const unsubscribe = listener.subscribe(() => bell.ring())
  const onAbort = () => bell.ring()
  signal.addEventListener('abort', onAbort)
  const release = () => {
    unsubscribe()
    signal.removeEventListener('abort', onAbort)
  }
  const begin = await startOf(db, request).catch((error: unknown) => {
    release()
    throw error
  })
  async function* happenings(): AsyncGenerator<Happening, void> {
    try {
      for await (const entry of entriesFrom(db, begin, bell, request)) {
        if (!(await patiently(request, () => mayConcern(entry, request)))) continue
        const lines = await patiently(request, () => describeEntry(db, entry))
        for (const [line, happening] of lines) {
          const isNew = entry.entry > begin.entry || line > begin.line
          if (isNew && concerns(happening, being) && (await isShown(happening, request))) yield happening
          if (signal.aborted) return
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      release()
    }
  }
  return { from: idOf(begin), happenings: happenings() }
}

/** Remembers that it was rung until somebody waits for it. */
class Bell {
  #rung = Promise.withResolvers<void>()

  ring(): void {
    this.#rung.resolve()
  }

  /** Forgets earlier rings. To be called before the read that they ask for. */
  reset(): void {
    this.#rung = Promise.withResolvers()
  }

  heard(): Promise<void> {
    return this.#rung.promise
  }
}

async function startOf(db: Kysely<StoreDb>, { after, signal }: FollowRequest): Promise<Place> {
  const { newest } = await readJournal(db, Number.MAX_SAFE_INTEGER, 1)
  if (after === undefined) {
    await waitForOpenAppends(db, signal)
    return { entry: newest, line: Infinity }
  }
  const [, entry, line] = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(after) ?? []
  if (entry === undefined)
    throw new TreeosError('INVALID_INPUT', `${quote(after)} is not an id of a happening, such as 42.0`)
  if (Number(entry) > newest)
    throw new TreeosError(
      'INVALID_INPUT',
      `no happening ${after} is known here: the newest entry is ${newest}`,
    )
  return { entry: Number(entry), line: line === undefined ? Infinity : Number(line) }
}

const idOf = ({ entry, line }: Place): string => (line === Infinity ? `${entry}` : `${entry}.${line}`)

/** All entries from a place on, in order, as they are committed. The first one may have been seen in part. */
async function* entriesFrom(
  db: Kysely<StoreDb>,
  begin: Place,
  bell: Bell,
  request: FollowRequest,
): AsyncGenerator<JournalEntry, void> {
  let last = begin.line === Infinity ? begin.entry : begin.entry - 1
  for (;;) {
    bell.reset()
    for (let isMore = true; isMore; ) {
      const page = await patiently(request, () =>
        readDecided(db, { after: last, limit: PAGE }, request.signal),
      )
      yield* page.entries
      last = page.upTo
      isMore = page.isMore
    }
    await bell.heard()
    request.signal.throwIfAborted()
  }
}

/** The happenings of an entry with their lines: 0 is the moment, and 1 its first fact. */
async function describeEntry(
  db: Kysely<StoreDb>,
  { entry, moment, facts }: JournalEntry,
): Promise<readonly (readonly [line: number, Happening])[]> {
  const outcome = moment === null ? null : await findOutcome(db, moment)
  const lines: [number, Happening][] = []
  if (outcome !== null) {
    const { being } = outcome
    const view = await describeMoment(db, outcome)
    lines.push([0, { id: `${entry}.0`, type: 'moment', being, stance: stanceOf(being), ...view }])
  }
  for (const [i, fact] of (await listFactsAt(db, facts)).entries())
    lines.push([i + 1, { id: `${entry}.${i + 1}`, type: 'fact', ...factHappening(fact) }])
  return lines
}

function factHappening({ header, payload, hash }: Fact): Omit<FactHappening, 'id' | 'type'> {
  const { reel, seq, kind, actor, driver, moment, at } = header
  return { reel, seq, hash, kind, actor, driver, moment, at: new Date(at).toISOString(), payload }
}

/** Whether an entry may hold something for this follower. All facts of a moment are by its being. */
export async function mayConcern(
  { moment, facts }: Pick<JournalEntry, 'moment' | 'facts'>,
  { being, isOpen }: Pick<FollowRequest, 'being' | 'isOpen'>,
): Promise<boolean> {
  if (moment === null) return true
  const actor = parseMomentId(moment).being
  const reels = facts.map(({ reel }) => reel)
  if (being !== undefined && actor !== being && !reels.includes(beingReel(being))) return false
  if (isOpen === undefined || (await isOpen(actor))) return true
  for (const reel of reels) if (await isFactOpen(isOpen, { reel, actor })) return true
  return false
}

/** A moment belongs to its being. */
async function isShown(happening: Happening, request: FollowRequest): Promise<boolean> {
  const { isOpen } = request
  if (isOpen === undefined) return true
  return patiently(request, () =>
    happening.type === 'moment' ? isOpen(happening.being) : isFactOpen(isOpen, happening),
  )
}

function concerns(happening: Happening, being: BeingName | undefined): boolean {
  if (being === undefined) return true
  if (happening.type === 'moment') return happening.being === being
  return happening.reel === beingReel(being) || happening.actor === being
}

/**
 * Repeats a read while Postgres is away.
 * @throws any error that a retry cannot mend, and the signal's reason on abort
 */
async function patiently<T>({ signal, onTrouble }: FollowRequest, read: () => Promise<T>): Promise<T> {
  for (let pauseMs = RETRY_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
    try {
      return await read()
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error)) throw error
      onTrouble?.(error as Error)
    }
    await sleep(pauseMs, undefined, { signal })
  }
}
