import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Experiment } from '../driver.ts'
import type { Scenario } from '../scenario.ts'

const ANSWER_SECONDS_MAX = 60
/** After a warm-up. Open moments are few, so nothing may pile up while connections are away. */
const MEMORY_RATIO_MAX = 1.5
const TOO_MANY = '53300'

/** Connections that the worker has for its moments, and questions that wait for them at once. */
const POOL = 2
const AT_ONCE = 64
/** A server that is full refuses at once, so it need not be full for long. */
const FULL_SECONDS_MAX = 10

interface Size {
  /** of each kind: a table that all need is held, the server takes no more connections */
  readonly rounds: number
  readonly heldSeconds: number
}

export const pool: Scenario<Size> = {
  name: 'pool',
  about:
    '64 moments on a pool of 2, all of its connections held, and a server that is full: no deadlock, no moment lost, memory bounded',
  sizes: {
    test: { rounds: 1, heldSeconds: 4 },
    full: { rounds: 25, heldSeconds: 30 },
    control: { rounds: 0, heldSeconds: 0 },
  },
  experiment: {
    persons: 16,
    scripted: 32,
    llm: 16,
    modelMsMax: 300,
    stallSeconds: 90,
    workerEnv: { TREEOS_POOL_MAX: String(POOL) },
  },
  async attack(experiment, { rounds, heldSeconds }, broken) {
    const { worker } = experiment.keepWorker()
    await worker.ready
    await askMany(experiment)
    await experiment.answered()
    const memory = [await worker.memoryKept()]
    const connectionsMax = experiment.ground.postgres.proxy.open
    if (connectionsMax > CONNECTIONS_MAX) broken.push(`the worker has ${connectionsMax} connections`)
    const slowest: Record<string, number> = {}
    for (let round = 1; round <= rounds; round++)
      for (const [what, attack] of [
        ['held', () => holdEach(experiment, heldSeconds, broken)],
        ['full', () => fillUp(experiment, Math.min(heldSeconds, FULL_SECONDS_MAX), broken)],
      ] as const) {
        await askMany(experiment)
        await attack()
        const { open } = experiment
        const at = Date.now()
        await experiment.answered()
        const seconds = Math.round((Date.now() - at) / 100) / 10
        slowest[`${what}SecondsMax`] = Math.max(slowest[`${what}SecondsMax`] ?? 0, seconds)
        if (seconds > ANSWER_SECONDS_MAX)
          broken.push(`${what}: the last answer came ${seconds} s after its end`)
        experiment.say(`${round} of ${rounds}: ${what}, ${open} open ones answered ${seconds} s after`)
      }
    memory.push(await worker.memoryKept())
    const [first = 0, last = 0] = memory.map((bytes) => Math.round(bytes / 2 ** 20))
    if (last > first * MEMORY_RATIO_MAX)
      broken.push(`memory of the worker: ${first} MiB before, ${last} MiB after`)
    return { rounds: 2 * rounds, connectionsMax, memoryMbFirstLast: [first, last], ...slowest }
  },
  control: {
    without: 'sabotaged attack',
    /** What holds the connections does not let go. */
    async attack(experiment) {
      await experiment.keepWorker().worker.ready
      const release = await hold(experiment)
      try {
        await askMany(experiment)
        await experiment.answered()
      } finally {
        await release()
      }
      return {}
    },
    // The stall names the lock that nobody gets.
    sign: [/^nothing came of/, /locks waited for: \n.*"relation":"(treeos\.)?head"/],
    stallSeconds: 12,
  },
}

/** The pool's 2, and those of metrics, overlays and what it listens to. */
const CONNECTIONS_MAX = 8

/** Holds all connections of the pool for a while, and finds that they wait. */
async function holdEach(experiment: Experiment, seconds: number, broken: string[]): Promise<void> {
  const release = await hold(experiment)
  await askMany(experiment)
  await sleep(1000 * seconds)
  const { rows } = await sql<{ held: number }>`
    select count(*)::int as held from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(experiment.owner)
  await release()
  const { held = 0 } = rows[0] ?? {}
  if (held < POOL) broken.push(`${held} connections were held, not the ${POOL} of the pool`)
}

/** Holds a lock that every moment needs. @returns what gives it back */
async function hold({ owner }: Experiment): Promise<() => Promise<void>> {
  const { promise: given, resolve: give } = Promise.withResolvers<void>()
  const { promise: held, resolve: take, reject } = Promise.withResolvers<void>()
  const holding = owner.transaction().execute(async (tx) => {
    await sql`lock table treeos.head in access exclusive mode`.execute(tx)
    take()
    await given
  })
  holding.catch(reject)
  await held
  return () => {
    give()
    return holding
  }
}

/**
 * Takes all connections that the server gives to roles like the worker's, and cuts those that the worker has.
 */
async function fillUp(experiment: Experiment, seconds: number, broken: string[]): Promise<void> {
  const { proxy, calm } = experiment.ground.postgres
  const from = (await readFile(experiment.ground.workerLog, 'utf8')).length
  const taken: pg.Client[] = []
  /** @returns false when the server is full */
  const take = async () => {
    const client = new pg.Client({ connectionString: experiment.databaseUrl(calm) })
    client.on('error', () => undefined)
    try {
      await client.connect()
    } catch (error) {
      if ((error as { code?: unknown }).code !== TOO_MANY) throw error
      return false
    }
    taken.push(client)
    return true
  }
  try {
    experiment.faults.push(Date.now())
    proxy.refuse(true) // else the worker would be quicker than we are
    proxy.cut()
    while (await take());
    proxy.refuse(false)
    await askMany(experiment)
    for (const until = Date.now() + 1000 * seconds; Date.now() < until; ) if (!(await take())) await sleep(20)
    const log = await readFile(experiment.ground.workerLog, 'utf8')
    if (!log.includes(`"code":"${TOO_MANY}"`, from))
      broken.push('the server was full, and refused the worker nothing')
  } finally {
    proxy.flow()
    await Promise.all(taken.map((client) => client.end()))
    experiment.faults.push(Date.now())
  }
}

/** The driver's own connections are open already. */
const askMany = (experiment: Experiment) =>
  Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      experiment.ask(experiment.random.pick([...experiment.scripted, ...experiment.llm])),
    ),
  )
