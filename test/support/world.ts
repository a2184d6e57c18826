import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type DataConverter, Connection as TemporalConnection } from '@temporalio/client'
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import { act, type Connection } from '@treeos/client'
import type { FileBounds, JsonObject } from '@treeos/core'
import { taskQueueOf } from '@treeos/core'
import {
  createModel,
  type Embedder,
  type Model,
  type ModelOptions,
  modelEndpoint,
  treeos,
} from '@treeos/host'
import type { OverlayMode } from '@treeos/overlay'
import { VaultClient } from '@treeos/overlay/vault'
import { bootstrapReality } from '@treeos/reality'
import { openDatabase, type Reality, type StoreDb } from '@treeos/store'
import { buildRegistry, type Extension, seed } from '@treeos/world'
import { type Kysely, sql } from 'kysely'
import { inject } from 'vitest'
import { migratedDatabase, type OwnDatabase } from './database.ts'
import { temporalAccess } from './temporal-access.ts'

/** A reality of its own on the services of the run, with a worker in this process. */
export interface World extends Connection {
  readonly reality: Reality
  /** connected as commands are, which act for persons */
  readonly db: Kysely<StoreDb>
  /** connected as workers are */
  readonly workerDb: Kysely<StoreDb>
  /** has rights that the product never has, for tests that tamper */
  readonly owner: Kysely<StoreDb>
  /** as workers log in */
  readonly url: string
  /** errors whose message is not in history */
  readonly errors: { where: string; error: unknown }[]
  /** relationship entries and see-resolvers that were left out */
  readonly leftOut: { what: string; error: unknown }[]
  /** the ends of moments as the worker's observer heard them */
  readonly outcomes: { kind: string; reason: string | null }[]
  /** errors of attempts as the worker's observer heard them */
  readonly faults: { moment: string; part: string; attempt: number; message: string; stack: string | null }[]
  birth(payload: JsonObject): Promise<void>
  /** @param more besides or instead of what makes it a puppet of `stage` that may reach for everything */
  birthPuppet(name: string, more?: JsonObject): Promise<void>
  /** only in a world with a clock */
  setClock(iso: string): Promise<void>
  /** stops all workers */
  stopWorker(): Promise<void>
  /** the key of its vaults */
  readonly vaultKey: Buffer
  /**
   * Starts one more worker.
   * @param extensions instead of those the world was started with
   * @param worker instead of those options that the world was started with
   * @returns stops it
   */
  startWorker(
    extensions?: readonly Extension[],
    worker?: Partial<WorkerOptions>,
  ): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly extensions?: readonly Extension[]
  readonly modelUrl?: string
  readonly modelTimeoutSeconds?: number
  /** named model connections: URLs of model servers by name, with those that stand in for them */
  readonly connections?: Readonly<
    Record<string, string | { readonly url: string; readonly fallbacks: readonly string[] }>
  >
  /** hosts with private addresses that effects may reach */
  readonly privateHosts?: readonly string[]
  /** secrets for effects that name them */
  readonly secrets?: Readonly<Record<string, string>>
  /** makes the vectors by which notes are searched */
  readonly embedder?: Embedder
  /** the program bwrap, in which effects run commands */
  readonly sandbox?: string
  /** how much is kept of the files that effects bring */
  readonly fileBounds?: Partial<FileBounds>
  /** options of the model besides its address */
  readonly model?: Omit<ModelOptions, 'timeoutSeconds'>
  readonly timeZone?: string
  /** an ISO instant: Postgres' clock then stands still, until `setClock` */
  readonly clock?: string
  /** longest time of a mind that decides within the workflow task of its moment; default 500 */
  readonly shortMindMs?: number
  /** seconds that a moment waits for a worker with its code; default as in a real one */
  readonly codeWaitSeconds?: number
  /** activities that a worker runs at once */
  readonly activitiesMax?: number
  /** what becomes of several overlays of one call; default block */
  readonly overlayMode?: OverlayMode
  /** persons act by a Temporal signal; default true */
  readonly actSignal?: boolean
  /** lives on in a database that exists, and drops it in the end; by default it makes one */
  readonly database?: OwnDatabase
  /** further options of Temporal's worker, such as its version */
  readonly worker?: Partial<WorkerOptions>
  /** how its worker and its client convert payloads */
  readonly dataConverter?: DataConverter
  /** maps the URL of Postgres to the one that workers use, such as a proxy's */
  readonly workerUrl?: (url: string) => string
  /** maps the address of Temporal, host:port, to the one that workers use */
  readonly workerTemporal?: (address: string) => string
}

