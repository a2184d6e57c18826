import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Experiment } from '../driver.ts'
import type { Keeper } from '../keeper.ts'
import type { Figures, Scenario } from '../scenario.ts'

type Victim = 'worker' | 'temporal' | 'postgres'
/** Each pair of the three, and Postgres that dies again while it recovers. */
const BLOWS = ['worker temporal', 'worker postgres', 'temporal postgres', 'postgres again'] as const
type Blow = (typeof BLOWS)[number]
const ANSWER_SECONDS_MAX = 60

export const pairs: Scenario<{ blows: number }> = {
  name: 'pairs',
  about:
    'two of worker, Temporal and Postgres killed together, or Postgres again while it recovers: every accepted summon has one outcome',
  sizes: { test: { blows: 4 }, full: { blows: 50 }, control: { blows: 4 } },
  experiment: { persons: 3, scripted: 4, llm: 3, stallSeconds: 90 },
  async attack(experiment, { blows }, broken) {
    const random = experiment.random.fork()
    const plan: Blow[] = []
    while (plan.length < blows) plan.push(...random.shuffled(BLOWS))
    return strike(experiment, plan.slice(0, blows), broken)
  },
  control: {
    without: 'late-commits',
    attack: (experiment, { blows }, broken) =>
      strike(experiment, Array<Blow>(blows).fill('worker postgres'), broken),
    sign: /^an accepted act is gone/,
    stallSeconds: 30,
  },
}

async function strike(experiment: Experiment, plan: readonly Blow[], broken: string[]): Promise<Figures> {
  const random = experiment.random.fork()
  const keepers = [experiment.keepWorker(), experiment.keepWorker()]
  await Promise.all(keepers.map(({ worker }) => worker.ready))
  const load = experiment.load(8)
  let slowest = 0
  let recoveriesKilled = 0
  for (const [i, blow] of plan.entries()) {
    await sleep(random.between(100, 800))
    experiment.check()
    const under = experiment.openIds
    if (blow === 'postgres again') recoveriesKilled += await killRecovering(experiment)
    else await killTogether(experiment, blow.split(' ') as Victim[], keepers)
    const at = Date.now()
    await findGone(experiment, broken)
    if (broken.length > 0) break
    await experiment.answered(under)
    const seconds = (Date.now() - at) / 1000
    slowest = Math.max(slowest, Math.round(seconds * 10) / 10)
    if (seconds > ANSWER_SECONDS_MAX) broken.push(`${blow}: the last answer came ${seconds} s after`)
    experiment.say(`${i + 1} of ${plan.length}: ${blow}, answered ${seconds.toFixed(1)} s after`)
  }
  await load.stop()
  return { blows: plan.length, recoveriesKilled, slowestSeconds: slowest }
}

async function killTogether(experiment: Experiment, victims: readonly Victim[], keepers: readonly Keeper[]) {
  const { ground, faults } = experiment
  faults.push(Date.now())
  const servers = victims.filter((victim) => victim !== 'worker')
  for (const victim of servers) ground[victim].kill()
  if (victims.includes('worker')) for (const { worker } of keepers) worker.kill()
  await Promise.all(servers.map((server) => ground[server].restart()))
  faults.push(Date.now())
}

/** @returns 1 when Postgres died while it recovered, 0 when it was too quick */
async function killRecovering({ ground, faults, say }: Experiment): Promise<number> {
  const { postgres } = ground
  faults.push(Date.now())
  postgres.kill()
  const died = await postgres.killWhile('automatic recovery in progress')
  if (!died) say('Postgres recovered before it was killed')
  await postgres.restart()
  faults.push(Date.now())
  return died ? 1 : 0
}

/** Whoever was told that an act was accepted must find it. */
async function findGone(experiment: Experiment, broken: string[]): Promise<void> {
  const ids = experiment.asked.map(({ id }) => id)
  const { rows } = await sql<{ id: string }>`
    select asked.id from unnest(${ids}::text[]) as asked(id)
    where not exists (select from treeos.inbox i where i.id = 'act/' || asked.id) limit 5`.execute(
    experiment.db,
  )
  if (rows.length > 0) broken.push(`an accepted act is gone: ${rows.map(({ id }) => id).join(', ')}`)
}
