import { setTimeout as sleep } from 'node:timers/promises'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { beingWorkflowId } from '@treeos/protocol'
import { OPERATOR } from '@treeos/world'
import { sql } from 'kysely'
import type { Experiment } from '../driver.ts'
import { withoutDefences } from '../sabotaged-worker.ts'
import type { Figures, Scenario } from '../scenario.ts'
import { beginEndless } from './doorbells.ts'

/** The last moments may weigh this much more than the first. */
const BYTES_RATIO_MAX = 1.1
/** Generous, since other tests share the processors. */
const TIME_RATIO_MAX = 2.5
/** Its caches fill over some thousand moments: measured 1.15 from the first hundred to 8,000. */
const MEMORY_RATIO_MAX = 1.3
/** The control delays each message to and from Postgres by this. A moment waits for four. */
const SLOW_MS = 300
/** A signalled act that has no moment by then was refused or lost. */
const SIGNALLED_MS_MAX = 30_000

export interface Size {
  readonly moments: number
  /** moments compared at either end */
  readonly window: number
  readonly continuedAsNewMin: number
}

/** What a being costs does not grow with its age. */
export const growth: Scenario<Size> = {
  name: 'growth',
  about: 'history, memory and time per moment stay as they were, through any number of moments',
  sizes: {
    test: { moments: 200, window: 30, continuedAsNewMin: 1 },
    full: { moments: 2000, window: 100, continuedAsNewMin: 3 },
    control: { moments: 60, window: 20, continuedAsNewMin: 1 },
  },
  experiment: { persons: 2, scripted: 1, llm: 0 },
  async attack(experiment, { moments, window, continuedAsNewMin }, broken) {
    const [being = ''] = experiment.scripted
    const { worker } = experiment.keepWorker()
    await worker.ready
    const memory: number[] = []
    while (experiment.asked.length < moments) {
      await experiment.ask(being)
      if (experiment.open > 3) await experiment.progress()
      const { length } = experiment.asked
      if (length === window || length === moments) memory.push(await worker.memoryKept())
      if (length % 500 === 0) experiment.say(`${length} of ${moments} moments`)
    }
    await experiment.answered()
    return {
      ...(await judgeRuns(experiment, being, continuedAsNewMin, broken)),
      ...(await judgeTimes(experiment, being, window, broken)),
      ...judgeMemory(memory, broken),
      ...(await weigh(experiment, being, window, broken)),
    }
  },
  control: {
    without: 'sabotaged attack',
    experiment: { takesSignals: true, workerEnv: withoutDefences(['forgetting']) },
    /**
     * Content goes by signal instead of by row and grows; the last moments meet a slow Postgres; the being's
     * runs never end, and its worker forgets nothing.
     */
    async attack(experiment, { moments, window, continuedAsNewMin }, broken) {
      const { worker } = experiment.keepWorker()
      await worker.ready
      await beginEndless(experiment, OPERATOR)
      const memory: number[] = []
      const { proxy } = experiment.ground.postgres
      const before = (await timesOf(experiment, OPERATOR)).length
      try {
        for (let i = 0; i < moments; i++) {
          if (i === moments - window) proxy.slow(SLOW_MS)
          await signalAct(experiment, 'more '.repeat(i * 10))
          const giveUpAt = Date.now() + SIGNALLED_MS_MAX
          while ((await timesOf(experiment, OPERATOR)).length <= before + i) {
            if (Date.now() > giveUpAt) throw new Error(`signalled act ${i + 1} of ${moments} had no moment`)
            await sleep(20)
          }
          if (i === 0 || i + 1 === moments) memory.push(await worker.memoryKept())
        }
      } finally {
        proxy.flow()
      }
      return {
        ...(await judgeRuns(experiment, OPERATOR, continuedAsNewMin, broken)),
        ...judgeMemory(memory, broken),
        ...(await judgeTimes(experiment, OPERATOR, window, broken)),
        ...(await weigh(experiment, OPERATOR, window, broken)),
      }
    },
    sign: [
      /^history bytes per moment/,
      /^time per moment/,
      /^memory of the worker/,
      /^continued as new 0 times, not 1 at least/,
    ],
  },
}

async function judgeRuns(
  experiment: Experiment,
  being: string,
  atLeast: number,
  broken: string[],
): Promise<Figures> {
  const continuedAsNew = (await experiment.runsOf(being)).filter((run) => run.continuedAsNew).length
  if (continuedAsNew < atLeast)
    broken.push(`continued as new ${continuedAsNew} times, not ${atLeast} at least`)
  return { continuedAsNew }
}

