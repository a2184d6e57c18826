import { expect, it } from 'vitest'
import { bounds } from './bounds.ts'

const asker = (group: string) => ({ group, key: group })

it('requests that wait take no room of others, and have a bound of their own', async () => {
  const { take } = bounds()
  const waiting = await Promise.all(Array.from({ length: 12 }, () => take('wait', asker('ann'))))
  await Promise.all(waiting.map(({ toWait }) => toWait()))
  // All twelve places of a person are free again.
  const more = await Promise.all(Array.from({ length: 12 }, () => take('act', asker('ann'))))
  for (const { end } of more) end()
  const rest = await Promise.all(Array.from({ length: 5 }, () => take('wait', asker('ann'))))
  let taken = 0
  const entering = rest.map((turn) => turn.toWait().then(() => (taken += 1)))
  await Promise.all(entering.slice(0, 4))
  expect(taken).toBe(4) // sixteen wait, and one waits for its turn
  waiting[0]?.end()
  await Promise.all(entering)
})

it('a request that goes on after its answer has begun keeps its room until it says so', async () => {
  const { take } = bounds()
  const heavy = await Promise.all([take('heavy', asker('ann')), take('heavy', asker('ann'))])
  const endKept = heavy[0]?.keep()
  for (const { end } of heavy) end()
  const second = await take('heavy', asker('ann'))
  let isIn = false
  const third = take('heavy', asker('ann')).then((turn) => {
    isIn = true
    return turn
  })
  await Promise.resolve()
  expect(isIn).toBe(false)
  endKept?.()
  ;(await third).end()
  second.end()
})

it('searches take no room of what is heavy, and one is under way for a person', async () => {
  const { take } = bounds()
  const first = await take('search', asker('ann'))
  let isIn = false
  const second = take('search', asker('ann')).then((turn) => {
    isIn = true
    return turn
  })
  const others = await Promise.all([take('search', asker('ben')), take('search', asker('cid'))])
  const heavy = await Promise.all(['ann', 'ben', 'cid', 'dot'].map((name) => take('heavy', asker(name))))
  expect(isIn).toBe(false)
  for (const { end } of [first, ...others, ...heavy]) end()
  ;(await second).end()
})

it('a file is bounded by what the operator set, and four of a person are taken at once', async () => {
  const { take, requireSize } = bounds(undefined, 1_000)
  expect(() => requireSize('file', '1000')).not.toThrow()
  expect(() => requireSize('file', '1001')).toThrow('larger than 1000 bytes')
  expect(() => bounds().requireSize('file', 5 * 1024 * 1024 + 1)).toThrow('larger than')
  const four = await Promise.all(Array.from({ length: 4 }, () => take('file', asker('ann'))))
  let isIn = false
  const fifth = take('file', asker('ann')).then((turn) => {
    isIn = true
    return turn
  })
  const other = await take('file', asker('ben'))
  expect(isIn).toBe(false)
  for (const { end } of [...four, other]) end()
  ;(await fifth).end()
})
