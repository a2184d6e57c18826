/** Rules that count: no two acts slip under one bound, be they done at once or outside. */
import { shadowed } from '@treeos/client'
import type { Json } from '@treeos/core'
import { readRows } from '@treeos/store'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import till, { meanwhile, sent } from '../../support/till.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage, till] })
const CLERKS = ['ann', 'bob', 'cid', 'dot', 'eve', 'fay']
beforeAll(async () => {
  await createSpace(world, '/shop')
  for (const name of CLERKS) await world.birthPuppet(name)
})

const rule = (action: string, value: Json) =>
  doAs(world, 'set-space', '/shop', { field: 'permissions.do', value: { [action]: value }, merge: false })
const call = (operation: string, euros: number) =>
  ({ verb: 'do', operation, target: '/shop', args: { euros } }) as const
/** All clerks do it at once. */
const together = (action: string, euros: number) =>
  Promise.all(CLERKS.map((name) => play(world, name, call(action, euros))))
const tally = async (action: string) => {
  const [row] = await readRows(world.db, world.reality.id, [`tally:/shop do.${action}`])
  return row?.state as { total: number; sums: { euros?: number } } | null
}
const outcomes = (moments: readonly { readonly outcome: string; readonly reason?: string | null }[]) =>
  moments.map(({ outcome, reason }) => reason ?? outcome).sort()

it('of six beings that do it at once, as many are let through as the rule says', async () => {
  await rule('till:pay', { requires: ['anyone'], counts: [{ most: 4, within: 3600 }] })
  const moments = await together('till:pay', 5)
  expect(outcomes(moments)).toEqual(['FORBIDDEN', 'FORBIDDEN', 'act', 'act', 'act', 'act'])
  expect(await tally('till:pay')).toMatchObject({ total: 4 })
  const [refused] = moments.filter(({ outcome }) => outcome === 'failure')
  expect(refused?.message).toContain('/shop permissions.do.till:pay counts[0]: do till:pay was done 4 times')
})

it('what is done outside has its place before it begins, so money never moves beyond the sum', async () => {
  await rule('till:wire', { requires: ['anyone'], counts: [{ sum: 'euros', most: 100 }] })
  meanwhile.run = () => new Promise((resolve) => setTimeout(resolve, 300))
  const before = sent.length
  const moments = await together('till:wire', 40)
  meanwhile.run = async () => undefined
  for (const { outcome, reason } of moments)
    expect(['act', 'FORBIDDEN', 'RESOURCE_CONFLICT']).toContain(reason ?? outcome)
  for (const name of CLERKS) await play(world, name, call('till:wire', 40))
  expect(sent.slice(before)).toEqual([40, 40])
  expect(await tally('till:wire')).toMatchObject({ total: 2, sums: { euros: 80 } })
})

it('what was asked of the outside counts, though nobody knows whether it happened', async () => {
  meanwhile.run = () => Promise.reject(new Error('the line is dead'))
  const lost = await play(world, 'ann', call('till:wire', 15))
  meanwhile.run = async () => undefined
  expect(lost).toMatchObject({ outcome: 'failure', reason: 'INTERNAL' })
  expect(await tally('till:wire')).toMatchObject({ total: 3, sums: { euros: 95 } })
  expect(await play(world, 'bob', call('till:wire', 6))).toMatchObject({ reason: 'FORBIDDEN' })
  expect(await play(world, 'bob', call('till:wire', 5))).toMatchObject({ outcome: 'act' })
})

it('a check that failed comes before nothing', async () => {
  const after = { requires: ['anyone'], counts: [{ after: { do: 'till:wire' }, per: ['target'] }] }
  await doAs(world, 'set-space', '/shop', {
    field: 'permissions.do',
    value: { 'till:pay': after, 'till:wire': { requires: ['anyone'] } },
    merge: false,
  })
  const pays = () => play(world, 'ann', call('till:pay', 2))
  meanwhile.run = () => Promise.reject(new Error('the line is dead'))
  expect(await play(world, 'ann', call('till:wire', 1))).toMatchObject({ outcome: 'failure' })
  meanwhile.run = async () => undefined
  expect(await pays()).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  expect(await play(world, 'ann', call('till:wire', 1))).toMatchObject({ outcome: 'act' })
  expect(await pays()).toMatchObject({ outcome: 'act' })
})

it('asks a person only beyond the counts', async () => {
  const ask = { who: ['operator'], beyond: [{ sum: 'euros', most: 10, per: ['being'] }] }
  await rule('till:pay', { requires: ['anyone'], ask })
  expect(await play(world, 'ann', call('till:pay', 10))).toMatchObject({ outcome: 'act' })
  expect(await play(world, 'ann', call('till:pay', 1))).toMatchObject({ outcome: 'waiting' })
  expect(await play(world, 'bob', call('till:pay', 10))).toMatchObject({ outcome: 'act' })
})

it('a dry-run rule counts and says what it would have said, and holds nothing up', async () => {
  await rule('till:wire', { requires: ['anyone'] })
  const dryRun = { 'till:wire': { requires: ['anyone'], counts: [{ most: 1 }] } }
  await doAs(world, 'set-space', '/shop', { field: 'shadow.do', value: dryRun })
  meanwhile.run = () => new Promise((resolve) => setTimeout(resolve, 100))
  expect(outcomes(await together('till:wire', 1))).toEqual(Array(6).fill('act'))
  meanwhile.run = async () => undefined
  await doAs(world, 'set-space', '/shop', { field: 'permissions.do', value: { 'till:wire': false } })
  expect(outcomes([await play(world, 'ann', call('till:wire', 1))])).toEqual(['FORBIDDEN'])
  const by = '/shop shadow.do.till:wire counts[0]'
  const { said } = await shadowed(world, '/shop')
  expect(said).toMatchObject([{ by, was: 'allowed', would: 'refused', times: 5, examples: [{}, {}, {}] }])
  const each = await Promise.all(CLERKS.map((name) => shadowed(world, `@${name}`)))
  expect(each.flatMap((one) => one.said).reduce((sum, { times }) => sum + times, 0)).toBe(5)
})

it('a flow in the shadow says what it would have worn, and is not worn', async () => {
  const quiet = { when: { 'world.shop.closed': true }, role: 'resident' }
  const flow: Json = [quiet, { role: 'stage:free' }, { stack: true, role: 'resident' }]
  await doAs(world, 'set-being', '@eve', { field: 'shadow', value: flow })
  const worn = { primary: 'stage:free', stacked: [] }
  expect(await play(world, 'eve', call('till:pay', 1))).toMatchObject(worn)
  await doAs(world, 'set-world-signal', '/', { namespace: 'shop', key: 'closed', value: true })
  expect(await play(world, 'eve', call('till:pay', 1))).toMatchObject(worn)
  const told = (await shadowed(world, '@eve')).worn
  const was = ['stage:free']
  expect(told).toMatchObject([
    { was, would: ['resident', 'resident'], times: 1 }, // the newest first
    { was, would: ['stage:free', 'resident'], times: 1 },
  ])
  const refused = { field: 'shadow', value: [{ role: 'No Role' }] }
  await expect(doAs(world, 'set-being', '@eve', refused)).rejects.toThrow('role')
})

it('replays and verifies', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
})
