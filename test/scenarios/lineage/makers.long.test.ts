/** What a maker with more rights than a parent needs may do to its children, and what it may not. */
import type { JsonObject } from '@treeos/core'
import { defineLineage } from '@treeos/lineage'
import { describe, expect, it } from 'vitest'
import { doAs, play, rowOf } from '../../support/life.ts'
import { childrenOf } from '../../support/lineage.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({
  extensions: [stage, defineLineage({ liveChildrenMax: 2, spawnsPerDayMax: 4 })],
})
const { use, profileOf } = childrenOf(world)

const birth = (name: string, more: JsonObject = {}) => world.birthPuppet(name, more)
const act = (being: string, operation: string, target: string, args: JsonObject) =>
  play(world, being, { verb: 'do', operation, target, args })
const spawnAs = (parent: string, name: string, args: JsonObject = {}) =>
  act(parent, 'lineage:spawn-child', `@${parent}`, { name, script: 'stage:puppet', ...args })
/** Spawns a child, and lets it use a tool: then it is healthy. */
const raise = async (parent: string, name: string) => {
  const spawned = await spawnAs(parent, name)
  if (spawned.outcome === 'act') await use(name, 'log-thought', { thought: 'here' })
  return spawned
}
const moveAs = (parent: string, child: string, to: string) =>
  act(parent, 'lineage:move-child', `@${parent}`, { child: `@${child}`, to, reason: 'a test' })
/**
 * The namespace is the extension's, so the maker is refused. The operator writes it then, and no more may
 * come of it.
 */
const forge = async (parent: string, child: string, field: string, value: JsonObject[string]) => {
  const args = { field, value, merge: false }
  const tried = await act(parent, 'set-being', `@${child}`, args)
  if (!field.startsWith('lineage')) return tried
  expect(tried).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
  await doAs(world, 'set-being', `@${child}`, args)
  return { outcome: 'act' }
}

describe('a maker that may set qualities', () => {
  it('takes no ceiling and no model off its child by taking its profile away', async () => {
    await birth('boss')
    await act('boss', 'lineage:spawn-child', '@boss', { name: 'guard', role: 'guardian' })
    const held = async () => {
      const { ceiling, qualities } = await rowOf(world, 'guard')
      return { ceiling, llm: qualities.llm, flow: qualities.roleFlow }
    }
    const before = await held()
    expect(before.ceiling).toMatchObject({ canDo: expect.arrayContaining(['lineage:log-thought']) })
    expect(before.llm).toEqual({ model: 'gpt-4o-mini', 'max-tokens': 2048 })
    for (const value of [{ role: 'generalist', state: 'healthy' }, null])
      expect(await forge('boss', 'guard', 'lineage', value)).toMatchObject({ outcome: 'act' })
    expect(await profileOf('guard')).toBeUndefined()
    expect(await held()).toEqual(before)
    expect(await forge('boss', 'guard', 'llm.model', 'gpt-9')).toMatchObject({ reason: 'INVALID_INPUT' })
  })

  it('gives its child nothing above its own ceiling, whatever it writes into the profile', async () => {
    const canDo = [
      'lineage:spawn-child',
      'lineage:log-thought',
      'lineage:grant-role',
      'set-being',
      'set-roleflow',
    ]
    await birth('bound', {
      roleFlow: [{ role: 'stage:free' }, { stack: true, role: 'lineage:parent' }],
      ceiling: { canSee: ['~'], canDo, canSummon: [{ pattern: '*' }], canBe: ['birth'] },
    })
    // Its children are given no more than it could do itself, so this one is born with a role of the maker's
    // own.
    const errorReporter = {
      description: 'Tells.',
      inferenceModel: '',
      allowedTools: ['log_thought'],
      autoSleep: false,
      heartbeatMultiplier: 1,
      maxTokensPerTurn: 100,
    }
    await doAs(world, 'set-being', '@bound', { field: 'lineage.roles', value: { teller: errorReporter } })
    // a generalist
    expect(await spawnAs('bound', 'wide')).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(await spawnAs('bound', 'teller', { role: 'teller' })).toMatchObject({ outcome: 'act' })
    expect(await forge('bound', 'teller', 'lineage', null)).toMatchObject({ outcome: 'act' })
    const flow = [{ role: 'stage:free' }]
    expect(await act('bound', 'set-roleflow', '@teller', { flow })).toMatchObject({ reason: 'FORBIDDEN' })
    // Even with a role that its maker could not have given, the ceilings of both bound it.
    await doAs(world, 'set-roleflow', '@teller', { flow })
    const refused = await use('teller', 'write-file', { path: 'a.md', text: 'x' })
    expect(refused).toMatchObject({ outcome: 'failure', reason: 'FORBIDDEN' })
    expect(refused.message).toContain('above the ceiling of')
    expect(await use('teller', 'log-thought', { thought: 'a control' })).toMatchObject({ outcome: 'act' })
  })

  it('has no more live children for it, and spawns no more of them in a day', async () => {
    await birth('brood')
    for (const name of ['one', 'two']) expect(await raise('brood', name)).toMatchObject({ outcome: 'act' })
    const refused = { outcome: 'failure', reason: 'RATE_LIMITED' }
    await forge('brood', 'one', 'lineage', null)
    expect(await raise('brood', 'more')).toMatchObject(refused)
    await forge('brood', 'two', 'lineage.state', 'stopped')
    expect(await raise('brood', 'more')).toMatchObject(refused)
    await forge('brood', 'two', 'lineage.state', 'healthy')
    // A control: a child that is really stopped makes room.
    expect(await moveAs('brood', 'two', 'stopped')).toMatchObject({ outcome: 'act' })
    for (const name of ['three', 'four']) {
      expect(await raise('brood', name)).toMatchObject({ outcome: 'act' })
      expect(await moveAs('brood', name, 'stopped')).toMatchObject({ outcome: 'act' })
    }
    const spent = await raise('brood', 'five')
    expect(spent).toMatchObject(refused)
    expect(spent.message).toContain('spawned 4 children within 24 hours')
  })

  it('starts no stopped child again where as many live as may', async () => {
    await birth('herd')
    await raise('herd', 'a1')
    await moveAs('herd', 'a1', 'stopped')
    for (const name of ['a2', 'a3']) await raise('herd', name)
    const refused = await moveAs('herd', 'a1', 'starting')
    expect(refused).toMatchObject({ outcome: 'failure', reason: 'RATE_LIMITED' })
    expect(refused.message).toContain('@herd has 2 live children (@a2, @a3), and at most 2 may live at once')
    await moveAs('herd', 'a2', 'stopped')
    expect(await moveAs('herd', 'a1', 'starting')).toMatchObject({ outcome: 'act' }) // a control
  })
})

it('replays identically', async () => {
  expect(world.errors).toEqual([])
  await expectUnbroken(world)
  await expectReplays(world)
})
