/** The client for TypeScript, against a portal. */
import { act, issueToken } from '@treeos/client'
import { Problem, Treeos } from '@treeos/client-http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PortalWorld } from '../support/portal.ts'

let at: PortalWorld
let ada: Treeos
beforeAll(async () => {
  at = await PortalWorld.start()
  const { secret: token } = await issueToken({ ...at.world, person: 'ada' }, { being: 'ada', as: 'ada' })
  ada = new Treeos({ url: at.origin, token })
})
afterAll(() => at?.close())

it('calls the four verbs', async () => {
  expect(await ada.me()).toMatchObject({ being: '@ada' })
  expect(await ada.see('/library')).toMatchObject({ address: { path: '/library' } })
  const moved = await ada.do({ operation: 'move', target: '/library', key: 'once' })
  expect(await ada.do({ operation: 'move', target: '/library', key: 'once' })).toEqual(moved)
  await ada.be({
    operation: 'birth',
    args: { name: 'pip', cognition: 'scripted', script: 'echo', role: 'stage:free' },
  })
  const said = await ada.summon({ target: '@pip', content: 'hello', waitSeconds: 30 })
  expect(said.reply).toEqual({ from: '@pip', content: 'hello' })
})

it('throws refusals with their codes', async () => {
  const refused = ada.do({ operation: 'no-such', target: '/' })
  await expect(refused).rejects.toBeInstanceOf(Problem)
  await expect(refused).rejects.toMatchObject({ code: 'ACTION_NOT_SUPPORTED', status: 404 })
})

it('reads lists to their end', async () => {
  for (let i = 0; i < 60; i++) await act({ ...at.world, person: 'ada' }, 'ada', { verb: 'see', address: '/' })
  const numbers: number[] = []
  for await (const { n } of ada.moments('ada')) numbers.push(n)
  expect(numbers.length).toBeGreaterThan(60)
  expect(numbers).toEqual(numbers.map((_, i) => numbers.length - i))
  for await (const entry of ada.inbox()) expect(entry.correlation).toEqual(expect.any(String))
})

it('follows the journal over a lost connection, each event once', async () => {
  const seen: { id: string; act: unknown }[] = []
  const stopping = new AbortController()
  const following = (async () => {
    for await (const { id, act } of ada.journal({ signal: stopping.signal })) seen.push({ id, act })
  })()
  let count = 0
  const move = () => ada.do({ operation: 'move', target: count++ % 2 === 0 ? '/' : '/library' })
  await expect.poll(async () => (await move()) && seen.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await at.serveAnew()
  const { act: last } = await move()
  await expect.poll(() => seen.map(({ act }) => act), { timeout: 20_000 }).toContain(last)
  stopping.abort()
  await following
  const ids = seen.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
