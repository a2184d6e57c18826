import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Client } from '@temporalio/client'
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { temporal } from '@temporalio/proto'
import { Recurring } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'

export type History = temporal.api.history.v1.IHistory

const SWEEP_EVERY_MS = 30_000
/**
 * Temporal lists a closed run once it has indexed it, and does not index runs in the order in which they closed. Each sweep
 * therefore lists this much time again before the newest close time that the last one saw.
 */
const OVERLAP_MS = 5 * 60_000
const zip = promisify(gzip)
const unzip = promisify(gunzip)

export interface ArchiveOptions {
  readonly client: Client
  readonly reality: string
  /** folder for the histories; created when missing */
  readonly folder: string
  readonly onError: (where: string, error: unknown) => void
}

/**
 * Writes the history of every closed run to a file. Temporal deletes closed runs after their retention period, and replay
 * needs all runs of a reality. Several workers may do so at once: each file is written once.
 */
export class Archivist {
  readonly #options: ArchiveOptions
  /** newest close time of an archived run, in ms since 1970 UTC */
  #newest = 0
  /** close times of archived runs that the next sweep may list again, by run id, in ms */
  readonly #recent = new Map<string, number>()
  readonly #sweeps: Recurring

  constructor(options: ArchiveOptions) {
    this.#options = options
    this.#sweeps = new Recurring(
      SWEEP_EVERY_MS,
      () => this.sweep(),
      (error) => options.onError('archive', error),
    )
  }

  start(): void {
    this.#sweeps.start()
  }

  /** Archives the runs that closed since the last sweep. @returns how many runs were written */
  async sweep(): Promise<number> {
    const { client, reality, folder } = this.#options
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
      newest = Math.max(newest, closed)
    }
    this.#newest = newest
    for (const [id, closed] of this.#recent) if (closed < newest - OVERLAP_MS) this.#recent.delete(id)
    return written
  }

  close(): Promise<void> {
    return this.#sweeps.close()
  }
}

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
  if ((await readdir(path)).includes(name)) return false
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
  const draft = join(path, `.${name}.${process.pid}`)
  await writeFile(draft, await zip(historyToJSON(history)))
  await rename(draft, join(path, name)) // atomic, so a crash leaves no partial file
  return true
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

/** Folder of the histories within an instance's data folder. */
export const historiesFolder = (dataDir: string): string => join(dataDir, 'histories')
