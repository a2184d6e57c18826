import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { type BeatDeps, createBeats, heldMsOf, newMemory, type Observer, seekBy } from '@treeos/activities'
import type { Connection } from '@treeos/client'
import { fileBoundsIn, type RoleName } from '@treeos/core'
import { DEFAULT_MODE } from '@treeos/overlay'
import type { CallBeats, Effects, LocalBeats, PerformInput, ThinkBeats } from '@treeos/protocol'
import { installExtensions, recordRestores } from '@treeos/reality'
import {
  isTransient,
  noteRestore,
  openDatabase,
  paceStatements,
  type Reality,
  type StoreDb,
} from '@treeos/store'
import type { Extension, Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { Archivist } from './archive.ts'
import { CalledWorkflows, callActivities } from './called-workflows.ts'
import { Doorbells } from './doorbells.ts'
import { type HostActivities, hostActivities } from './host-activities.ts'
import { isRunning } from './is-running.ts'
import { joinObservers } from './join-observers.ts'
import type { MetricsPlace } from './metrics.ts'
import { markName } from './name-mark.ts'
import type { TreeosOptions } from './options.ts'
import { type Place, requirePrepared, requireReality } from './prepare.ts'
import { Presence } from './presence.ts'
import { releaseRun } from './release-run.ts'
import { Schedules } from './schedules.ts'
import { Vaults } from './vaults.ts'
import { waitFor } from './wait-for.ts'

export interface RuntimeOptions extends Omit<TreeosOptions, 'extensions'> {
  readonly databaseUrl: string
  readonly registry: Registry
  /** most model calls that workflow tasks wait for at once, asked when the worker runs */
  readonly shortCallsMax: () => number
}

/**
 * Timeout of a statement. Statements take milliseconds; one that hangs must end before the workflow task
 * times out.
 */
const STATEMENT_SECONDS_MAX = 8
/** A deployment that went wrong at the end of a day is mended by the next one. */
const CODE_WAIT_SECONDS = 24 * 60 * 60
/** Most connections of the pool. */
const POOL_MAX = 20

/**
 * State that the beats of a running worker share: a pool, the reality, the doorbells. Runs the daemons of the
 * worker.
 */
export class Runtime {
  readonly #options: RuntimeOptions
  #observe: Observer
  #deps: BeatDeps | null = null
  #realityName: string | null = null
  #hosted: Connection | null = null

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#observe = joinObservers(options.observe ?? {})
  }

  get databaseUrl(): string {
    return this.#options.databaseUrl
  }

  /** The reality that it lives; null before it runs. */
  get realityName(): string | null {
    return this.#realityName
  }

  /** Whether its daemons run, and its activities do not throw. */
  get isReady(): boolean {
    return this.#deps !== null
  }

  /** Activities to register before the runtime runs. They throw until it does. */
  get activities(): LocalBeats & ThinkBeats {
    const beats = () => {
      if (this.#deps === null) throw new Error('the runtime of TreeOS is not running')
      return createBeats(this.#deps)
    }
    return {
      beginLife: (input) => beats().beginLife(input),
      liveMoments: (input, told) => beats().liveMoments(input, told),
      stampMoment: (input) => beats().stampMoment(input),
      reportDifference: (input) => beats().reportDifference(input),
      intake: (input) => beats().intake(input),
      wakeScheduled: (input) => beats().wakeScheduled(input),
      think: (input) => beats().think(input),
    }
  }

  /** Activities for workflows of the host. They throw until the runtime runs. */
  get hostActivities(): HostActivities & CallBeats {
    const connect = () => {
      if (this.#hosted === null) throw new Error('the runtime of TreeOS is not running')
      return this.#hosted
    }
    return { ...hostActivities(connect), ...callActivities(connect) }
  }

  /**
   * The effects of an extension: one activity for each operation with an effect, named like the operation.
   */
  effectsOf({ operations }: Extension): Effects {
    const perform: Effects[string] = (input) => this.perform(input)
    const withEffect = operations.filter(({ effect }) => effect !== undefined)
    return Object.fromEntries(withEffect.map(({ name }) => [name, perform]))
  }

  /** Performs an effect. One whose code is not loaded is left to another worker. */
  perform(input: PerformInput): ReturnType<Effects[string]> {
    if (this.#deps === null) throw new Error('the runtime of TreeOS is not running')
    return createBeats(this.#deps).performEffect(input)
  }

  /**
   * Opens the pool and starts the daemons, runs `next`, and closes them again.
   * @throws {Error} where nothing is prepared
   */
  async run(client: Client, at: RunningPlace, next: () => Promise<void>): Promise<void> {
    const { metrics } = this.#options
    if (metrics === undefined) return this.#runUnserved(client, at, next)
    const close = await this.#serve(metrics, at)
    try {
      await this.#runUnserved(client, at, next)
    } finally {
      await close()
    }
  }

  /**
   * Counts what this worker does from now on, and serves it.
   * @throws {Error} when the port cannot be had
   */
  async #serve(place: MetricsPlace, { isEnding }: RunningPlace): Promise<() => Promise<void>> {
    // what it is made of takes 50 ms to load, and most users of this package serve nothing
    const { Metrics } = await import('./metrics.ts')
    const db = openDatabase(this.#options.databaseUrl, { poolMax: 1 }) // a scrape takes no connection of a beat
    const metrics = new Metrics(db)
    this.#observe = joinObservers(metrics.observer, this.#options.observe ?? {})
    try {
      const served = await metrics.serve({ ...place, isReady: () => this.isReady && !isEnding() })
      return () => Promise.all([served.close(), db.destroy()]).then(() => undefined)
    } catch (error) {
      await db.destroy()
      const { code, message } = error as NodeJS.ErrnoException
      throw new Error(
        `treeos({ metrics }): port ${place.port} cannot be bound (${code ?? message}): give each worker of this machine a port of its own`,
      )
    }
  }

  async #runUnserved(client: Client, at: RunningPlace, next: () => Promise<void>): Promise<void> {
    const db = openDatabase(this.#options.databaseUrl, {
      poolMax: this.#options.poolMax ?? POOL_MAX,
      statementSecondsMax: STATEMENT_SECONDS_MAX,
      onConnectionError: (error) => this.#observe.error('postgres', error),
    })
    const { signalsUrl } = this.#options
    const signals =
      signalsUrl == null ? null : openDatabase(signalsUrl, { role: 'treeos_signals', poolMax: 1 })
    try {
      await this.#runOn({ db, signals }, client, at, next)
    } finally {
      this.#deps = null
      this.#hosted = null
      await Promise.all([db.destroy(), signals?.destroy()])
    }
  }

  async #runOn({ db, signals }: Pools, client: Client, at: RunningPlace, next: () => Promise<void>) {
    const {
      registry,
      histories = null,
      keepRunsSeconds,
      vault = null,
      embedder = null,
      overlayMode = DEFAULT_MODE,
    } = this.#options
    const observe = this.#observe
    const onError = (where: string, error: unknown) => observe.error(where, error)
    const presence = new Presence(`${at.identity}/${randomUUID().slice(0, 8)}`, {
      ...{ db, registry, isEnding: at.isEnding },
      onError: (error) => onError('presence', error),
    })
    const { reality, taken, isBehind, restored } = await waitFor(() => loadReality(db, registry, presence), {
      service: 'Postgres',
      isAway: isTransient,
      onWait: (error) => onError('start', error),
    })
    if (restored !== null) onError('restored', restoredError(restored))
    await requirePrepared(at, reality)
    await markName(client, reality)
    this.#realityName = reality.name
    this.#hosted = { db, reality, registry, temporal: client, isHosted: true }
    const { taskQueue } = at
    for (const role of taken)
      onError(`role ${role} was not installed: another role or being has this name`, null)
    const doorbells = new Doorbells({ client, db, reality, taskQueue, onError })
    const schedules = new Schedules({ client, db, reality, taskQueue, onError })
    const keepMs = keepRunsSeconds === undefined ? null : 1000 * keepRunsSeconds
    const archivist =
      histories === null
        ? null
        : new Archivist({ client, reality: reality.name, folder: histories, keepMs, onError })
    const onCallError = (error: unknown) => onError('called workflows', error)
    const called = new CalledWorkflows({ client, db, reality, registry, onError: onCallError })
    const memory = newMemory({ mindMs: this.#options.shortMindMs, callsMax: this.#options.shortCallsMax() })
    paceStatements(db, () => heldMsOf(memory))
    observe.load(() => ({ stepsWaiting: memory.turns.waiting, mindsAsked: memory.calls.size }))
    const vaults = new Vaults({ db, vault, mode: overlayMode, onError })
    this.#deps = {
      db,
      memory,
      reality,
      registry,
      model: this.#options.model ?? null,
      connections: this.#options.connections ?? new Map(),
      signals,
      privateHosts: this.#options.privateHosts ?? [],
      sandbox: this.#options.sandbox ?? null,
      fileBounds: { ...fileBoundsIn({}), ...this.#options.fileBounds },
      secret: this.#options.secret ?? (() => null),
      seek: embedder === null ? undefined : seekBy(db, embedder, (error) => onError('embeddings', error)),
      observe,
      overlays: vaults,
      ring: (beings) => doorbells.ring(beings),
      releaseAfter: (ms) => doorbells.releaseAfter(ms),
      runs: (run) => isRunning(client, run),
      reschedule: (changed) => schedules.refresh(changed),
      handOn: {
        worker: presence.id,
        secondsMax: this.#options.codeWaitSeconds ?? CODE_WAIT_SECONDS,
        release: (run, waitMs) => releaseRun(client, run, waitMs, (error) => onError('hand on', error)),
      },
    }
    try {
      let mayMove = isBehind
      presence.start(async () => {
        if (!mayMove) return
        const { behind } = await installExtensions({ db, reality }, registry, presence.id)
        mayMove = behind.length > 0
      })
      await vaults.start()
      doorbells.sweep()
      schedules.start()
      archivist?.start()
      called.start()
      await next()
    } finally {
      await presence.leave()
      await memory.calls.close()
      await vaults.close()
      await doorbells.close()
      await schedules.close()
      await archivist?.close()
      await called.close()
    }
  }
}

const restoredError = (why: string) =>
  new Error(`Postgres was restored (${why}): all beings begin new lives; see docs/running.md, "Backups"`)

/** Where a worker polls, and as whom. */
export interface RunningPlace extends Place {
  readonly identity: string
  /** it takes no further tasks */
  readonly isEnding: () => boolean
}

interface Pools {
  readonly db: Kysely<StoreDb>
  /** of acts by a Temporal signal; null: they are off */
  readonly signals: Kysely<StoreDb> | null
}

/** Reads the reality, and installs the extensions of this worker. Safe to repeat after a failure. */
async function loadReality(
  db: Kysely<StoreDb>,
  registry: Registry,
  presence: Presence,
): Promise<{
  reality: Reality
  taken: readonly RoleName[]
  isBehind: boolean
  restored: string | null
}> {
  const reality = await requireReality(db)
  const restored = await noteRestore(db)
  await recordRestores({ db, reality })
  await presence.announce() // or others might move what becomes current here
  const { taken, behind } = await installExtensions({ db, reality }, registry, presence.id)
  return { reality, taken, isBehind: behind.length > 0, restored }
}
