import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { beings } from '@treeos/client'
import type { History } from '@treeos/host'
import { beingWorkflowId } from '@treeos/protocol'
import { until } from './life.ts'
import type { World } from './world.ts'

export interface Exported {
  readonly workflowId: string
  readonly history: History
  /** all that history holds, as text: every string, every payload's bytes, and the JSON form */
  readonly text: string
}

/**
 * Exports every run of every being's workflow, then those of tasks, schedules and calls of workflows, and what Temporal says
 * about each.
 */
export async function exportHistories(world: World): Promise<Exported[]> {
  const exported: Exported[] = []
  const add = async (workflowId: string, runId: string) => {
    const handle = world.temporal.workflow.getHandle(workflowId, runId)
    const history = await handle.fetchHistory()
    const { raw } = await handle.describe()
    const text = [...wordsOf(history), ...wordsOf(raw), historyToJSON(history)].join('\n')
    exported.push({ workflowId, history, text })
  }
  for (const { being } of await beings(world.db)) {
    const workflowId = beingWorkflowId(world.reality.name, being)
    const lives = await world.db.selectFrom('life').select('chain').where('being', '=', being).execute()
    const query = `WorkflowId = "${workflowId}"`
    // Visibility lags behind; each life has at least one run.
    const runIds = await until(async () => {
      const found: string[] = []
      for await (const { runId } of world.temporal.workflow.list({ query })) found.push(runId)
      return found.length >= lives.length && { found }
    })
    for (const runId of runIds.found) await add(workflowId, runId)
  }
  for (const kind of ['task', 'schedule', 'treeosCall']) {
    const query = `WorkflowId STARTS_WITH "${kind}/${world.reality.name}/"`
    for await (const { workflowId, runId } of world.temporal.workflow.list({ query }))
      await add(workflowId, runId)
  }
  return exported
}

/** Every string and every bytes field at any depth, and what may be base64 also decoded. */
function* wordsOf(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') {
    yield value
    if (/^[A-Za-z0-9+/=_-]{8,}$/.test(value)) yield Buffer.from(value, 'base64').toString('utf8')
  } else if (value instanceof Uint8Array) yield Buffer.from(value).toString('utf8')
  else if (typeof value === 'object' && value !== null && depth < 60) {
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* wordsOf(item, depth + 1)
    }
  }
}
