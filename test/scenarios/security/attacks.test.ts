import type { JsonObject } from '@treeos/core'
import { ACT_SIGNAL, beingWorkflowId } from '@treeos/protocol'
import { installExtensions } from '@treeos/reality'
import { defineExtension, defineRole } from '@treeos/sdk'
import { buildRegistry, seed } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { doAs, play, rowOf, setRole, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { useWorld } from '../../support/use-world.ts'

/** Attacks that a reviewer found. Each one worked before its fix. */
describe('attacks by a being that may author, assign and beget within a small reach', () => {
  const perform = (operation: string, target: string | null, args: JsonObject, being = 'mole') =>
    play(world, being, { verb: 'do', operation, ...(target === null ? {} : { target }), args })
  const beget = (args: JsonObject) => play(world, 'mole', { verb: 'be', operation: 'birth', args })
  const forbidden = { outcome: 'failure', reason: 'FORBIDDEN' }
  const invalid = { outcome: 'failure', reason: 'INVALID_INPUT' }

  const world = useWorld({ extensions: [stage] })
  beforeAll(async () => {
    await doAs(world, 'create-space', '/', { path: '/den' })
    await doAs(world, 'create-space', '/', { path: '/secret' })
    await setRole(world, {
      name: 'mole',
      canSee: [{ pattern: '/library/*' }],
      canDo: ['set-role', 'set-roleflow', 'delete-role', 'create-space', 'set-space', 'set-being'],
      canSummon: [{ rel: 'asker' }],
      canBe: ['birth'],
      prompt: '',
    })
    await world.birth({
      name: 'mole',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'mole',
      home: '/den',
    })
    await world.birth({
      name: 'twin',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'mole',
      home: '/den',
    })
    await doAs(world, 'set-space', '/den', { field: 'permissions', value: { do: { '*': true } } })
  })

  it('cannot take the name of a role that an extension may bring', async () => {
    expect(await perform('set-role', '/', { role: { name: 'court:judge', prompt: '' } })).toMatchObject(
      invalid,
    )
  })

  it('does not come to wear a code role whose name it took before', async () => {
    expect(await perform('set-role', '/', { role: { name: 'sage', prompt: '' } })).toMatchObject({
      outcome: 'act',
    })
    const sage = defineRole({ name: 'sage', canDo: [{ pattern: '*' }], prompt: '' })
    const late = { ...defineExtension({ name: 'late', version: '1.0.0' }), roles: [sage] }
    expect(
      await installExtensions(
        { db: world.owner, reality: world.reality },
        buildRegistry([seed, stage, late]),
      ),
    ).toMatchObject({ taken: ['sage'] })
  })

  it('cannot use a space of its own to be judged by, for what lies elsewhere', async () => {
    expect(await perform('create-space', '/den', { path: '/secret/room' })).toMatchObject(invalid)
    expect(await perform('set-role', '/den', { role: { name: 'x', prompt: '' } })).toMatchObject({
      outcome: 'failure',
      reason: 'INVALID_TYPE',
    })
  })

  it('cannot let its space’s rules touch a being that stands there', async () => {
    await doAs(world, 'move', '/den', {})
    expect(await perform('set-roleflow', '@operator', { flow: [] })).toMatchObject(forbidden)
    expect(await perform('set-being', '@operator', { field: 'mood.tone', value: 'sad' })).toMatchObject(
      forbidden,
    )
    await doAs(world, 'move', '/', {})
  })

  it('cannot shut the operator out by the rules of a space', async () => {
    await perform('set-space', '/den', { field: 'permissions.do', value: { '*': true, 'set-space': false } })
    const done = await doAs(world, 'set-space', '/den', { field: 'permissions.do', value: { '*': true } })
    expect(done.act).not.toBeNull()
  })

  it('cannot write an entry that reads like its own and means another', async () => {
    const role = { name: 'eye', canSee: ['/library/@operator'], prompt: '' }
    expect(await perform('set-role', '/', { role })).toMatchObject(forbidden)
  })

  it('cannot look through a see-resolver that none of its roles has', async () => {
    const role = { name: 'lens', see: ['stage:board'], prompt: '' }
    expect(await perform('set-role', '/', { role })).toMatchObject(forbidden)
  })

  it('cannot beget a child where it sees nothing', async () => {
    const child = {
      name: 'imp',
      cognition: 'scripted',
      script: 'stage:puppet',
      role: 'mole',
      home: '/secret',
    }
    expect(await beget(child)).toMatchObject(forbidden)
  })

  it('cannot take over a name that another’s role had', async () => {
    const role = { name: 'mask', canDo: ['create-space'], prompt: '' }
    expect(await perform('set-role', '/', { role })).toMatchObject({ outcome: 'act' })
    expect(await perform('delete-role', '/', { name: 'mask' })).toMatchObject({ outcome: 'act' })
    expect(await perform('set-role', '/', { role }, 'twin')).toMatchObject(forbidden)
    expect(await perform('set-role', '/', { role })).toMatchObject({ outcome: 'act' })
  })

  it('cannot wedge itself by a path that no index holds', async () => {
    const deep = `/${Array.from({ length: 40 }, (_, i) => `a${i}`).join('/')}`
    expect(await perform('create-space', '/den', { path: deep })).toMatchObject({
      outcome: 'failure',
      reason: 'ADDRESS_PARSE_ERROR',
    })
  })

  it('is not driven by a signal from outside: only a person acts by signal', async () => {
    const handle = world.temporal.workflow.getHandle(beingWorkflowId(world.reality.name, 'mole'))
    await handle.signal(ACT_SIGNAL, {
      verb: 'do',
      operation: 'set-space',
      target: '/den',
      args: { field: 'a.b', value: 1 },
    })
    await until(() => world.errors.some(({ where }) => where === 'intake'))
    expect(await rowOf(world, 'mole')).toMatchObject({ space: '/den' })
  })
})