/** @param memory bytes after the first and after the last moments */
function judgeMemory(memory: readonly number[], broken: string[]): Figures {
  const [first = 0, last = 0] = memory
  if (last > first * MEMORY_RATIO_MAX) broken.push(`memory of the worker: ${first} at first, ${last} at last`)
  return { memoryMbFirstLast: memory.map((bytes) => Math.round(bytes / 2 ** 20)) }
}

/** Acts by signal are the first operator's. */
async function signalAct(experiment: Experiment, value: string): Promise<void> {
  const handle = experiment.temporal.workflow.getHandle(beingWorkflowId(experiment.reality.name, OPERATOR))
  const args = { field: 'load.heard', value }
  await handle.signal('act', { verb: 'do', operation: 'set-being', target: `@${OPERATOR}`, args })
}

/** Compares the bytes of history, as JSON, of a being's first and last moments. */
async function weigh(
  experiment: Experiment,
  being: string,
  window: number,
  broken: string[],
): Promise<Figures> {
  const perMoment: number[] = []
  const workflowId = beingWorkflowId(experiment.reality.name, being)
  const runs = await experiment.runsOf(being)
  for (const { runId } of runs) {
    const history = await experiment.temporal.workflow.getHandle(workflowId, runId).fetchHistory()
    const { events } = JSON.parse(historyToJSON(history)) as { events: object[] }
    let bytes = 0
    for (const event of events) {
      const text = JSON.stringify(event)
      bytes += text.length
      const ended = momentsEndedBy(text)
      if (ended === 0) continue
      for (let i = 0; i < ended; i++) perMoment.push(bytes / ended)
      bytes = 0
    }
  }
  if (perMoment.length < 2 * window) broken.push(`histories with the ends of ${perMoment.length} moments`)
  const [first = 0, last = 0] = ends(perMoment, window)
  if (last > first * BYTES_RATIO_MAX)
    broken.push(`history bytes per moment: ${first} at first, ${last} at last`)
  const total = runs.reduce((sum, run) => sum + run.bytes, 0)
  return {
    historyJsonBytesPerMomentFirstLast: [first, last],
    historyBytesPerMoment: Math.round(total / Math.max(1, perMoment.length)),
    eventsPerMoment:
      Math.round((10 * runs.reduce((sum, run) => sum + run.events, 0)) / perMoment.length) / 10,
  }
}

/**
 * How many moments an event ends: those that a call of `liveMoments` lived, which its result lists, or the one
 * that `stampMoment` ends. The marker of a local activity has the name and the result in base64.
 */
function momentsEndedBy(event: string): number {
  if (!event.includes('core_local_activity')) return 0
  const data = [...event.matchAll(/"data":"([^"]*)"/g)].map(([, text]) =>
    Buffer.from(text ?? '', 'base64').toString(),
  )
  if (data.some((text) => text.includes('"activity_type":"stampMoment"'))) return 1
  if (!data.some((text) => text.includes('"activity_type":"liveMoments"'))) return 0
  const result = data.find((text) => text.startsWith('{"args":'))
  return result === undefined ? 0 : (JSON.parse(result) as LivedResult).value.lived.length
}

interface LivedResult {
  readonly value: { readonly lived: readonly unknown[] }
}

/** Medians of the first and the last `window` values. */
function ends(values: readonly number[], window: number): number[] {
  return [values.slice(0, window), values.slice(-window)].map((some) => {
    const sorted = some.toSorted((a, b) => a - b)
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  })
}

/** A moment takes as long at last as at first. */
async function judgeTimes(
  experiment: Experiment,
  being: string,
  window: number,
  broken: string[],
): Promise<Figures> {
  const times = await timesOf(experiment, being)
  const [firstMs = 0, lastMs = 0] = ends(times, window)
  if (lastMs > firstMs * TIME_RATIO_MAX)
    broken.push(`time per moment: ${firstMs} ms at first, ${lastMs} ms at last`)
  return { momentsOfOne: times.length, msPerMomentFirstLast: [firstMs, lastMs] }
}

/**
 * ms from one moment to the next, both sealed. A moment waits for Postgres mostly before it opens and while
 * it is sealed.
 */
async function timesOf(experiment: Experiment, being: string): Promise<number[]> {
  const { rows } = await sql<{ ms: number }>`
    select sealed_at - lag(sealed_at, 1, sealed_at) over (order by n) as ms from treeos.moment_outcome
    where being = ${being} order by n`.execute(experiment.db)
  return rows.map(({ ms }) => Number(ms))
}
