import type { BeingName, Digest, FileBounds, MomentId } from '@treeos/core'
import type { OverlayMode } from '@treeos/overlay'
import type { TakenOverlay, Taker } from '@treeos/overlay/vault'
import type { ScheduleRef } from '@treeos/protocol'
import type { CallCost, NoteSeeker, ReadSet, Reality, StoreDb } from '@treeos/store'
import type { Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Observer } from './guard/guard.ts'
import { MomentTurns } from './live/turns.ts'
import { MindCalls, MindPace } from './mind/calls.ts'
import { CallCanceller } from './mind/cancels.ts'
import { Outages } from './mind/outages.ts'
import type { Model } from './model/model.ts'
import { CodeWatch } from './moments/code-watch.ts'
import { KnownRuns, NextWakes } from './moments/next-wakes.ts'
import { OpenMoments } from './moments/open-moments.ts'

/** Dependencies of the beats, built once at worker start. */
export interface BeatDeps {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  readonly registry: Registry
  readonly memory: WorkerCaches
  /** null when no model is connected: moments of LLM beings fail with LLM_NOT_CONFIGURED */
  readonly model: Model | null
  /**
   * models of the operator's configuration, by name; a being with the quality `llm.connection` uses that one
   */
  readonly connections: ReadonlyMap<string, Model>
  /** hosts, or host:port, with private addresses that effects may reach */
  readonly privateHosts: readonly string[]
  /** path of the sandbox program that effects run commands in; null: they run none */
  readonly sandbox: string | null
  /** how much is kept of the files that effects bring */
  readonly fileBounds: FileBounds
  /** the value of a secret of the operator; null when this worker has none of that name */
  readonly secret: (name: string) => string | null
  /** rings beings whose inbox got a row; returns at once, and a lost ring costs latency only */
  readonly ring: (beings: readonly BeingName[]) => void
  /** how a moment goes to another worker whose code it needs */
  readonly handOn: HandOn
  /** delivers in so many ms the changes and wakes that are due then; a sweep repeats what is lost */
  readonly releaseAfter: (ms: number) => void
  /** asks Temporal whether a run still runs; throws when it does not answer soon */
  readonly runs: (run: { readonly workflowId: string; readonly runId: string }) => Promise<boolean>
  /** updates schedules that an act changed; returns at once, and a sweep repeats what is lost */
  readonly reschedule: (changed: readonly ScheduleRef[]) => void
  readonly overlays: OverlayAccess
  /** puts acts that came by a Temporal signal into inboxes, by a login of its own; null: such acts are off */
  readonly signals: Kysely<StoreDb> | null
  /** makes the vectors by which notes are searched; left out: they are searched by words */
  readonly seek?: NoteSeeker | undefined
  /** receives what beats do, and the errors whose messages history must not hold */
  readonly observe: Observer
}

/** How a worker hands on what needs code that it has not loaded. */
export interface HandOn {
  /** id of this worker among those that live */
  readonly worker: string
  /** a moment whose code no living worker has waits so long for it, then it fails */
  readonly secondsMax: number
  /** lets any worker take the next task of a run that waits for so many ms; returns at once */
  readonly release: (run: { readonly workflowId: string; readonly runId: string }, waitMs: number) => void
}

/** The overlays of this reality, wherever their vaults are. */
export interface OverlayAccess {
  readonly mode: OverlayMode
  /** `lost` once the vault is gone; waits for one that does not answer */
  take(handle: string, taker: Taker): Promise<TakenOverlay>
  /** The moment is over. Returns at once; a vault that is not reached forgets later by itself. */
  drop(handle: string, moment: MomentId): void
  /** The salt of a call whose caller holds none; who holds the key of the instance can compute it again. */
  saltFor(moment: MomentId): string
}

/** Caches of a worker for one reality. Postgres holds all of it, unless said otherwise. */
export interface WorkerCaches {
  /** moments under way; Postgres does not hold all of them */
  readonly moments: OpenMoments
  /** digests of programs that are stored; a being keeps one program for many moments */
  readonly programs: LRUCache<Digest, true>
  /** the read set of each being's last open, and of its last stamp */
  readonly opened: LRUCache<BeingName, ReadSet>
  readonly stamped: LRUCache<BeingName, ReadSet>
  /** calls of minds that are under way */
  readonly calls: MindCalls
  /** asks whether they were cancelled */
  readonly cancels: CallCanceller
  /** what the last model call of each being could cost at most; not stored */
  readonly worstCosts: LRUCache<BeingName, CallCost>
  /** which models answer; not stored */
  readonly outages: Outages
  /** how long minds took */
  readonly pace: MindPace
  /** beings that wait for their next wake before they end their workflow task */
  readonly nextWakes: NextWakes
  /** which code is current, and how often this worker had another one */
  readonly code: CodeWatch
  /** whose moment is worked on next */
  readonly turns: MomentTurns
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

export function newMemory(shortWay: ShortWay = {}): WorkerCaches {
  return {
    moments: new OpenMoments(),
    programs: new LRUCache({ max: 5000 }),
    opened: new LRUCache({ max: 5000 }),
    stamped: new LRUCache({ max: 5000 }),
    calls: new MindCalls(shortWay.callsMax),
    cancels: new CallCanceller(),
    worstCosts: new LRUCache({ max: 5000 }),
    outages: new Outages(),
    pace: new MindPace(shortWay.mindMs),
    nextWakes: new NextWakes(shortWay.callsMax),
    code: new CodeWatch(),
    turns: new MomentTurns(),
    knownRuns: new KnownRuns(shortWay.knownMs),
  }
}
