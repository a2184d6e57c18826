import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findOutcomeOfWake } from '@treeos/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { WorkerProcess } from '../../faults/worker-process.ts'
import hostile, { CRIME_NAMES, HOSTILE_PATH } from '../../support/hostile.ts'
import { momentOf, wakeUp } from '../../support/life.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [hostile] })
let processes: Processes
let folder: string
beforeAll(async () => {
  processes = await prepareProcesses()
  folder = await mkdtemp(join(tmpdir(), 'treeos-hostile-'))
  for (const name of CRIME_NAMES) {
    const script = `hostile:${name.toLowerCase()}`
    await world.birth({ name: `x-${name.toLowerCase()}`, cognition: 'scripted', script, role: 'resident' })
  }
  await world.birth({ name: 'innocent', cognition: 'scripted', script: 'silent', role: 'resident' })
  await world.stopWorker() // from here on workers are processes of their own
})
afterAll(async () => {
  await processes?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Wakes a being, whether or not a worker runs. @returns the wake */
const wake = async (being: string): Promise<string> => (await wakeUp(world, being, ['go']))[0] as string
const SILENT = { outcome: 'see' }

const start = () =>
  processes.start(world, {
    TREEOS_EXTENSIONS: HOSTILE_PATH,
    TREEOS_EXTENSION_VARIABLES: 'HOSTILE_FOLDER',
    HOSTILE_FOLDER: folder,
    NODE_OPTIONS: '--max-old-space-size=192',
    TREEOS_MODEL: '',
  })

const KILLING = ['exit', 'abort', 'die', 'hoard', 'throwLater', 'reject']

it(`code of an extension that kills its worker takes nobody else with it: ${KILLING.join(', ')}`, {
  timeout: 300_000,
}, async () => {
  const poisoned = await Promise.all(KILLING.map((crime) => wake(`x-${crime.toLowerCase()}`)))
  const innocent = await wake('innocent')
  let isOver = false
  let ends = 0
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const supervised = (async () => {
    // As `treeos up` does.
    for (; !isOver; ends++) {
      const worker = start()
      await Promise.race([worker.ended, over])
      worker.kill()
      await worker.ended
    }
  })()
  for (const one of [innocent, ...poisoned]) expect(await momentOf(world, one, 240)).toMatchObject(SILENT)
  isOver = true
  resolve()
  await supervised
  expect((await readdir(folder)).sort()).toEqual([...KILLING].sort()) // each crime was committed
  expect(ends).toBeGreaterThan(2)
})

// The blocked worker goes on polling, and keeps each task that it gets until the task times out.
it('a worker that code of an extension blocks for ever: another one takes over all it had', {
  timeout: 600_000,
}, async () => {
  const blocked = start()
  let other: WorkerProcess | null = null
  try {
    expect(await blocked.ready).toBe(true)
    const poisoned = await wake('x-loop')
    await sleep(3_000)
    other = start()
    const innocent = await wake('innocent')
    expect(await momentOf(world, innocent, 270)).toMatchObject(SILENT)
    expect(await momentOf(world, poisoned, 270)).toMatchObject(SILENT)
  } finally {
    for (const worker of [blocked, other]) {
      worker?.kill()
      await worker?.ended
    }
  }
})

it('a worker whose hashes code of an extension forges commits nothing; a sound one goes on', {
  timeout: 180_000,
}, async () => {
  const forger = start()
  expect(await forger.ready).toBe(true)
  const poisoned = await wake('x-forge')
  await sleep(3_000)
  const innocent = await wake('innocent')
  await sleep(3_000)
  for (const one of [poisoned, innocent]) expect(await findOutcomeOfWake(world.db, one)).toBeNull()
  await expectUnbroken(world)
  forger.kill()
  await forger.ended
  const sound = start()
  expect(await momentOf(world, poisoned, 90)).toMatchObject(SILENT)
  expect(await momentOf(world, innocent, 90)).toMatchObject(SILENT)
  sound.kill()
  await sound.ended
})

it('every chain is whole and every moment replays: the forger stored nothing of those that it had in hand', async () => {
  await expectUnbroken(world)
  expect((await expectReplays(world, 'chain')).moments).toBeGreaterThan(KILLING.length)
})
