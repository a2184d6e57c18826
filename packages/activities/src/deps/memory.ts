import type { BeingName, Digest, MomentId, OverlayRecord } from '@treeos/core'
import { type LoadedMoment, readMoment } from '@treeos/reality'
import { type Cost, type Db, findOverlaySources, readDecision, type StoredDecision } from '@treeos/store'
import { LRUCache } from 'lru-cache'
import { Cancels } from '../calls/cancels.ts'
import { Pace } from '../calls/pace.ts'
import { KnownRuns } from '../listen/known-runs.ts'
import { NextWakes } from '../listen/next-wakes.ts'
import { Calls } from '../model/calls.ts'
import { HeldMoments } from '../moments/open-moments.ts'
import { Reads } from '../moments/reads.ts'

/** Caches of a worker for one reality. Postgres holds all of it, unless said otherwise. */
export interface Memory {
  /** open moments: `think` and `stamp` read them again, usually in the same worker */
  readonly moments: LRUCache<MomentId, LoadedMoment>
  /** digests of programs that are stored; a being keeps one program for many moments */
  readonly programs: LRUCache<Digest, true>
  /** stored decisions */
  readonly decisions: LRUCache<MomentId, StoredDecision>
  /** the read set of each being's last open, and of its last stamp */
  readonly opened: Reads
  readonly stamped: Reads
  /** moments that are opened and not stored: Postgres does not hold these */
  readonly held: HeldMoments
  /** calls of minds that are under way */
  readonly calls: Calls
  /** asks whether they were cancelled */
  readonly cancels: Cancels
  /** what may be recorded of the overlays of calls, for calls that fail */
  readonly overlays: LRUCache<MomentId, OverlayRecord>
  /** moments whose being somebody watches, so that their model is asked to stream; only in the process that opened them */
  readonly watched: LRUCache<MomentId, true>
  /** what the last model call of each being could cost at most; not stored */
  readonly worstCosts: LRUCache<BeingName, Cost>
  /** how long minds took */
  readonly pace: Pace
  /** beings that wait for their next wake before they end their workflow task */
  readonly nextWakes: NextWakes
  /** beings whose runs need not be asked for */
  readonly knownRuns: KnownRuns
}

/** Bounds of the short way. */
export interface ShortWay {
  /** longest time of a mind in ms; default 4000; 0: no mind decides there */
  readonly mindMs?: number | undefined
  /** most calls of models at once, and most beings that wait for their next wake; default 24 */
  readonly callsMax?: number | undefined
  /** for so long a run counts as running once it was known to, in ms; default 1000 */
  readonly knownMs?: number | undefined
}

export function newMemory(shortWay: ShortWay = {}): Memory {
  const moments = new LRUCache<MomentId, LoadedMoment>({ max: 500 })
  return {
    moments,
    programs: new LRUCache({ max: 5000 }),
    decisions: new LRUCache({ max: 500 }),
    opened: new Reads(),
    stamped: new Reads(),
    held: new HeldMoments((moment, loaded) => moments.set(moment, loaded)),
    calls: new Calls(shortWay.callsMax),
    cancels: new Cancels(),
    overlays: new LRUCache({ max: 2000 }),
    watched: new LRUCache({ max: 2000 }),
    worstCosts: new LRUCache({ max: 5000 }),
    pace: new Pace(shortWay.mindMs),
    nextWakes: new NextWakes(shortWay.callsMax),
    knownRuns: new KnownRuns(shortWay.knownMs),
  }
}

/** @throws {Error} when the moment was never opened, or content that its record names is missing */
export async function loadMoment(
  { db, memory }: { readonly db: Db; readonly memory: Memory },
  moment: MomentId,
): Promise<LoadedMoment> {
  const known = memory.moments.get(moment)
  if (known !== undefined) return known
  const stored = await readMoment(db, moment)
  if (stored === null) throw new Error(`moment ${moment} was never opened`)
  const { wake, ...open } = stored
  if (wake === null) throw new Error(`the inbox row that woke ${moment} is missing`)
  const overlays = open.record.cognition.kind === 'llm' ? await findOverlaySources(db, wake.id) : undefined
  const loaded = { ...open, content: wake.content, ...(overlays === undefined ? {} : { overlays }) }
  memory.moments.set(moment, loaded)
  return loaded
}

/** The decision of a moment, or null while there is none. The first decision of a moment never changes. */
export async function findDecision(
  { db, memory }: { readonly db: Db; readonly memory: Memory },
  moment: MomentId,
): Promise<StoredDecision | null> {
  const known = memory.decisions.get(moment)
  if (known !== undefined) return known
  const stored = await readDecision(db, moment)
  if (stored !== null) memory.decisions.set(moment, stored)
  return stored
}
