import type { Client } from '@temporalio/client'
import {
  type BeatDeps,
  createBeats,
  newMemory,
  noopObserver,
  type Observer,
  seekBy,
} from '@treeos/activities'
import type { RoleName } from '@treeos/core'
import { DEFAULT_MODE } from '@treeos/overlay'
import type { Effects, LocalBeats, ThinkBeats } from '@treeos/protocol'
import { installRoles } from '@treeos/reality'
import { isTransient, openDatabase, type Reality, type StoreDb } from '@treeos/store'
import type { Extension, Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { Archivist } from './archive.ts'
import { Doorbells } from './doorbells.ts'
import { isRunning } from './is-running.ts'
import { markName } from './name-mark.ts'
import type { TreeosOptions } from './options.ts'
import { type Place, requirePrepared, requireReality } from './prepare.ts'
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
/** Most connections of the pool. */
const POOL_MAX = 20

/**
 * State that the beats of a running worker share: a pool, the reality, the doorbells. Runs the daemons of the
 * worker.
 */
export class Runtime {
  readonly #options: RuntimeOptions
  readonly #observe: Observer
  #deps: BeatDeps | null = null
  #realityName: string | null = null

  constructor(options: RuntimeOptions) {
    this.#options = options
    this.#observe = { ...noopObserver, ...options.observe }
  }

  get databaseUrl(): string {
    return this.#options.databaseUrl
  }

  /** The reality that it lives; null before it runs. */
  get realityName(): string | null {
    return this.#realityName
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

  /**
   * The effects of an extension: one activity for each operation with an effect, named like the operation.
   */
  effectsOf({ operations }: Extension): Effects {
    const perform: Effects[string] = (input) => {
      if (this.#deps === null) throw new Error('the runtime of TreeOS is not running')
      return createBeats(this.#deps).performEffect(input)
    }
    const withEffect = operations.filter(({ effect }) => effect !== undefined)
    return Object.fromEntries(withEffect.map(({ name }) => [name, perform]))
  }

  /**
   * Opens the pool and starts the daemons, runs `next`, and closes them again.
   * @throws {Error} where nothing is prepared
   */
  async run(client: Client, at: Place, next: () => Promise<void>): Promise<void> {
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
      await Promise.all([db.destroy(), signals?.destroy()])
    }
  }

  async #runOn({ db, signals }: Pools, client: Client, at: Place, next: () => Promise<void>) {
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
    const { reality, taken } = await waitFor(() => loadReality(db, registry), {
      service: 'Postgres',
      isAway: isTransient,
      onWait: (error) => onError('start', error),
    })
    await requirePrepared(at, reality)
    await markName(client, reality)
    this.#realityName = reality.name
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
    const memory = newMemory({ mindMs: this.#options.shortMindMs, callsMax: this.#options.shortCallsMax() })
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
      secret: this.#options.secret ?? (() => null),
      seek: embedder === null ? undefined : seekBy(db, embedder, (error) => onError('embeddings', error)),
      observe,
      overlays: vaults,
      ring: (beings) => doorbells.ring(beings),
      releaseAfter: (ms) => doorbells.releaseAfter(ms),
      runs: (run) => isRunning(client, run),
      reschedule: (changed) => schedules.refresh(changed),
    }
    try {
      await vaults.start()
      doorbells.sweep()
      schedules.start()
      archivist?.start()
      await next()
    } finally {
      await memory.calls.close()
      await vaults.close()
      await doorbells.close()
      await schedules.close()
      await archivist?.close()
    }
  }
}

interface Pools {
  readonly db: Kysely<StoreDb>
  /** of acts by a Temporal signal; null: they are off */
  readonly signals: Kysely<StoreDb> | null
}

/** Reads the reality, and installs the roles of this worker's code. Safe to repeat after a failure. */
async function loadReality(
  db: Kysely<StoreDb>,
  registry: Registry,
): Promise<{ reality: Reality; taken: RoleName[] }> {
  const reality = await requireReality(db)
  const taken = await installRoles({ db, reality }, registry)
  return { reality, taken }
}
