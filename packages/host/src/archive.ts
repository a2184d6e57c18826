import { randomUUID } from 'node:crypto'
import { access, chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type Client, isGrpcServiceError } from '@temporalio/client'
// The SDK's documentation names this path; no package exports the two functions.
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { temporal } from '@temporalio/proto'
import { RecurringWork } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { beingWorkflowId, scheduleId } from '@treeos/protocol'

export type History = temporal.api.history.v1.IHistory

/** In the mode of a folder. */
const GROUP_WRITES = 0o020
const SWEEP_EVERY_MS = 30_000
/** Runs that one sweep deletes at most, so that it does not keep Temporal from its work. */
const DELETED_MAX = 500
/**
 * Temporal lists a closed run once it has indexed it, and does not index runs in the order in which they
 * closed. Each sweep therefore lists this much time again before the newest close time that the last one saw.
 */
const OVERLAP_MS = 5 * 60_000
const zip = promisify(gzip)
const unzip = promisify(gunzip)

export interface ArchiveOptions {
  readonly client: Client
  readonly reality: string
  /** folder for the histories; created when missing, for its owner only */
  readonly folder: string
  /**
   * after this time Temporal need not keep a closed run that is archived; null: Temporal's retention period
   * decides alone
   */
  readonly keepMs: number | null
  readonly onError: (where: string, error: unknown) => void
}

/**
 * Writes the history of every closed run to a file. Temporal deletes closed runs after their retention
 * period, and replay needs all runs of a reality. With `keepMs` it deletes a run from Temporal once it is
 * archived, and the runs by which Schedules ticked: otherwise Temporal's data grows with every moment, while
 * Postgres and the archive hold all that replay needs. Several workers may do so at once: each file is
 * written once.
 */
export class Archivist {
  readonly #options: ArchiveOptions
  /** newest close time of an archived run, in ms since 1970 UTC */
  #newest = 0
  /** close times of archived runs that the next sweep may list again, by run id, in ms */
  readonly #recent = new Map<string, number>()
  /** archived runs that Temporal still has */
  readonly #kept = new Map<string, { readonly workflowId: string; readonly closed: number }>()
  readonly #sweeps: RecurringWork

  constructor(options: ArchiveOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(
      SWEEP_EVERY_MS,
      async () => {
        await this.sweep()
        await this.prune()
      },
      (error) => options.onError('archive', error),
    )
  }

  start(): void {
    this.#sweeps.start()
  }

  /** Archives the runs that closed since the last sweep. @returns how many runs were written */
  async sweep(): Promise<number> {
    const { client, reality, folder } = this.#options
    await makePrivate(folder)
    const beings = beingWorkflowId(reality, '')
    const since = new Date(Math.max(0, this.#newest - OVERLAP_MS)).toISOString()
    const query = `WorkflowId STARTS_WITH "${beings}" AND ExecutionStatus != "Running" AND CloseTime >= "${since}"`
    let newest = this.#newest
    let written = 0
    for await (const run of client.workflow.list({ query })) {
      if (this.#recent.has(run.runId)) continue
      const being = run.workflowId.slice(beings.length)
      if (await writeRun(client, folder, being, run.workflowId, run.runId)) written += 1
      const closed = run.closeTime?.getTime()
      if (closed === undefined) continue
      this.#recent.set(run.runId, closed)
      if (this.#options.keepMs !== null) this.#kept.set(run.runId, { workflowId: run.workflowId, closed })
      newest = Math.max(newest, closed)
    }
    this.#newest = newest
    for (const [id, closed] of this.#recent) if (closed < newest - OVERLAP_MS) this.#recent.delete(id)
    return written
  }

  /** Deletes closed runs that Temporal need not keep any more, at most 500. @returns how many */
  async prune(): Promise<number> {
    const { client, reality, keepMs } = this.#options
    if (keepMs === null) return 0
    const before = Date.now() - keepMs
    let deleted = 0
    for (const [runId, { workflowId, closed }] of this.#kept) {
      if (deleted === DELETED_MAX) return deleted
      if (closed >= before) continue
      await deleteRun(client, workflowId, runId)
      this.#kept.delete(runId)
      deleted += 1
    }
    const schedules = scheduleId(reality, '', '').replace(/\/$/, '')
    const query = `WorkflowId STARTS_WITH "${schedules}" AND ExecutionStatus != "Running" AND CloseTime < "${new Date(before).toISOString()}"`
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      if (deleted === DELETED_MAX) return deleted
      await deleteRun(client, workflowId, runId)
      deleted += 1
    }
    return deleted
  }

  close(): Promise<void> {
    return this.#sweeps.close()
  }
}

/** Another worker may have deleted the run before. */
async function deleteRun(client: Client, workflowId: string, runId: string): Promise<void> {
  const { namespace } = client.options
  await client.workflowService
    .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
    .catch((error: unknown) => {
      if (!isGrpcServiceError(error) || error.code !== GRPC_NOT_FOUND) throw error
    })
}
const GRPC_NOT_FOUND = 5

async function writeRun(
  client: Client,
  folder: string,
  being: BeingName,
  workflowId: string,
  runId: string,
): Promise<boolean> {
  const path = join(folder, being)
  const name = `${runId}.json.gz`
  await mkdir(path, { recursive: true })
  if (await exists(join(path, name))) return false
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
  const draft = join(path, `.${name}.${randomUUID()}`) // workers of other machines may write here, too
  await writeFile(draft, await zip(historyToJSON(history)))
  await rename(draft, join(path, name)) // atomic, so a crash leaves no partial file
  return true
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

/**
 * Makes the folder for its owner only, also where it is there for everybody: what is in histories is private. Only
 * a group that may write there goes on: its workers share the folder.
 */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode } = await stat(folder)
  const kept = mode & ((mode & GROUP_WRITES) === 0 ? 0o7700 : 0o7770)
  if (kept === (mode & 0o7777)) return
  await chmod(folder, kept).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error // it is of another user, who decides
  })
}

/**
 * Archived runs of a being, by run id, unordered.
 * @param except ids of runs that the caller has already
 */
export async function readArchive(
  folder: string,
  being: BeingName,
  except: ReadonlySet<string> = new Set(),
): Promise<Map<string, History>> {
  const path = join(folder, being)
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const runs = new Map<string, History>()
  for (const name of names.filter((file) => !file.startsWith('.') && file.endsWith('.json.gz'))) {
    if (except.has(name.slice(0, -'.json.gz'.length))) continue
    const text = (await unzip(await readFile(join(path, name)))).toString('utf8')
    runs.set(name.slice(0, -'.json.gz'.length), historyFromJSON(JSON.parse(text)))
  }
  return runs
}

/** Beings with archived runs, sorted. */
export async function listArchived(folder: string): Promise<BeingName[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

/**
 * Folder of the histories: the one that TREEOS_HISTORIES names, such as one that all workers share, else one in
 * the data folder of the instance.
 */
export const historiesFolder = (dataDir: string, env: NodeJS.ProcessEnv = process.env): string =>
  env.TREEOS_HISTORIES || join(dataDir, 'histories')
