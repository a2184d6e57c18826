import { expect, it } from 'vitest'
import { attempt } from './attempts.ts'
import type { Ran } from './scenario.ts'

const RAN: Ran = { seed: 1, seconds: 1, figures: {}, broken: [], stalled: false }
const STALLED: Ran = { ...RAN, broken: ['nothing came of 3 questions for 30 s\nall of them'], stalled: true }
const BROKEN: Ran = { ...RAN, broken: ['a wake has two outcomes'] }

const mayPass = ({ stalled }: Ran) => stalled

function experiment(...ends: (Ran | Error)[]) {
  const task = { name: 'an experiment', meta: {} as { retried?: string[] } }
  const once = async () => {
    const end = ends.shift() ?? RAN
    if (end instanceof Error) throw end
    return end
  }
  return { task, ran: attempt(task, 2, { once, mayPass }) }
}

it('an attempt that passes is not repeated', async () => {
  const { task, ran } = experiment(RAN)
  expect(await ran).toBe(RAN)
  expect(task.meta.retried).toBeUndefined()
})

it.each([
  { what: 'could not be set up', end: new Error('no port'), reason: 'Error: no port' },
  { what: 'stalled', end: STALLED, reason: 'nothing came of 3 questions for 30 s' },
])('one that $what is repeated, and the report says why', async ({ end, reason }) => {
  const { task, ran } = experiment(end, RAN)
  expect(await ran).toBe(RAN)
  expect(task.meta.retried).toEqual([reason])
})

it('what the oracle finds broken is never repeated', async () => {
  const { task, ran } = experiment(BROKEN, RAN)
  expect(await ran).toBe(BROKEN)
  expect(task.meta.retried).toBeUndefined()
})

it('the last attempt counts', async () => {
  expect(await experiment(STALLED, STALLED).ran).toBe(STALLED)
  await expect(experiment(STALLED, new Error('no port')).ran).rejects.toThrow('no port')
})
