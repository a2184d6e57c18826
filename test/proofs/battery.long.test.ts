/**
 * Every rewrite of Postgres, of Temporal's histories or of both is found, and what is found names the store,
 * the being or reel, and the first moment or number. `TREEOS_BATTERY=500` makes 500 of each kind, and 1,000
 * clean runs; `TREEOS_BATTERY_SEED` repeats a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSeed, Random } from '../faults/random.ts'
import { useModelServer, useWorld } from '../support/use-world.ts'
import { startWorld } from '../support/world.ts'
import { type Attacked, Attacker } from './battery/attacker.ts'
import { Auditor, type Finding } from './battery/auditor.ts'
import { kindsOf } from './battery/kinds.ts'
import { extensions } from './battery/small-world.ts'
import { type Audited, buildStage, type Stage } from './battery/stage.ts'

const OF_EACH = Number(process.env.TREEOS_BATTERY ?? 1)
// the small size makes the same choices in every check
const SEED = Number(process.env.TREEOS_BATTERY_SEED ?? (OF_EACH === 1 ? 18 : newSeed()))
const isFull = OF_EACH >= 100
const CLEAN_RUNS = isFull ? 1000 : 0
const CLEAN_RUNS_EACH = 40
/** Attacks of which a control must miss one. By the seed most of them show in a second way. */
const CONTROLS_MAX = 100
const HOURS = 3 * 3_600_000

const model = useModelServer()
const world = useWorld({ extensions, modelServer: model })
let stage: Stage

/** Clean runs, and what they found all the same. */
let clean = 0
const alarms: Finding[] = []
async function onRest(audited: Audited): Promise<void> {
  clean += 1
  alarms.push(...(await new Auditor(audited).all()))
}

beforeAll(async () => {
  model.script(() => ({ content: 'I listen.' }))
  const [backups, others] = isFull ? [12, 4] : [2, 1]
  stage = await buildStage(world, { seed: SEED, backups, others, onRest })
}, HOURS)
afterAll(() => stage?.close())

describe(`the battery of rewrites, seed ${SEED}`, () => {
  it(
    'control: nothing is found where nothing was changed',
    async () => {
      for (let i = 1; clean < CLEAN_RUNS; i++) {
        const another = await startWorld({ extensions, modelUrl: model.url })
        const backups = Math.min(CLEAN_RUNS_EACH, CLEAN_RUNS - clean) - 1
        const living = { seed: SEED + i, backups, others: 0, onRest }
        const lived = await buildStage(another, living)
        lived.close()
        await another.close()
      }
      alarms.push(...(await new Auditor(stage).all()))
      console.log(`${clean} clean runs, ${alarms.length} alarms`)
      expect(alarms).toEqual([])
    },
    HOURS,
  )

  it(
    'each is found and located',
    async () => {
      const attacker = new Attacker(stage)
      const missed: string[] = []
      const lines: string[] = []
      for (const [i, kind] of kindsOf(stage).entries()) {
        const began = performance.now()
        const random = new Random(SEED + i)
        const by = new Map<Attacked['by'], number>()
        let located = 0
        for (let turn = 0; turn < OF_EACH; turn++) {
          const seed = random.between(1, 1_000_000_000)
          const attacked = await attacker.attack(kind, seed).catch((error: Error) => ({
            by: null,
            isLocated: false,
            about: `${error.message} ${error.stack}`,
          }))
          by.set(attacked.by, (by.get(attacked.by) ?? 0) + 1)
          if (attacked.isLocated) located += 1
          if (attacked.by === null || !attacked.isLocated)
            missed.push(
              `${attacked.by === null ? 'not found' : 'not located'}: ${kind.what}, seed ${seed}: ${attacked.about}`,
            )
        }
        const means = [...by].map(([means, count]) => `${means ?? 'NOTHING'} ${count}`).join(', ')
        const ms = Math.round((performance.now() - began) / OF_EACH)
        lines.push(
          `${kind.store.padEnd(8)} ${kind.what}: ${OF_EACH} tried, ${located} located, found by ${means}; ${ms} ms each`,
        )
      }
      console.log(`seed ${SEED}\n${lines.join('\n')}`)
      const auditor = new Auditor(stage)
      expect(await auditor.verify()).toEqual([])
      expect(missed).toEqual([])
    },
    HOURS,
  )

  it.each([
    { off: ['checkpoints'], what: 'both stores are rewritten' },
    { off: ['record', 'checkpoints'], what: 'the suffix of a being’s records is rewritten' },
    {
      off: ['record', 'history', 'wake-mismatch', 'checkpoints'],
      what: 'the newest moments of a being are cut off',
    },
    { off: ['history'], what: 'the tail of a run is cut off' },
    { off: ['form', 'command', 'determinism'], what: 'an event is moved' },
    {
      off: ['lease-mismatch', 'life-mismatch', 'limit-mismatch'],
      what: 'a budget, a lease, a life or a watch is edited',
    },
    { off: ['row-mismatch'], what: 'a row is edited' },
    { off: ['wake-mismatch'], what: 'a wake in an inbox is edited' },
    { off: ['blob-mismatch'], what: 'a blob is edited' },
    { off: ['reality-mismatch'], what: 'the row of the reality is edited' },
  ])('control: without $off it misses that $what', async ({ off, what }) => {
    const attacker = new Attacker(stage, new Set(off))
    const kind = kindsOf(stage).find((one) => one.what === what)!
    const random = new Random(SEED)
    let isMissed = false
    for (let turn = 0; turn < CONTROLS_MAX && !isMissed; turn++)
      isMissed = (await attacker.attack(kind, random.between(1, 1_000_000_000))).by === null
    expect(isMissed).toBe(true)
  })
})
