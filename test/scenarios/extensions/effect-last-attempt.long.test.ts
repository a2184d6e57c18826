/** An effect with one attempt whose worker dies, before or after the result is recorded. */
import { randomUUID } from 'node:crypto'
import type { CrashPoint } from '@treeos/activities'
import { actWakeId } from '@treeos/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { putAct } from '../../faults/submitted-acts.ts'
import { momentOf, ring, rowOf } from '../../support/life.ts'
import mail, { MAIL_PATH } from '../../support/mail.ts'
import { type PostOffice, startPostOffice } from '../../support/post-office.ts'
import { type Processes, prepareProcesses } from '../../support/processes.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

let processes: Processes
let office: PostOffice
/** The wakes of beings whose worker died, by crash point. */
const wakes = new Map<CrashPoint, string>()

beforeAll(async () => {
  processes = await prepareProcesses()
  office = await startPostOffice()
})
afterAll(async () => {
  await processes?.close()
  await office?.close()
})
const world = useWorld({ extensions: [mail] })
beforeAll(async () => {
  for (const name of ['ann', 'ben']) await world.birth({ name, cognition: 'human', role: 'operator' })
  await world.stopWorker()
  wakes.set('effect:after-result', await postAndDie('ann', 'effect:after-result'))
  wakes.set('effect:after-perform', await postAndDie('ben', 'effect:after-perform'))
  await world.startWorker()
})

/** Runs one worker, which dies of the letter that it posts. @returns the wake of the act */
async function postAndDie(person: string, point: CrashPoint): Promise<string> {
  const worker = processes.start(world, {
    TREEOS_EXTENSIONS: MAIL_PATH,
    TREEOS_TEST_OFFICE: office.url,
    TREEOS_TEST_BUILD: '1',
    TREEOS_CRASH_AT: `${point}:1`,
  })
  expect(await worker.ready).toBe(true)
  const id = randomUUID()
  const args = { text: `from ${person}` }
  await putAct(world.db, person, id, { verb: 'do', operation: 'mail:post-once', target: `@${person}`, args })
  await ring(world, person)
  expect(await worker.ended).toBe('SIGKILL')
  return actWakeId(id)
}

const endOf = (point: CrashPoint) => momentOf(world, wakes.get(point) ?? '', 90)
const cameFrom = (person: string) => office.letters.filter(({ text }) => text === `from ${person}`)

it('the result was recorded: the moment is an act', async () => {
  expect(await endOf('effect:after-result')).toMatchObject({ outcome: 'act' })
  const [letter, ...more] = cameFrom('ann')
  expect(more).toEqual([])
  expect((await rowOf(world, 'ann')).qualities.mail).toEqual({ last: 'from ann', receipt: letter?.key })
})

it('the result was lost: the moment is a failure with a code, and its text does not claim that nothing was done', async () => {
  expect(await endOf('effect:after-perform')).toMatchObject({
    outcome: 'failure',
    reason: 'TIMEOUT',
    message:
      "the effect gave no result within its attempts, and may have happened nevertheless; the worker's log has each error",
    act: null,
  })
  expect(cameFrom('ben')).toHaveLength(1)
  expect((await rowOf(world, 'ben')).qualities).not.toHaveProperty('mail')
})

it('both replay identically', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
  expect(office.asked).toBe(2)
})
