import { CRASH_POINTS, type CrashPoint } from '@treeos/activities'
import { IS_NIGHT } from '../../support/night.ts'
import type { Experiment, WorkerHow } from '../driver.ts'
import type { Figures, Scenario } from '../scenario.ts'

/** Reached once a life. A run starts many workers but few lives, so it seldom reaches them again. */
const BIRTHS: readonly CrashPoint[] = ['begin:after-generation', 'begin:after-supersede']
/** Seldom reached: only a being whose wakes come fast waits for the next one. */
const SELDOM: readonly CrashPoint[] = [...BIRTHS, 'live:next-wake']
/** Only a moment with an effect reaches these. */
export const OUTSIDE: readonly CrashPoint[] = CRASH_POINTS.filter((point) => point.startsWith('effect:'))
const HIT_MAX = 3
const DEATH_SECONDS_MAX = 120

/**
 * Starts workers that die at chosen points, two at a time, under load.
 * @param howOf what is special about each, from 0 on
 * @returns the number of deaths by point
 */
export async function dieAt(
  experiment: Experiment,
  points: readonly CrashPoint[],
  open: number,
  howOf: (n: number) => WorkerHow = () => ({}),
): Promise<Figures> {
  let started = 0
  const random = experiment.random.fork()
  // Few lives begin while an experiment runs, so the first one must do.
  const hitOf = (point: CrashPoint) => (SELDOM.includes(point) ? 1 : random.between(1, HIT_MAX))
  const plan = points.map((point) => `${point}:${hitOf(point)}`)
  experiment.dismissMidwife()
  const died: Figures = {}
  const dieNext = async (crashAt: string) => {
    const worker = experiment.startWorker(crashAt, howOf(started++))
    const late = setTimeout(() => worker.kill(), 1000 * DEATH_SECONDS_MAX)
    const end = await worker.ended
    clearTimeout(late)
    experiment.check()
    if (worker.wasKilled) throw new Error(`no moment came by ${crashAt} within ${DEATH_SECONDS_MAX} s`)
    if (end !== 'SIGKILL') {
      const said = await worker.lastWords()
      throw new Error(`a worker that should die at ${crashAt} ended by ${end}: ${said}`)
    }
    experiment.faults.push(Date.now())
    died[crashAt] = Number(died[crashAt] ?? 0) + 1
    experiment.say(`killed at ${crashAt}, ${plan.length} to go`)
  }
  const takeTurns = async () => {
    for (let crashAt = plan.shift(); crashAt !== undefined; crashAt = plan.shift()) await dieNext(crashAt)
  }
  const isBirth = points[0] !== undefined && BIRTHS.includes(points[0])
  // This worker starts alone. A second one could begin all lives, and then the first would never reach its
  // crash point.
  const birth = isBirth ? dieNext(plan.shift() ?? '') : null
  const turns = birth === null ? [takeTurns(), takeTurns()] : [birth.then(takeTurns), birth.then(takeTurns)]
  // Otherwise the first worker that is ready would take all the work, and the second would never reach its
  // point.
  const ready = Promise.all([...experiment.ground.workers].map((worker) => worker.ready))
  const loading = ready.then(() => experiment.load(open))
  await Promise.all([...turns, loading])
  experiment.keepWorker()
  await (await loading).stop()
  return died
}

/** After the commit and before Temporal knows of it. */
export const AFTER_COMMIT: readonly CrashPoint[] = [
  'stamp:after-append',
  'stamp:returned',
  'ring:before',
  'ring:after',
]
/** What a life comes by before its first moments; the second one where an older life left a moment open. */
const [BIRTH = 'begin:after-generation'] = BIRTHS
const WITHIN = CRASH_POINTS.filter((point) => ![...BIRTHS, ...OUTSIDE].includes(point))

/** By day one of each phase of a moment: a third of them. */
const BY_DAY: readonly CrashPoint[] = [
  BIRTH,
  'open:after-record',
  'live:after-record',
  'think:after-decision',
  'stamp:after-append',
  'ring:before',
]

/** Kills the worker once in each of `kills` moments, at random points or at those of `only`. */
export const killPoints: Scenario<{ kills: number; only?: readonly CrashPoint[] }> = {
  name: 'kill-points',
  about: 'a worker killed between any two effects loses nothing and doubles nothing',
  // At night the small size leaves to stamp-rerun what is killed there.
  sizes: {
    test: IS_NIGHT
      ? { kills: 1 + WITHIN.length - AFTER_COMMIT.length }
      : { kills: BY_DAY.length, only: BY_DAY },
    full: { kills: 40 },
    control: { kills: 1 },
  },
  experiment: {
    modelMsMax: 1100, // about half of the calls take the long way
    // a call outlives its worker by 12 s before another one makes it, and the next worker may die in it too
    stallSeconds: 60,
  },
  kills: ({ kills }) => [
    BIRTH,
    ...WITHIN.filter((point) => kills > WITHIN.length || !AFTER_COMMIT.includes(point)),
  ],
  async attack(experiment, size) {
    const random = experiment.random.fork()
    // The first life of each being begins now, so its points come first.
    const [first = BIRTH, ...rest] = size.only ?? this.kills?.(size) ?? []
    const plan = [first, ...random.shuffled(rest)].slice(0, size.kills)
    while (plan.length < size.kills) plan.push(random.pick(WITHIN))
    return { kills: plan.length, ...(await dieAt(experiment, plan, 4)) }
  },
  control: {
    without: 'unkeyed-append',
    attack: (experiment, { kills }) =>
      dieAt(experiment, Array<CrashPoint>(kills).fill('stamp:after-append'), 4),
    sign: /other facts than its record says/,
  },
}
