import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName } from '@treeos/core'
import { taskQueueOf } from '@treeos/core'
import { BEING_WORKFLOW, beingWorkflowId } from '@treeos/protocol'
import type { Experiment } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'

const RINGING_MAX = 24
/**
 * A run ends after 500 events and what comes during its last tasks, of up to 8 moments each. Measured: 726 at
 * most on a quiet machine, 1,572 beside the other tests.
 */
const EVENTS_OF_RUN_MAX = 2500
/** Each ring is at least one event, so a being that was rung this often has begun another run. */
const RINGS_PER_RUN_MAX = 2500
/** The sweep finds a wake whose doorbell was lost after 5 s. */
const UNHEARD_SECONDS = 12

export const doorbells: Scenario<{ rings: number }> = {
  name: 'doorbells',
  about: 'a storm of doorbells, doubled and out of order, loses no wake and fills no history',
  sizes: { test: { rings: 3000 }, full: { rings: 12_000 }, control: { rings: 3000 } },
  experiment: { persons: 3, scripted: 1, llm: 0, modelMsMax: 0 },
  async attack(experiment, { rings }, broken) {
    const random = experiment.random.fork()
    const [busy = ''] = experiment.scripted
    await experiment.keepWorker().worker.ready
    const storm = ringOften(experiment, busy, rings)
    const ask = async () => {
      while (!storm.isOver()) {
        // The person's doorbell comes before the row, the row twice at once, and the doorbell after it late
        // or not at all.
        const person = random.pick(experiment.persons)
        if (random.chance(0.5)) await experiment.ring(person)
        await experiment.ask(busy, person, { rows: random.between(1, 3), rings: random.between(0, 2) })
        if (experiment.open > 40) await experiment.progress()
      }
    }
    const startedAt = Date.now()
    await Promise.all([storm.done, ask()])
    const seconds = (Date.now() - startedAt) / 1000
    await experiment.answered()
    return {
      rings,
      perSecond: Math.round(rings / seconds),
      ...(await judgeRuns(experiment, busy, rings, broken)),
    }
  },
  control: {
    without: 'blind-sweep',
    /** The being's runs never end, and the last doorbell comes before its row. */
    async attack(experiment, { rings }, broken) {
      const [busy = ''] = experiment.scripted
      const [person = '', other = ''] = experiment.persons
      await experiment.keepWorker().worker.ready
      await beginEndless(experiment, busy)
      await ringOften(experiment, busy, rings).done
      await judgeRuns(experiment, busy, rings, broken)
      await experiment.have(person)
      await experiment.answered()
      await experiment.ring(person)
      await sleep(1500) // it has looked, and found nothing
      const { id } = await experiment.ask(busy, person, { rows: 1, rings: 0 })
      for (const until = Date.now() + 1000 * UNHEARD_SECONDS; Date.now() < until; await sleep(500))
        // so it is not for a slow machine that it waits
        await experiment.answered([(await experiment.have(other)).id])
      if (experiment.openIds.includes(id))
        broken.push(`nothing came of ${id} for ${UNHEARD_SECONDS} s, though others were served`)
      await experiment.answered()
      return {}
    },
    sign: [/ events, at most /, / runs of /, /though others were served$/],
    stallSeconds: 10,
  },
}

function ringOften(experiment: Experiment, being: BeingName, rings: number) {
  let rung = 0
  const ring = async () => {
    while (rung < rings) {
      rung += 1
      const isRound = rung % 2000 === 0
      await experiment.ring(being)
      if (isRound) experiment.say(`${rung} of ${rings} rings, ${experiment.asked.length} questions`)
    }
  }
  return { done: Promise.all(Array.from({ length: RINGING_MAX }, ring)), isOver: () => rung >= rings }
}

/** No run is long, and there are as many as so many rings take. */
async function judgeRuns(
  experiment: Experiment,
  being: BeingName,
  rings: number,
  broken: string[],
): Promise<Figures> {
  const runs = await experiment.runsOf(being)
  const events = Math.max(...runs.map((run) => run.events))
  const runsMin = 1 + Math.floor(rings / RINGS_PER_RUN_MAX)
  if (runs.length < runsMin) broken.push(`${runs.length} runs of @${being}, at least ${runsMin} expected`)
  if (events > EVENTS_OF_RUN_MAX)
    broken.push(`a run of @${being} has ${events} events, at most ${EVENTS_OF_RUN_MAX} expected`)
  return { continuedAsNew: runs.length - 1, eventsOfARunMax: events }
}

/** Begins a being's workflow anew with runs that do not end by their length. */
export async function beginEndless(experiment: Experiment, being: BeingName): Promise<void> {
  const { reality, temporal } = experiment
  const workflowId = beingWorkflowId(reality.name, being)
  await temporal.workflow.start(BEING_WORKFLOW, {
    workflowId,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    taskQueue: taskQueueOf(reality.name),
    args: [{ reality: reality.name, being, historyEventsMax: 1_000_000 }],
  })
}