/** A worker that still starts cannot be shut down. */
async function stop({ worker, done }: { readonly worker: Worker; readonly done: Promise<void> }) {
  while (worker.getState() === 'INITIALIZED') await Promise.race([sleep(10), done])
  worker.shutdown()
  await done
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const access = await temporalAccess()
  const { url: ownerUrl, drop, ...urls } = options.database ?? (await migratedDatabase())
  const owner = openDatabase(ownerUrl, { asOwner: true, poolMax: 4 })
  if (options.clock !== undefined) await stopClock(owner, options.clock)
  const timed = options.clock === undefined ? (plain: string) => plain : byStoppedClock
  const url = timed(urls.workerUrl)
  const db = openDatabase(timed(urls.peopleUrl), { role: 'treeos_people', poolMax: 6 })
  const workerDb = openDatabase(url, { poolMax: 4 })
  const extensions = options.extensions ?? []
  const registry = buildRegistry([seed, ...extensions])
  const { reality } = await bootstrapReality(owner, registry, {
    name: `r-${randomUUID().slice(0, 8)}`,
    timeZone: options.timeZone ?? 'UTC',
  })
  const { name } = reality
  const connection = await TemporalConnection.connect(access)
  const { dataConverter } = options
  const temporal = new Client({ connection, ...(dataConverter === undefined ? {} : { dataConverter }) })
  const vaultKey = randomBytes(32)
  const errors: World['errors'] = []
  const leftOut: World['leftOut'] = []
  const outcomes: World['outcomes'] = []
  const faults: World['faults'] = []
  const { address = '' } = access
  const native = await NativeConnection.connect({
    ...access,
    address: options.workerTemporal?.(address) ?? address,
  })
  let running: { worker: Worker; done: Promise<void> }[] = []

  async function startWorker(
    extensions: readonly Extension[] = options.extensions ?? [],
    more: Partial<WorkerOptions> = options.worker ?? {},
  ) {
    const worker = await Worker.create({
      connection: native,
      taskQueue: taskQueueOf(name),
      workflowBundle: { codePath: inject('bundlePath') },
      stickyQueueScheduleToStartTimeout: '1s',
      ...(dataConverter === undefined ? {} : { dataConverter }),
      // The SDK refuses two workers of one build in one process.
      ...(running.length === 0 ? {} : { workerDeploymentOptions: ANOTHER_BUILD }),
      ...(options.activitiesMax === undefined
        ? {}
        : { maxConcurrentActivityTaskExecutions: options.activitiesMax }),
      plugins: [
        treeos({
          extensions,
          databaseUrl: options.workerUrl?.(url) ?? url,
          model: modelOf(options),
          connections: connectionsOf(options),
          signalsUrl: options.actSignal === false ? null : urls.signalsUrl,
          ...(options.shortMindMs === undefined ? {} : { shortMindMs: options.shortMindMs }),
          ...(options.codeWaitSeconds === undefined ? {} : { codeWaitSeconds: options.codeWaitSeconds }),
          privateHosts: options.privateHosts ?? [],
          sandbox: options.sandbox ?? null,
          ...(options.fileBounds === undefined ? {} : { fileBounds: options.fileBounds }),
          embedder: options.embedder ?? null,
          secret: (name) => options.secrets?.[name] ?? null,
          vault: { key: vaultKey },
          ...(options.overlayMode === undefined ? {} : { overlayMode: options.overlayMode }),
          observe: {
            fault: (moment, fault) => void faults.push({ moment, ...fault }),
            leftOut: (what, error) => void leftOut.push({ what, error }),
            error: (where, error) => void errors.push({ where, error }),
            outcome: (kind, reason) => void outcomes.push({ kind, reason }),
          },
        }),
      ],
      ...more,
    })
    const one = { worker, done: worker.run() }
    running.push(one)
    return async () => {
      running = running.filter((other) => other !== one)
      await stop(one)
    }
  }
  async function stopWorker() {
    const stopped = running
    running = []
    await Promise.all(stopped.map(stop))
  }
  async function birth(args: JsonObject) {
    await act(at, 'operator', { verb: 'be', operation: 'birth', args })
  }
  await startWorker()
  const at = { db, temporal, reality, registry, vaults: new VaultClient(vaultKey) }
  return {
    ...at,
    workerDb,
    vaultKey,
    owner,
    url,
    errors,
    leftOut,
    outcomes,
    faults,
    startWorker,
    stopWorker,
    birth,
    birthPuppet: (name, more) =>
      birth({ name, cognition: 'scripted', script: 'stage:puppet', role: 'stage:free', ...more }),
    async setClock(iso) {
      await sql`update clock.stands set at = ${iso}::timestamptz`.execute(owner)
    },
    async close() {
      await stopWorker()
      await native.close()
      await connection.close()
      await Promise.all([db.destroy(), workerDb.destroy(), owner.destroy()])
      await drop()
    },
  }
}

