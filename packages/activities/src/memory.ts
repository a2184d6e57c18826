import type { BeingName, Digest } from '@treeos/core'
import type { Cost, ReadSet } from '@treeos/store'
import { LRUCache } from 'lru-cache'
import { Calls } from './mind/calls.ts'
import { Cancels } from './mind/cancels.ts'
import { Pace } from './mind/pace.ts'
import { KnownRuns } from './moments/known-runs.ts'
import { NextWakes } from './moments/next-wakes.ts'
import { OpenMoments } from './moments/open-moments.ts'

/** Caches of a worker for one reality. Postgres holds all of it, unless said otherwise. */
export interface Memory {
  /** moments under way; Postgres does not hold all of them */
  readonly moments: OpenMoments
  /** digests of programs that are stored; a being keeps one program for many moments */
  readonly programs: LRUCache<Digest, true>
  /** the read set of each being's last open, and of its last stamp */
  readonly opened: LRUCache<BeingName, ReadSet>
  readonly stamped: LRUCache<BeingName, ReadSet>
  /** calls of minds that are under way */
  readonly calls: Calls
  /** asks whether they were cancelled */
  readonly cancels: Cancels
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
  return {
    moments: new OpenMoments(),
    programs: new LRUCache({ max: 5000 }),
    opened: new LRUCache({ max: 5000 }),
    stamped: new LRUCache({ max: 5000 }),
    calls: new Calls(shortWay.callsMax),
    cancels: new Cancels(),
    worstCosts: new LRUCache({ max: 5000 }),
    pace: new Pace(shortWay.mindMs),
    nextWakes: new NextWakes(shortWay.callsMax),
    knownRuns: new KnownRuns(shortWay.knownMs),
  }
}
