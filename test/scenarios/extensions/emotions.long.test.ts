import { explain, prompt } from '@treeos/client'
import emotions from '@treeos/emotions'
import { defineExtension, defineRole } from '@treeos/sdk'
import { beforeAll, expect, it } from 'vitest'
import { live, setFlow } from '../../support/life.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const MOODS = [
  'alert',
  'bored',
  'cautious',
  'curious',
  'focused',
  'formal',
  'playful',
  'tired',
  'urgent',
].map((mood) => `emotions:${mood}`)

/** Has an entry in every list, so that a mood that adds or removes one would show. */
const desk = defineExtension({
  name: 'desk',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'desk:clerk',
      canSee: ['~', '@operator'],
      canDo: ['set-being', 'move'],
      canSummon: [{ rel: 'asker' }],
      canBe: ['birth'],
      prompt: 'You are a clerk.',
    }),
  ],
})

const world = useWorld({ extensions: [desk, emotions] })
beforeAll(async () => {
  await world.birth({ name: 'ann', cognition: 'scripted', script: 'echo', role: 'desk:clerk' })
})

const surfaceWith = async (flow: readonly unknown[]) => {
  await setFlow(world, 'ann', flow)
  const { n, stacked } = await live(world, 'ann', 'hello')
  const { surface } = await explain(world.db, 'ann', n)
  const { system } = await prompt(world.db, world.registry, 'ann', n)
  return { stacked, surface, system }
}

it('bored, alert and the eight moods are there, each a prompt and nothing else', () => {
  expect(emotions.roles.map(({ spec }) => spec.name).sort()).toEqual(MOODS)
  for (const { spec, render } of emotions.roles) {
    const { canSee, canDo, canSummon, canBe, see, prompt: text } = spec
    expect({ canSee, canDo, canSummon, canBe, see, render }, spec.name).toEqual({
      canSee: [],
      canDo: [],
      canSummon: [],
      canBe: [],
      see: [],
      render: null,
    })
    expect(typeof text === 'string' && text.trim().length > 10, spec.name).toBe(true)
  }
  expect(new Set(emotions.roles.map(({ spec }) => spec.prompt)).size).toBe(MOODS.length)
  for (const part of [emotions.operations, emotions.beOperations]) expect(part).toEqual([])
})

it.each(MOODS)('%s, stacked, leaves what its wearer can reach as it is', async (mood) => {
  const plain = await surfaceWith([])
  const moved = await surfaceWith([{ stack: true, when: {}, role: mood }])
  expect([plain.stacked, moved.stacked]).toEqual([[], [mood]])
  expect(plain.surface).toEqual({
    canSee: [expect.any(String), '@operator'],
    canDo: ['set-being', 'move'],
    canSummon: ['@operator'],
    canBe: ['birth'],
  })
  expect(moved.surface).toEqual(plain.surface)
  const said = String(emotions.roles.find(({ spec }) => spec.name === mood)?.spec.prompt)
  expect([plain.system.includes(said), moved.system.includes(said)]).toEqual([false, true])
})

it('replays identically', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
