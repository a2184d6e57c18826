import type { Client } from '@temporalio/client'
import { type BeatDeps, createBeats, type Model, newMemory, type Observer } from '@treeos/activities'
import type { RoleName } from '@treeos/core'
import type { ListenOptions, OverlayMode } from '@treeos/overlay'
import type { Effects, LocalBeats, ThinkBeats } from '@treeos/protocol'
import { installDelegates, installRoles } from '@treeos/reality'
import { type ChainDb, isTransient, openDatabase, type Reality } from '@treeos/store'
import type { Extension, Registry } from '@treeos/world'
import type { Kysely } from 'kysely'
import { Archivist } from './archive.ts'
import { Doorbells } from './doorbells.ts'
import { isRunning } from './is-running.ts'
import { type Place, requirePrepared, requireReality } from './prepare.ts'
import { Schedules } from './schedules.ts'
import { Vaults } from './vaults.ts'
import { waitFor } from './wait-for.ts'

export interface RuntimeOptions {
  readonly databaseUrl: string
  readonly registry: Registry
  readonly model: Model | null
  readonly connections: ReadonlyMap<string, Model>
  readonly privateHosts: readonly string[]
  /** path of the sandbox program that effects run commands in; null: they run none */
  readonly sandbox: string | null
  /** where this worker keeps overlays; null: it keeps none */
  readonly vault: ListenOptions | null
  readonly overlayMode: OverlayMode
  readonly observe: Observer
  /** folder that archives the histories of closed runs; null archives none */
  readonly histories: string | null
  /** after this time archived runs are deleted from Temporal; null: never */
  readonly keepRunsMs: number | null
  /** persons may act by a Temporal signal */
  readonly actSignal: boolean
  /** most connections of the pool */
  readonly poolMax: number
  /** longest time in ms of a mind that decides within the workflow task; left out: 4000 */
  readonly shortMindMs?: number | undefined
  /** most model calls that workflow tasks wait for at once */
  readonly shortCallsMax: number
}

/** Timeout of a statement. Statements take milliseconds; one that hangs must end before the workflow task times out. */
const STATEMENT_SECONDS_MAX = 8

/** State that the beats of a running worker share: a pool, the reality, the doorbells. Runs the daemons of the worker. */
export class Runtime {
  readonly #options: RuntimeOptions
  #deps: BeatDeps | null = null

  constructor(options: RuntimeOptions) {
    this.#options = options
  }

  /** Activities to register before the runtime runs. They throw until it does. */
  get activities(): LocalBeats & ThinkBeats {
    const beats = () => {
      if (this.#deps === null) throw new Error('the runtime of TreeOS is not running')
      return createBeats(this.#deps)
    }
    return {
      beginLife: (input) => beats().beginLife(input),
      openMoment: (input, told) => beats().openMoment(input, told),
      stampMoment: (input) => beats().stampMoment(input),
      finishMoment: (input, told) => beats().finishMoment(input, told),
      intake: (input) => beats().intake(input),
      wakeIdle: (input) => beats().wakeIdle(input),
      wakeScheduled: (input) => beats().wakeScheduled(input),
      think: (input) => beats().think(input),
    }
  }

  /** The effects of an extension: one activity for each operation with an effect, named like the operation. */
  effectsOf({ operations }: Extension): Effects {
    const perform: Effects[string] = (input) => {
      if (this.#deps === null) throw new Error('the runtime of TreeOS is not running')
      return createBeats(this.#deps).performEffect(input)
    }
    const withEffect = operations.filter(({ effect }) => effect !== undefined)
    return Object.fromEntries(withEffect.map(({ name }) => [name, perform]))
  }

  /** Opens the pool and starts the daemons, runs `next`, and closes them again. @throws {Error} where nothing is prepared */
  async run(client: Client, at: Place, next: () => Promise<void>): Promise<void> {
    const { databaseUrl, observe, poolMax } = this.#options
    const db = openDatabase(databaseUrl, {
      poolMax,
      statementSecondsMax: STATEMENT_SECONDS_MAX,
      onConnectionError: (error) => observe.error('postgres', error),
    })
    try {
      await this.#runOn(db, client, at, next)
    } finally {
      this.#deps = null
      await db.destroy()
    }
  }

  async #runOn(db: Kysely<ChainDb>, client: Client, at: Place, next: () => Promise<void>) {
    const {
      registry,
      model,
      connections,
      privateHosts,
      sandbox,
      observe,
      histories,
      keepRunsMs,
      actSignal,
      shortMindMs,
      shortCallsMax,
      vault,
      overlayMode,
    } = this.#options
    const onError = (where: string, error: unknown) => observe.error(where, error)
    const { reality, taken } = await waitFor(() => loadReality(db, registry), {
      service: 'Postgres',
      isAway: isTransient,
      onWait: (error) => onError('start', error),
    })
    await requirePrepared(at, reality)
    const { taskQueue } = at
    for (const role of taken)
      onError(`role ${role} was not installed: another role or being has this name`, null)
    const doorbells = new Doorbells({ client, db, reality, taskQueue, onError })
    const schedules = new Schedules({ client, db, reality, taskQueue, onError })
    const archivist =
      histories === null
        ? null
        : new Archivist({ client, reality: reality.name, folder: histories, keepMs: keepRunsMs, onError })
    const memory = newMemory({ mindMs: shortMindMs, callsMax: shortCallsMax })
    const vaults = new Vaults({ db, vault, mode: overlayMode, onError })
    this.#deps = {
      db,
      memory,
      reality,
      registry,
      model,
      connections,
      actSignal,
      privateHosts,
      sandbox,
      observe,
      overlays: vaults,
      ring: (beings) => doorbells.ring(beings),
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

/** Reads the reality, and installs roles and delegates of this worker's code. Safe to repeat after a failure. */
async function loadReality(
  db: Kysely<ChainDb>,
  registry: Registry,
): Promise<{ reality: Reality; taken: RoleName[] }> {
  const reality = await requireReality(db)
  const taken = await installRoles({ db, reality }, registry)
  for (const name of await installDelegates({ db, reality })) if (!taken.includes(name)) taken.push(name)
  return { reality, taken }
}
