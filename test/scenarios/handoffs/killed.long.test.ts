/** Each hand-off by each door while the only worker, a process, is killed at a random time of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../faults/random.ts'
import type { WorkerProcess } from '../../faults/worker-process.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { RELAY_PATH } from '../../support/relay.ts'
import { expectAudited } from './audit.ts'
import { DOORS, type Door, HandOffWorld } from './hand-off-world.ts'
import { askShape, dueOf, newMark, SHAPES } from './shapes.ts'

/** Shapes that are asked at once: each death is in the middle of all of them. */
const AT_ONCE = 9
/** A shape without faults takes about as long. */
const DEATH_MS_MAX = 400
/** Deaths while the shapes of one group are asked. */
const DEATHS = 2

/** Keeps one worker, which it kills. */
class MortalWorker {
  readonly #processes: Processes
  readonly #here: HandOffWorld
  #worker: WorkerProcess
  deaths = 0

  constructor(processes: Processes, here: HandOffWorld) {
    this.#processes = processes
    this.#here = here
    this.#worker = this.#start()
  }

  #start(): WorkerProcess {
    return this.#processes.start(this.#here.world, {
      TREEOS_EXTENSIONS: RELAY_PATH,
    })
  }

  async ready(): Promise<void> {
    if (!(await this.#worker.ready)) throw new Error(await this.#worker.lastWords())
  }

  /** Dies by SIGKILL; the next one starts at once. */
  async die(): Promise<void> {
    await this.ready()
    this.#worker.kill()
    await this.#worker.ended
    this.deaths += 1
    this.#worker = this.#start()
  }
}

let here: HandOffWorld
let processes: Processes
let worker: MortalWorker
const seed = Number(process.env.TREEOS_SEED ?? Date.now() % 1_000_000)
const random = new Random(seed)

beforeAll(async () => {
  console.error(`seed ${seed}`)
  here = await HandOffWorld.start({ waitSeconds: 200 })
  processes = await prepareProcesses()
  await here.world.stopWorker()
  worker = new MortalWorker(processes, here)
  await worker.ready()
})
afterAll(async () => {
  await here?.close() // a person drives a being until then
  await processes?.close()
})

/** Kills of each shape at each door, which are reported. */
const killed = new Map<string, number>()

const groups = DOORS.flatMap((door) =>
  Object.keys(SHAPES)
    .map((name, i) => ({ door, name, i }))
    .reduce<{ door: Door; names: string[] }[]>((all, { name, i }) => {
      if (i % AT_ONCE === 0) all.push({ door, names: [] })
      all.at(-1)?.names.push(name)
      return all
    }, []),
)

describe.each(groups)('by the door $door', ({ door, names }) => {
  it(`each answer still comes once: ${names.join('; ')}`, { timeout: 300_000 }, async () => {
    let waiting = names.length
    const asked = names.map(async (name) => {
      const shape = SHAPES[name]
      if (shape === undefined) throw new Error(name)
      const mark = newMark()
      const before = worker.deaths
      const end = await askShape(here, shape, { door, mark }).finally(() => {
        waiting -= 1
      })
      killed.set(`${name} · ${door}`, worker.deaths - before)
      return { name, end, due: dueOf(shape, mark) }
    })
    const dying = (async () => {
      for (let death = 0; death < DEATHS && waiting > 0; death++) {
        await sleep(random.between(0, DEATH_MS_MAX))
        await worker.die()
      }
      await worker.ready()
    })()
    const [ends] = await Promise.all([Promise.all(asked), dying])
    expect(ends.map(({ name, end }) => ({ name, ...end }))).toEqual(
      ends.map(({ name, due }) => ({ name, ...due })),
    )
  })
})

it('the worker was killed in the middle of each', () => {
  console.error([...killed].map(([shape, deaths]) => `${deaths} ${shape}`).join('\n'))
  expect([...killed].filter(([, deaths]) => deaths === 0)).toEqual([])
  expect(killed.size).toBe(DOORS.length * Object.keys(SHAPES).length)
})

it('all of it replays from the chain and from Temporal, and both offline verifiers find it whole', async () => {
  await expectAudited(here.world)
})