const ANOTHER_BUILD = {
  version: { deploymentName: 'treeos', buildId: 'another' },
  useWorkerVersioning: false,
} as const

/**
 * Shadows Postgres' clock by one of ours for every connection with the new URL. Nothing else changes: time is
 * data, as in replay.
 */
async function stopClock(owner: Kysely<StoreDb>, iso: string): Promise<void> {
  await sql`create schema clock`.execute(owner)
  await sql`create table clock.stands (at timestamptz not null)`.execute(owner)
  await sql`insert into clock.stands values (${iso}::timestamptz)`.execute(owner)
  await sql`
    create function clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select at from clock.stands'`.execute(owner)
  // The function that reads the world has a search path of its own.
  await sql`
    do $$ begin
      execute format('alter function %s set search_path = clock, treeos, pg_catalog, pg_temp', 'treeos.read_set'::regproc::regprocedure);
    end $$`.execute(owner)
  await sql`grant usage on schema clock to public`.execute(owner)
  await sql`grant select on clock.stands to public`.execute(owner)
}

function byStoppedClock(url: string): string {
  const moved = new URL(url)
  moved.searchParams.set('options', '-c search_path=clock,treeos,pg_catalog')
  return moved.href
}

/** Tests do not wait for a minute. The count makes them independent of how busy the machine is. */
const ATTEMPTS_MAX = 4

export function modelAt(
  baseUrl: string,
  { modelTimeoutSeconds = 10, model }: WorldOptions,
  named: { readonly connection?: string; readonly fallbacks?: readonly string[] } = {},
): Model {
  return createModel(modelEndpoint({ ...named, model: 'test', baseUrl, apiKey: null }), {
    timeoutSeconds: modelTimeoutSeconds,
    attemptsMax: ATTEMPTS_MAX,
    ...model,
  })
}

const modelOf = (options: WorldOptions): Model | null =>
  options.modelUrl === undefined ? null : modelAt(options.modelUrl, options)

const connectionsOf = (options: WorldOptions): ReadonlyMap<string, Model> =>
  new Map(
    Object.entries(options.connections ?? {}).map(([connection, at]) => {
      const { url, ...more } = typeof at === 'string' ? { url: at } : at
      return [connection, modelAt(url, options, { connection, ...more })]
    }),
  )
