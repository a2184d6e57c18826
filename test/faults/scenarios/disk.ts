import { setTimeout as sleep } from 'node:timers/promises'
import { refusalOf } from '@treeos/client'
import { actWakeId, newWake, PRIORITIES } from '@treeos/core'
import { enqueue } from '@treeos/store'
import { sql } from 'kysely'
import type { Experiment } from '../driver.ts'
import type { Keeper } from '../keeper.ts'
import type { Scenario } from '../scenario.ts'

type Place = 'postgres' | 'temporal' | 'logs'
const ANSWER_SECONDS_MAX = 90
/** Acts that clients bring while the disk is full. Their size makes Postgres ask for new pages. */
const REFUSED = 12
const REFUSED_CHARS = 20_000
/** By default Postgres would keep more of its log than the disk holds. */
const WAL_MIB = 48

interface Size {
  readonly postgres: number
  readonly temporal: number
  readonly logs: number
}

export const disk: Scenario<Size> = {
  name: 'disk',
  about:
    'a disk that is full under Postgres, under the file of Temporal or under the log of workers: clients get a typed error, and nothing is lost once there is space',
  special: 'disks',
  sizes: {
    test: { postgres: 1, temporal: 1, logs: 1 },
    full: { postgres: 20, temporal: 10, logs: 10 },
    control: { postgres: 1, temporal: 0, logs: 0 },
  },
  experiment: { persons: 3, scripted: 3, llm: 2, stallSeconds: 120 },
  async attack(experiment, size, broken) {
    const random = experiment.random.fork()
    await sql`alter system set max_wal_size = ${sql.lit(`${WAL_MIB}MB`)}`.execute(experiment.owner)
    await sql`select pg_reload_conf()`.execute(experiment.owner)
    const keeper = experiment.keepWorker()
    await keeper.worker.ready
    const load = experiment.load(8)
    const told: Record<string, number> = {}
    const slowest: Record<string, number> = {}
    const places = (['postgres', 'temporal', 'logs'] as const).flatMap((place) =>
      Array<Place>(size[place]).fill(place),
    )
    for (const [i, place] of random.shuffled(places).entries()) {
      await sleep(random.between(200, 1000))
      const under = experiment.openIds
      const starts = keeper.starts
      await whileFull(experiment, place, async () => {
        if (place === 'postgres')
          for (const code of await bringActs(experiment)) told[code] = (told[code] ?? 0) + 1
        if (place === 'logs') await makeItLog(experiment)
        await sleep(random.between(1000, 6000))
      })
      const at = Date.now()
      await experiment.answered(under)
      const seconds = (Date.now() - at) / 1000
      slowest[`${place}SecondsMax`] = Math.max(
        slowest[`${place}SecondsMax`] ?? 0,
        Math.round(seconds * 10) / 10,
      )
      if (seconds > ANSWER_SECONDS_MAX)
        broken.push(`${place}: the last answer came ${seconds} s after there was space`)
      judgeWorker(place, starts, keeper, broken)
      experiment.say(
        `${i + 1} of ${places.length}: ${place}, answered ${seconds.toFixed(1)} s after there was space`,
      )
    }
    await load.stop()
    await experiment.answered()
    for (const code of Object.keys(told))
      if (code !== 'taken' && code !== 'SERVICE_UNAVAILABLE') broken.push(`a client was told ${code}`)
    if (size.postgres > 0 && told.SERVICE_UNAVAILABLE === undefined)
      broken.push('no client was refused, so Postgres had space')
    return { ...size, ...told, ...slowest }
  },
  control: {
    without: 'sabotaged attack',
    /** The space does not come back. */
    async attack(experiment) {
      await experiment.keepWorker().worker.ready
      const load = experiment.load(8)
      load.stop().catch(() => undefined)
      await whileFull(experiment, 'postgres', async () => {
        await bringActs(experiment)
        await experiment.answered()
      })
      return {}
    },
    sign: [/^nothing came of/, /No space left on device/],
    stallSeconds: 15,
  },
}

async function whileFull(
  { ground, faults }: Experiment,
  place: Place,
  run: () => Promise<void>,
): Promise<void> {
  const full = ground.disks?.[place]
  if (full === undefined) throw new Error('the disks of this ground are not small')
  faults.push(Date.now())
  full.fill()
  try {
    await run()
  } finally {
    full.free()
    if (place !== 'logs') await ground[place].restart() // it may have ended; one that runs goes on
    faults.push(Date.now())
  }
}

/** Brings large acts as clients do. @returns what each client was told: a code, or `taken` */
async function bringActs(experiment: Experiment): Promise<string[]> {
  const told: string[] = []
  for (let i = 0; i < REFUSED; i++) {
    const being = experiment.random.pick(experiment.persons)
    const args = { field: 'load.large', value: 'x'.repeat(REFUSED_CHARS) }
    const wake = newWake({
      id: actWakeId(`${experiment.reality.name}-large-${experiment.random.next()}`),
      being,
      kind: 'act',
      priority: PRIORITIES.human,
      content: { call: { verb: 'do', operation: 'set-being', target: `@${being}`, args }, answers: null },
    })
    told.push(
      await enqueue(experiment.db, 'act', wake).then(
        () => 'taken',
        (error: unknown) => refusalOf(error).code,
      ),
    )
  }
  return told
}

/** A worker warns of each connection that it loses. */
async function makeItLog({ ground }: Experiment): Promise<void> {
  for (let i = 0; i < 5; i++) {
    ground.postgres.proxy.cut()
    await sleep(200)
  }
}

/** Nothing but its log is full, so it goes on. */
function judgeWorker(place: Place, starts: number, keeper: Keeper, broken: string[]): void {
  if (place === 'logs' && keeper.starts > starts) broken.push('a worker ended because its log was full')
}
