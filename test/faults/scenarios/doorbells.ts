import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from '../scenario.ts'

const RINGING_MAX = 24
const EVENTS_MAX = 8000
/** A signal is four events at most, and a run ends after some two thousand. */
const RINGS_PER_RUN_MAX = 6000

/** RELIABILITY C6, C7. */
export const doorbells: Scenario<{ rings: number }> = {
  name: 'doorbells',
  about: 'a storm of doorbells, doubled and out of order, loses no wake and fills no history',
  sizes: { test: { rings: 1500 }, full: { rings: 12_000 }, control: { rings: 4 } },
  trial: { persons: 3, scripted: 1, llm: 0, modelMsMax: 0 },
  async attack(trial, { rings }, broken) {
    const random = trial.random.fork()
    const [busy = ''] = trial.scripted
    await trial.keepWorker().worker.ready
    let rung = 0
    const ring = async () => {
      while (rung < rings) {
        rung += 1
        const isRound = rung % 2000 === 0
        await trial.ring(busy)
        if (isRound) trial.say(`${rung} of ${rings} rings, ${trial.asked.length} questions`)
      }
    }
    const ask = async () => {
      while (rung < rings) {
        // The person's doorbell before the row, the row twice at once, and the doorbell after it, if at all, late.
        const person = random.pick(trial.persons)
        if (random.chance(0.5)) await trial.ring(person)
        await trial.ask(busy, person, { rows: random.between(1, 3), rings: random.between(0, 2) })
        if (trial.open > 40) await trial.progress()
      }
    }
    const startedAt = Date.now()
    await Promise.all([...Array.from({ length: RINGING_MAX }, ring), ask()])
    const seconds = (Date.now() - startedAt) / 1000
    await trial.answered()
    const runs = await trial.runsOf(busy)
    const events = Math.max(...runs.map((run) => run.events))
    const runsWanted = 1 + Math.floor(rings / RINGS_PER_RUN_MAX)
    if (runs.length < runsWanted) broken.push(`${runs.length} runs of @${busy}, not ${runsWanted} at least`)
    if (events > EVENTS_MAX)
      broken.push(`a run of @${busy} has ${events} events, at most ${EVENTS_MAX} are fine`)
    const perSecond = Math.round(rings / seconds)
    return { rings, perSecond, continuedAsNew: runs.length - 1, eventsOfARunMax: events }
  },
  control: {
    without: 'blind-sweep',
    /** Every doorbell comes before its row. */
    async attack(trial) {
      await trial.keepWorker().worker.ready
      const [person = ''] = trial.persons
      await trial.have(person)
      await trial.answered()
      await trial.ring(person)
      await sleep(1500) // it has looked, and found nothing
      await trial.ask(trial.scripted[0] ?? '', person, { rows: 1, rings: 0 })
      await trial.answered()
      return {}
    },
    sign: /^nothing came of/,
    stallSeconds: 10,
  },
}
