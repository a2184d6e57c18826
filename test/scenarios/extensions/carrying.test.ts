import type { MomentView } from '@treeos/client'
import type { Json, JsonObject } from '@treeos/core'
import { defineExtension, defineOperation, defineRole } from '@treeos/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { doAs, expectRefused, live, play, rowOf, wakesOf } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const anything = {
  '~standard': {
    version: 1 as const,
    vendor: 'test',
    validate: (value: unknown) => ({ value: value as Record<string, Json> }),
  },
}

/** Operations that do whatever they are told: the bounds are the runtime's alone. */
const smith = defineExtension({
  name: 'smith',
  version: '1.0.0',
  carriesOut: ['birth', 'set-roleflow', 'set-schedule'],
  roles: [
    defineRole({
      name: 'smith:poor',
      canDo: ['smith:carry', 'smith:speak'],
      canSummon: [{ rel: 'parent' }],
      prompt: 'You carry.',
    }),
  ],
  operations: [
    defineOperation({
      name: 'smith:carry',
      description: 'Carries out an operation.',
      on: 'being',
      allow: ['self'],
      args: anything,
      about: {},
      async decide({ args, carryOut }) {
        const {
          action: operation,
          target,
          given,
        } = args as { action: string; target?: string; given: JsonObject }
        const at = target === undefined ? {} : { target }
        return { facts: [], result: await carryOut({ operation, ...at, args: given }) }
      },
    }),
    defineOperation({
      name: 'smith:speak',
      description: 'Speaks or wakes.',
      on: 'being',
      allow: ['self'],
      args: anything,
      about: {},
      decide: ({ args }) => ({ facts: [], ...(args as object) }),
    }),
  ],
})

const world = useWorld({ extensions: [stage, smith] })

const puppet = (name: string, role: string, more: JsonObject = {}) =>
  world.birth({ name, cognition: 'scripted', script: 'stage:puppet', role, ...more })
const use = (being: string, action: string, args: JsonObject) =>
  play(world, being, { verb: 'do', operation: `smith:${action}`, target: `@${being}`, args })
const carry = (being: string, action: string, given: JsonObject, target?: string) =>
  use(being, 'carry', { action, given, ...(target === undefined ? {} : { target }) })
const child = (name: string, role: string, more: JsonObject = {}) => ({
  name,
  cognition: 'scripted',
  script: 'stage:puppet',
  role,
  ...more,
})
const refused = (moment: MomentView, reason: string) =>
  expect(moment).toMatchObject({ outcome: 'failure', reason })

beforeAll(async () => {
  await puppet('poor', 'smith:poor')
  await puppet('rich', 'stage:free')
  await puppet('bound', 'stage:free', {
    ceiling: { canDo: ['smith:carry', 'move'], canSummon: [{ pattern: '*' }] },
  })
})

