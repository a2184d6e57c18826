import { moments } from '@treeos/client'
import type { Json } from '@treeos/core'
import { beforeAll, expect, it } from 'vitest'
import { createSpace, doAs, play, setFlow, setRole, until, untilChangesRest } from '../../support/life.ts'
import { IS_NIGHT } from '../../support/night.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({ extensions: [stage] })
const PLACES = ['library', 'battle', 'office'] as const
const CITIZENS = Array.from({ length: IS_NIGHT ? 30 : 12 }, (_, i) => `citizen-${i}`)
/** No role of it names a place. */
const FLOW: Json[] = [
  { role: 'walker' },
  { stack: true, when: { 'space.quality.ambient.tone': 'quiet' }, role: 'hushed' },
  { stack: true, when: { 'space.quality.ambient.danger': { gte: 5 } }, role: 'alert' },
  { stack: true, when: { 'space.quality.ambient.dress': 'formal' }, role: 'formal' },
]

beforeAll(async () => {
  for (const name of ['hushed', 'alert', 'formal']) await setRole(world, { name, prompt: `You are ${name}.` })
  const walker = { canDo: ['move'], canSummon: [{ rel: 'asker' }], prompt: '' }
  await setRole(world, { name: 'walker', canSee: [{ pattern: '/*' }], ...walker })
  for (const [place, ambient] of [
    ['library', { tone: 'quiet' }],
    ['battle', { danger: 9 }],
    ['office', { dress: 'formal' }],
  ] as const) {
    if (place !== 'library') await createSpace(world, `/${place}`) // every reality has a library
    await doAs(world, 'set-space', `/${place}`, { field: 'ambient', value: ambient })
  }
  for (const name of CITIZENS) {
    await world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role: 'walker', roleFlow: FLOW })
  }
}, 180_000)

const go = (name: string, place: string) =>
  play(world, name, { verb: 'do', operation: 'move', target: `/${place}`, args: {} })
const look = (name: string) => play(world, name, { verb: 'see', address: `@${name}` })
const worn = async (name: string) => (await moments(world.db, name, 1))[0]?.stacked
const WORN = { library: ['hushed'], battle: ['alert'], office: ['formal'] } as const

it('beings wear what their place makes of them, and leave it there when they go', async () => {
  for (let round = 0; round < PLACES.length; round++) {
    const at = (i: number) => PLACES[(i + round) % PLACES.length] ?? 'library'
    await Promise.all(CITIZENS.map((name, i) => go(name, at(i))))
    await Promise.all(CITIZENS.map(look))
    const seen = await Promise.all(CITIZENS.map(worn))
    expect(seen).toEqual(CITIZENS.map((_, i) => WORN[at(i)]))
  }
  // The place changes, and wakes those who are in it.
  await untilChangesRest(world)
  const inside = CITIZENS.filter((_, i) => PLACES[(i + 2) % 3] === 'library')
  await doAs(world, 'set-space', '/library', { field: 'ambient', value: { tone: 'loud', danger: 7 } })
  await until(async () =>
    (await Promise.all(inside.map(worn))).every((stacked) => stacked?.join() === 'alert'),
  )
  await untilChangesRest(world)
  for (const name of CITIZENS.filter((citizen) => !inside.includes(citizen)))
    expect((await moments(world.db, name, 1))[0]?.wake ?? '').not.toMatch(/^change\//)
}, 180_000)

it('by place alone: the same being with a flow of its own and other lists wears nothing there', async () => {
  const canDo = ['move', 'set-roleflow']
  await setRole(world, { name: 'homebody', canSee: ['~'], canDo, canSummon: [{ rel: 'asker' }], prompt: '' })
  await setFlow(world, 'citizen-0', [{ role: 'homebody' }, ...FLOW.slice(1)])
  expect((await look('citizen-0')).stacked, 'its maker set it').not.toEqual([])
  const flow = [{ role: 'homebody' }, ...FLOW.slice(1, 2)]
  await world.birth({ name: 'hermit', cognition: 'scripted', script: 'stage:puppet', role: 'homebody' })
  await play(world, 'hermit', { verb: 'do', operation: 'set-roleflow', target: '@hermit', args: { flow } })
  expect((await look('hermit')).stacked).toEqual([])
})

it('all of it replays the same, and nothing is broken', async () => {
  await expectReplays(world)
  await expectUnbroken(world)
}, 180_000)
