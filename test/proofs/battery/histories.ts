/** The histories of a world as its archive keeps them, for replays of what an attacker makes of them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import proto from '@temporalio/proto'
import { type BeingName, canonicalJson, type Json } from '@treeos/core'
import type { History } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { fetchRuns, listRuns } from '@treeos/replay'
import { until } from '../../support/life.ts'
import type { World } from '../../support/world.ts'

export type Event = NonNullable<History['events']>[number]

/** Runs by `<being>/<run id>`. */
export type Histories = ReadonlyMap<string, History>

export const beingOfRun = (run: string): BeingName => run.slice(0, run.indexOf('/'))

const { History: Proto } = proto.temporal.api.history.v1
export const copyOf = (history: History): History => Proto.decode(Proto.encode(history).finish())

/** Two fetches of one event may hold their fields in another order. */
const textOf = (event: Event): string => canonicalJson(JSON.parse(historyToJSON({ events: [event] })) as Json)

/** Index of the first event that differs; the last one where there are only more. */
export function firstDifference(were: readonly Event[], are: readonly Event[]): number {
  const differs = were.findIndex((event, i) => {
    const other = are[i]
    return other === undefined || textOf(event) !== textOf(other)
  })
  return differs < 0 ? were.length - 1 : differs
}

/** All that Temporal has of a reality now. */
export async function fetchHistories(world: World): Promise<Histories> {
  const { temporal, reality } = world
  const listed = await listRuns(temporal, reality.name, null)
  const all = await Promise.all(
    [...listed.keys()].map(async (being) =>
      (await fetchRuns(temporal, reality.name, being, null, listed)).map(
        ({ runId, history }) => [`${being}/${runId}`, history] as const,
      ),
    ),
  )
  return new Map(all.flat())
}

/** Ends all workflows of a reality and deletes them from Temporal, as after its retention period. */
export async function forget({ temporal, reality }: World): Promise<void> {
  const { namespace } = temporal.options
  await until(
    async () => {
      const listed = await listRuns(temporal, reality.name, null)
      for (const [being, runs] of listed)
        for (const runId of runs) {
          const workflowExecution = { workflowId: beingWorkflowId(reality.name, being), runId }
          await temporal.workflowService
            .deleteWorkflowExecution({ namespace, workflowExecution })
            .catch(() => undefined) // deleted in the round before, and listed for a while
        }
      return listed.size === 0
    },
    { seconds: 120, what: 'the end of all histories in Temporal' },
  )
}

/** A folder of histories that is changed and put back run by run. */
export class Archive {
  readonly folder: string
  #kept: Histories = new Map()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Replaces all histories. */
  fill(histories: Histories): void {
    rmSync(this.folder, { recursive: true, force: true })
    mkdirSync(this.folder, { recursive: true })
    for (const [run, history] of histories) this.#write(run, history)
    this.#kept = histories
  }

  /** Runs `read` while these runs are others. @param changed null: the run is gone */
  async with<T>(changed: ReadonlyMap<string, History | null>, read: () => Promise<T>): Promise<T> {
    for (const [run, history] of changed) this.#write(run, history)
    try {
      return await read()
    } finally {
      for (const run of changed.keys()) this.#write(run, this.#kept.get(run) ?? null)
    }
  }

  #write(run: string, history: History | null): void {
    const file = join(this.folder, `${run}.json.gz`)
    if (history === null) {
      rmSync(file, { force: true })
      return
    }
    mkdirSync(join(this.folder, beingOfRun(run)), { recursive: true })
    writeFileSync(file, gzipSync(historyToJSON(history), { level: 1 }))
  }
}
