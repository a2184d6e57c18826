import { moments } from '@treeos/client'
import type { Json } from '@treeos/core'
import { beforeAll, expect, it } from 'vitest'
import { askedFor, createSpace, doAs, setFlow, setRole, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

const model = useModelServer()
const world = useWorld({ extensions: [stage], modelServer: model })

const flow = [
  { when: {}, role: 'blindfold' },
  { stack: true, when: { 'space.quality.ambient.tone': 'loud' }, role: 'startled' },
]

beforeAll(async () => {
  await createSpace(world, '/hall')
  const canSummon = [{ rel: 'asker' }]
  await setRole(world, { name: 'blindfold', canSee: [], canSummon, prompt: '' })
  await setRole(world, { name: 'sighted', canSee: ['/hall'], canSummon, prompt: '' })
  await setRole(world, { name: 'startled', prompt: 'You are startled.' })
  for (const [name, role] of [
    ['blind', 'blindfold'],
    ['seeing', 'sighted'],
  ] as const) {
    await world.birth({ name, cognition: 'llm', role, home: '/hall' })
    await setFlow(
      world,
      name,
      flow.map((clause) => (clause.role === 'blindfold' ? { ...clause, role } : clause)),
    )
  }
})

/** Changes the tone, waits until both have lived it, and says how often each model was asked. */
async function after(tone: Json): Promise<Record<string, number>> {
  const lived = async () => {
    const all = await Promise.all(['blind', 'seeing'].map((name) => moments(world.db, name, 100)))
    return all.map((list) => list.length)
  }
  const before = await lived()
  await doAs(world, 'set-space', '/hall', { field: 'ambient.tone', value: tone })
  await until(async () => (await lived()).every((count, i) => count > (before[i] ?? 0)), {
    what: 'both moments',
  })
  return Object.fromEntries(['blind', 'seeing'].map((name) => [name, askedFor(model, name).length]))
}

it('no mind is asked about a change that its being may not see, where it wears what it wore before', async () => {
  expect(await after('dim'), 'nothing was worn before').toEqual({ blind: 1, seeing: 1 })
  expect(await after('quiet'), 'the control is asked').toEqual({ blind: 1, seeing: 2 })
  expect((await moments(world.db, 'blind', 1))[0]).toMatchObject({ outcome: 'see', primary: 'blindfold' })
  expect(await after('loud'), 'it wears another role').toEqual({ blind: 2, seeing: 3 })
  expect(await after('quiet'), 'and no longer').toEqual({ blind: 3, seeing: 4 })
  expect(await after('dim')).toEqual({ blind: 3, seeing: 5 })
  await expectReplays(world)
})
