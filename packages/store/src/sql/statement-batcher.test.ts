import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Db } from './database.ts'
import { paceStatements, StatementBatcher } from './statement-batcher.ts'

const db = { isTransaction: false } as Db
const paced = { isTransaction: false } as Db

/** Answers an ask with itself after `ms`, and notes what went together. */
function place({ ms = 1, at = db, many = (asks: readonly string[]) => asks }) {
  const sent: (readonly string[])[] = []
  const together = new StatementBatcher<string, string>({
    async one(_, ask) {
      sent.push([ask])
      await sleep(ms)
      if (ask.startsWith('bad')) throw new Error(`refused ${ask}`)
      return ask
    },
    async many(_, asks) {
      sent.push(asks)
      await sleep(ms)
      return many(asks)
    },
    lengthOf: (ask) => ask.length,
  })
  return { sent, ask: (...asks: string[]) => asks.map((ask) => together.ask(at, ask)) }
}

const refusal = (severity?: string) => Object.assign(new Error('the statement failed'), { severity })

it('sends an ask that comes alone at once and by itself', async () => {
  const { sent, ask } = place({})
  const [first] = ask('a')
  expect(sent).toEqual([['a']])
  expect(await first).toBe('a')
  expect(await Promise.all(ask('b'))).toEqual(['b'])
  expect(sent).toEqual([['a'], ['b']])
})

it('sends what comes while two are under way together, sixteen at most', async () => {
  const { sent, ask } = place({})
  const asks = Array.from({ length: 20 }, (_, i) => `ask-${i}`)
  expect(await Promise.all(ask(...asks))).toEqual(asks)
  expect(sent.map((each) => each.length)).toEqual([1, 1, 16, 2])
})

it('sends each by itself when the statement was taken back, and only the wrong one fails', async () => {
  const { sent, ask } = place({
    many() {
      throw refusal('ERROR')
    },
  })
  const settled = await Promise.allSettled(ask('1', '2', 'a', 'bad', 'b'))
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual([
    ...['1', '2', 'a'],
    'Error: refused bad',
    'b',
  ])
  expect(sent).toEqual([['1'], ['2'], ['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
})

it.each([
  ['the connection was lost', refusal()],
  ['the server stopped', refusal('FATAL')],
])('repeats nothing when it may have been done: %s', async (_, error) => {
  const { sent, ask } = place({
    many() {
      throw error
    },
  })
  const settled = await Promise.allSettled(ask('1', '2', 'a', 'b'))
  expect(settled.slice(2)).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ])
  expect(sent).toEqual([['1'], ['2'], ['a', 'b']])
})

it('does not wait for statements that are slow', async () => {
  const { sent, ask } = place({ ms: 300 })
  const began = performance.now()
  const all = Promise.all(ask('1', '2', 'late'))
  await expect.poll(() => sent.length, { interval: 5 }).toBe(3)
  expect(performance.now() - began).toBeLessThan(250)
  await all
})

it('lets a long text and a transaction go by themselves', async () => {
  const { sent, ask } = place({})
  await Promise.all(ask('1', '2', 'x'.repeat(65 * 1024), 'a', 'b'))
  expect(sent.map((each) => each.length)).toEqual([1, 1, 1, 2])
})

it('holds back what comes soon after a statement, so that more goes together, and sends a full one at once', async () => {
  let paceMs = 60
  paceStatements(paced, () => paceMs)
  const { sent, ask } = place({ at: paced })
  await Promise.all(ask('a'))
  const began = performance.now()
  const soon = ask('b')
  await sleep(5)
  await Promise.all([...soon, ...ask('c')])
  expect(sent).toEqual([['a'], ['b', 'c']])
  expect(performance.now() - began).toBeGreaterThan(40)
  await Promise.all(ask(...Array.from({ length: 16 }, (_, i) => `ask-${i}`)))
  expect(sent.map((each) => each.length)).toEqual([1, 2, 16])
  await sleep(65)
  await Promise.all(ask('d')) // it comes alone again
  paceMs = 0 // the control
  const free = ask('e')
  await sleep(5)
  await Promise.all([...free, ...ask('f')])
  expect(sent.slice(3)).toEqual([['d'], ['e'], ['f']])
})
