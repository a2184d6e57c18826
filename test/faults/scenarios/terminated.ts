import { setTimeout as sleep } from 'node:timers/promises'
import { beingWorkflowId } from '@treeos/protocol'
import { sql } from 'kysely'
import type { Experiment } from '../driver.ts'
import type { Scenario } from '../scenario.ts'
import { dieAt } from './kill-points.ts'

/** Beings are terminated in the Temporal UI, asleep or in the middle of a moment. */
export const terminated: Scenario<{ rounds: number }> = {
  name: 'terminated',
  about:
    'a being whose workflow was terminated lives on under a new generation, its reel unbroken, its wake answered',
  sizes: { test: { rounds: 2 }, full: { rounds: 20 }, control: { rounds: 1 } },
  experiment: { persons: 1, scripted: 1, llm: 3, modelMsMax: 1500, stallSeconds: 60 },
  kills: () => ['begin:after-supersede'],
  async attack(experiment, { rounds }, broken) {
    const [echo = ''] = experiment.scripted
    const [mind = '', lonely = '', twice = ''] = experiment.llm
    // and the worker of its next life dies when it has closed what was left open
    await terminateOpened(experiment, twice)
    const died = await dieAt(experiment, ['begin:after-supersede'], 1)
    for (let round = 0; round < rounds; round++) {
      await experiment.answered([(await experiment.ask(echo)).id])
      await terminate(experiment, echo) // asleep: it comes back with its next wake
      await experiment.answered([(await experiment.ask(echo)).id])

      await terminateThinking(experiment, mind)
      await experiment.ask(mind) // its next wake brings it back, and what it had taken is answered too
      await experiment.answered()
    }
    await terminateOpened(experiment, lonely) // nothing more will ever wake it: the sweep has to notice
    await experiment.answered()
    broken.push(...(await keptWakes(experiment)))
    for (const [being, generations] of [
      [echo, rounds + 1],
      [mind, rounds + 1],
      [lonely, 2],
      [twice, 2],
    ] as const) {
      const lived = await generationsOf(experiment, being)
      if (lived !== generations) broken.push(`@${being} lived ${lived} lives, not ${generations}`)
    }
    return { terminated: 2 * rounds + 2, ...died }
  },
  control: {
    without: 'kept-claims',
    async attack(experiment, _size, broken) {
      const [mind = ''] = experiment.llm
      await experiment.keepWorker().worker.ready
      await terminateOpened(experiment, mind)
      await experiment.answered([(await experiment.ask(mind)).id]) // its next life lives
      broken.push(...(await keptWakes(experiment)))
      await experiment.answered()
      return {}
    },
    sign: /^the wake of @\S+ is still claimed/,
    stallSeconds: 12,
  },
}

async function terminate(experiment: Experiment, being: string): Promise<void> {
  experiment.faults.push(Date.now())
  await experiment.temporal.workflow
    .getHandle(beingWorkflowId(experiment.reality.name, being))
    .terminate('a test')
}

/** Asks a being a question and terminates it while the model works. */
async function terminateThinking(experiment: Experiment, being: string): Promise<void> {
  const { id } = await experiment.ask(being)
  while (!experiment.isThinkingOf(id)) {
    experiment.check()
    await sleep(5)
  }
  await terminate(experiment, being)
}

/**
 * As above, once the model turned out to be slow: only then its moment is stored, and a life can leave it
 * open.
 */
async function terminateOpened(experiment: Experiment, being: string): Promise<void> {
  for (;;) {
    const { id } = await experiment.ask(being)
    while (experiment.openIds.includes(id)) {
      if (await hasOpened(experiment, being)) return terminate(experiment, being)
      experiment.check()
      await sleep(5)
    }
  }
}

async function hasOpened(experiment: Experiment, being: string): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.moment_open o where o.being = ${being} and exists (
        select from treeos.mind_call c where c.moment = o.moment)
      and not exists (select from treeos.moment_outcome e where e.moment = o.moment)`.execute(experiment.db)
  return rows.length > 0
}

/** Wakes that nobody can claim any more, since the moment that claimed them has ended. */
async function keptWakes(experiment: Experiment): Promise<string[]> {
  const { rows } = await sql<{ being: string; moment: string }>`
    select i.being, o.moment from treeos.inbox i join treeos.moment_outcome o on o.moment = i.claimed_by
    where i.closed_by is null`.execute(experiment.db)
  return rows.map(
    ({ being, moment }) => `the wake of @${being} is still claimed by ${moment}, which has ended`,
  )
}

async function generationsOf(experiment: Experiment, being: string): Promise<number> {
  const { rows } = await sql<{ generation: number }>`
    select max(generation) as generation from treeos.life where being = ${being}`.execute(experiment.db)
  return rows[0]?.generation ?? 0
}