describe('an operation that carries out others', () => {
  it('gives birth to no child beyond the reach of its actor', async () => {
    refused(await carry('poor', 'birth', child('lord', 'stage:free')), 'FORBIDDEN')
    expect(await rowOf(world, 'lord')).toBeNull()
    // A control: the reach of this one holds the role.
    expect(await carry('rich', 'birth', child('heir', 'stage:free'))).toMatchObject({ outcome: 'act' })
    expect(await carry('poor', 'birth', child('kid', 'smith:poor'))).toMatchObject({ outcome: 'act' })
  })

  it('gives an offspring no role beyond the reach of its actor, and nothing to anybody else', async () => {
    const profile = (role: string, ceiling: Json = null) => ({ flow: [{ role }], ceiling })
    refused(await carry('poor', 'set-roleflow', profile('stage:free'), '@kid'), 'FORBIDDEN')
    refused(await carry('poor', 'set-roleflow', profile('smith:poor'), '@rich'), 'FORBIDDEN')
    refused(await carry('poor', 'set-roleflow', profile('smith:poor'), '@poor'), 'FORBIDDEN')
    refused(await carry('kid', 'set-roleflow', profile('smith:poor'), '@kid'), 'FORBIDDEN')
    expect(await carry('poor', 'set-roleflow', profile('smith:poor'), '@kid')).toMatchObject({
      outcome: 'act',
    })
  })

  it('a wider ceiling of a child is still cut by that of its maker', async () => {
    expect(
      await carry('bound', 'birth', child('ward', 'stage:mute', { ceiling: { canDo: [] } })),
    ).toMatchObject({
      outcome: 'act',
    })
    const wide = {
      canSee: [{ pattern: '*' }],
      canDo: [{ pattern: '*' }],
      canSummon: [],
      canBe: [{ pattern: '*' }],
    }
    await carry('bound', 'set-roleflow', { flow: [{ role: 'stage:mute' }], ceiling: wide }, '@ward')
    expect((await rowOf(world, 'ward')).ceiling).toMatchObject({ canDo: [{ pattern: '*' }] })
    await doAs(world, 'set-roleflow', '@ward', { flow: [{ role: 'stage:free' }] })
    const moment = await live(world, 'ward', {
      call: { verb: 'do', operation: 'set-being', target: '@ward', args: { field: 'x.y', value: 1 } },
    })
    refused(moment, 'FORBIDDEN')
    expect(moment.message).toContain('above the ceiling of @bound in canDo')
  })

  it('carries out only what its manifest names, and no being sets a ceiling by itself', async () => {
    refused(await carry('rich', 'end-being', {}, '@heir'), 'EXTENSION_BLOCKED')
    const args = { flow: [{ role: 'stage:free' }], ceiling: null }
    const direct = () => doAs(world, 'set-roleflow', '@rich', args)
    await expectRefused(world, direct, 'INVALID_INPUT', 'ceiling')
  })

  it('what is set at a birth beyond what a being may set reaches the child', async () => {
    const more = {
      cognition: 'llm',
      model: 'small',
      maxTokens: 99,
      schedules: { beat: { everySeconds: 3600 } },
    }
    const { script: _none, ...born } = child('clerk', 'stage:mute', more)
    expect(await carry('rich', 'birth', born)).toMatchObject({ outcome: 'act' })
    expect((await rowOf(world, 'clerk')).qualities).toMatchObject({
      llm: { model: 'small', 'max-tokens': 99 },
      schedule: { beat: { everySeconds: 3600, priority: 'background' } },
    })
    refused(await carry('rich', 'birth', { ...born, name: 'odd', maxTokens: 0 }), 'INVALID_INPUT')
    refused(await carry('rich', 'birth', { ...born, name: 'odd', model: 'a b' }), 'INVALID_INPUT')
  })
})

describe('what an operation says', () => {
  it('passes the gates of its actor', async () => {
    expect(await use('poor', 'speak', { tell: { target: '@operator', content: 'hello' } })).toMatchObject({
      outcome: 'act',
    })
    expect((await wakesOf(world, 'operator')).at(-1)).toMatchObject({
      content: 'hello',
      caller: { name: 'poor' },
    })
    refused(await use('poor', 'speak', { tell: { target: '@rich', content: 'hello' } }), 'FORBIDDEN')
  })

  it('wakes children of its actor only', async () => {
    refused(await use('poor', 'speak', { awakens: [{ being: 'rich', content: 'up' }] }), 'EXTENSION_BLOCKED')
    refused(
      await use('poor', 'speak', { awakens: [{ being: 'nobody', content: 'up' }] }),
      'EXTENSION_BLOCKED',
    )
    expect(await use('poor', 'speak', { awakens: [{ being: 'kid', content: 'up' }] })).toMatchObject({
      outcome: 'act',
    })
    expect((await wakesOf(world, 'kid')).at(-1)).toMatchObject({ kind: 'event', caller: null, content: 'up' })
  })
})

it('all of it replays identically', async () => {
  await expectUnbroken(world)
  await expectReplays(world)
})
