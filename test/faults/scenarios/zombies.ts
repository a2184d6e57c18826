import { setTimeout as sleep } from 'node:timers/promises'
import type { Experiment } from '../driver.ts'
import { quiet } from '../open-questions.ts'
import type { FaultProxy } from '../proxy.ts'
import type { Figures, Scenario } from '../scenario.ts'
import type { WorkerProcess } from '../worker-process.ts'
import { differences, hashesOf } from '../written.ts'

/** Questions of a round. Each is two moments, so up to twice as many appends are under way. */
const AT_ONCE = 30
/** How long a round waits for more appends to be held back. */
const GATHER_MS = 3000
/** A statement's answer is waited for up to 10 s, and a stamp up to 30 s. */
const REPLY_SECONDS = [12, 35] as const

interface Size {
  readonly zombies: number
  /** seconds from the end of all that others did in its place until the zombie goes on */
  readonly pastSeconds: readonly [low: number, high: number]
  /** acknowledgements of commits that come after their time; a commit may hold several appends */
  readonly lateReplies: number
}

export const zombies: Scenario<Size> = {
  name: 'zombies',
  about:
    'a worker that was stopped inside its appends and wakes after another one has finished them writes nothing, and neither does one that hears of its commits too late',
  sizes: {
    test: { zombies: 10, pastSeconds: [1, 2], lateReplies: 5 },
    full: { zombies: 500, pastSeconds: [5, 30], lateReplies: 60 },
    control: { zombies: 40, pastSeconds: [1, 2], lateReplies: 0 },
  },
  experiment: { persons: 20, scripted: 30, llm: 0, stallSeconds: 90 },
  async attack(experiment, size, broken) {
    const pair = await startPair(experiment)
    const figures = await wakeZombies(experiment, pair, size, broken)
    return { ...figures, lateReplies: await delayReplies(experiment, pair, size.lateReplies) }
  },
  control: {
    without: 'unkeyed-append',
    sign: /other facts than its record says/,
  },
}

/** A worker with a link to Postgres of its own. */
interface Linked {
  readonly worker: WorkerProcess
  readonly link: FaultProxy
}

async function startPair(experiment: Experiment): Promise<Linked[]> {
  experiment.dismissMidwife()
  const pair: Linked[] = []
  for (let i = 0; i < 2; i++) {
    const link = await experiment.newLink()
    pair.push({ link, worker: experiment.startWorker(undefined, { through: link }) })
  }
  await Promise.all(pair.map(({ worker }) => worker.ready))
  return pair
}

const isAppend = (statement: string) => /treeos\.append(_together)?\(/.test(statement)

async function wakeZombies(
  experiment: Experiment,
  pair: readonly Linked[],
  { zombies: wanted, pastSeconds: [low, high] }: Size,
  broken: string[],
): Promise<Figures> {
  const random = experiment.random.fork()
  const said: Record<string, number> = {}
  let held = 0
  for (let round = 0; held < wanted; round++) {
    const { worker, link } = pair[round % pair.length] as Linked
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    const onAnswer = (answer: string) => {
      for (const status of statusesIn(answer)) said[status] = (said[status] ?? 0) + 1
    }
    const before = link.counts.lateStatements
    link.unhear({ wanted: isAppend, lateness: { until, onAnswer } })
    await Promise.all(Array.from({ length: AT_ONCE }, () => experiment.ask(random.pick(experiment.scripted))))
    await gather(() => link.counts.lateStatements - before)
    experiment.faults.push(Date.now())
    worker.freeze()
    link.unhear(null)
    await experiment.answered()
    await quiet(experiment.db)
    await sleep(1000 * (low + random.next() * (high - low)))
    const written = await hashesOf(experiment.db)
    release() // Postgres gets the late statements before the zombie looks at its clock
    await sleep(500)
    worker.resume()
    experiment.faults.push(Date.now())
    await experiment.answered(
      (await Promise.all(experiment.scripted.map((being) => experiment.ask(being)))).map(({ id }) => id),
    )
    broken.push(...differences(written, await hashesOf(experiment.db)))
    held = Object.values(said).reduce((sum, n) => sum + n, 0)
    experiment.say(`${held} of ${wanted} zombies, told ${JSON.stringify(said)}`)
  }
  if ((said.appended ?? 0) > 0) broken.push(`${said.appended} late appends were taken`)
  return {
    zombies: held,
    ...Object.fromEntries(Object.entries(said).map(([what, n]) => [`told ${what}`, n])),
  }
}

/** The answer that each append of a late statement got. */
function statusesIn(answer: string): string[] {
  const statuses = Array.from(answer.matchAll(/"status": ?"(\w+)"/g), ([, status]) => status as string)
  return statuses.length > 0 ? statuses : ['an error or the end of a transaction']
}

/** Waits until a number grows no more, or for a while. */
async function gather(count: () => number): Promise<void> {
  for (const until = Date.now() + GATHER_MS; Date.now() < until; await sleep(50))
    if (count() >= AT_ONCE) return
}

/** @returns how many acknowledgements came late */
async function delayReplies(
  experiment: Experiment,
  pair: readonly Linked[],
  wanted: number,
): Promise<number> {
  const random = experiment.random.fork()
  const done = () => pair.reduce((sum, { link }) => sum + link.counts.unheardCommits, 0)
  while (done() < wanted) {
    const [low, high] = REPLY_SECONDS
    const delayMs = 1000 * random.between(low, high)
    experiment.faults.push(Date.now())
    for (const { link } of pair)
      link.unhear({ wanted: (text) => isAppend(text) && random.chance(0.3), delayMs })
    const asked = await Promise.all(
      Array.from({ length: AT_ONCE }, () => experiment.ask(random.pick(experiment.scripted))),
    )
    await sleep(GATHER_MS)
    for (const { link } of pair) link.unhear(null)
    await experiment.answered(asked.map(({ id }) => id))
    experiment.faults.push(Date.now())
    experiment.say(`${done()} of ${wanted} replies late by ${delayMs / 1000} s`)
  }
  return done()
}
