import { act, inhabit, moments, summon } from '@treeos/client'
import type { BeingName, Json, JsonObject } from '@treeos/core'
import { defineExtension, defineOperation, publishSignal } from '@treeos/sdk'
import { readRows } from '@treeos/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { beingOf, doAs, live, momentOf, play, publish, setRole, tell, until } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useModelServer, useWorld } from '../../support/use-world.ts'

/** An extension with a namespace of its own. */
const bells = defineExtension({
  name: 'bells',
  version: '1.0.0',
  signals: { ringing: 'whether they ring' },
  operations: [
    defineOperation({
      name: 'bells:ring',
      description: 'Rings the bells.',
      on: 'space',
      allow: ['anyone'],
      decide: () => ({ facts: [publishSignal('bells.ringing', true)] }),
    }),
  ],
})

const model = useModelServer()
const world = useWorld({ extensions: [stage, bells], modelServer: model })
const PUBLISHER = { canDo: ['set-world-signal', 'grant-namespace', 'revoke-namespace', 'bells:ring'] }
const REACTORS = ['anna', 'bert', 'carl']

beforeAll(async () => {
  await setRole(world, { name: 'crier', ...PUBLISHER, canSummon: ['@role-manager'], prompt: 'You announce.' })
  await setRole(world, { name: 'mute', prompt: '' })
  await world.birth({ name: 'speaker', cognition: 'llm', role: 'crier' })
  await world.birth({ name: 'script', cognition: 'scripted', script: 'stage:puppet', role: 'crier' })
  await world.birth({ name: 'person', cognition: 'human', role: 'crier' })
  await world.birth({ name: 'ringer', cognition: 'scripted', script: 'stage:puppet', role: 'crier' })
  await world.birth({ name: 'other', cognition: 'scripted', script: 'stage:puppet', role: 'crier' })
  for (const [i, name] of REACTORS.entries())
    await world.birth({
      name,
      cognition: 'scripted',
      script: 'silent',
      role: 'mute',
      roleFlow: ['town', 'mill', 'school', 'bells'].map((namespace) => ({
        stack: true,
        when: { [`world.${namespace}.ringing`]: true },
        role: `stage:mode-${i}`,
      })),
    })
})

const asPerson = (call: Parameters<typeof act>[2]) => act({ ...world, person: 'person' }, 'person', call)
const set = (namespace: string, value: Json = true) => ({
  verb: 'do' as const,
  operation: 'set-world-signal',
  target: '/',
  args: { namespace, key: 'ringing', value },
})
const grant = (namespace: string, being: BeingName, operation = 'grant-namespace') => ({
  verb: 'do' as const,
  operation,
  target: '/',
  args: { namespace, being: `@${being}` },
})
async function namespaceOf(namespace: string): Promise<JsonObject> {
  const [row] = await readRows(world.db, world.reality.id, [`world:${namespace}`])
  return row?.state as JsonObject
}
const factsOfSignals = async (namespace: string) =>
  (
    await world.db
      .selectFrom('fact')
      .select('header')
      .where('reel', '=', `world:${namespace}`)
      .orderBy('seq')
      .execute()
  ).map(
    ({ header }) => JSON.parse(header.toString('utf8')) as { kind: string; actor: string; driver: string },
  )

/** Every being whose flow reads the signal wears its role, in a moment that the change itself opened. */
async function expectReactions(publishing: () => Promise<unknown>): Promise<void> {
  const before = await Promise.all(REACTORS.map(async (name) => (await moments(world.db, name)).length))
  await publishing()
  for (const [i, name] of REACTORS.entries()) {
    const lived = await until(async () => {
      const all = await moments(world.db, name)
      return all.length > (before[i] ?? 0) && all.at(-1)
    })
    expect(lived.stacked).toEqual([`stage:mode-${i}`])
  }
}

describe('"publish a world signal and let every being react"', () => {
  it('by a model: it publishes in a namespace that nobody owns, and owns it from then on', async () => {
    model.script((request) =>
      beingOf(request) === 'speaker'
        ? { tool: { name: 'do', args: { ...set('town'), verb: undefined } } }
        : undefined,
    )
    await expectReactions(() => live(world, 'speaker', 'Ring the bells of the town.'))
    model.reset()
    expect(await namespaceOf('town')).toMatchObject({ owner: 'speaker', values: { ringing: true } })
  })

  it('by a script', async () => {
    await expectReactions(() => play(world, 'script', set('mill')))
    expect(await namespaceOf('mill')).toMatchObject({ owner: 'script' })
  })

  it('by a person', async () => {
    await expectReactions(() => asPerson(set('school')))
    expect(await namespaceOf('school')).toMatchObject({ owner: 'person' })
  })

  it('by an extension, in its own namespace, which stays the operator’s whoever rings first', async () => {
    const ring = { verb: 'do', operation: 'bells:ring', target: '/', args: {} } as const
    await expectReactions(() => play(world, 'ringer', ring))
    expect(await namespaceOf('bells')).toMatchObject({ owner: 'operator' })
  })
})

describe('whose a namespace is', () => {
  it('of others: refused, with its owner and the command that grants it', async () => {
    expect(await play(world, 'other', set('town', false))).toMatchObject({
      outcome: 'failure',
      reason: 'FORBIDDEN',
      message: '@other may not publish in town: it belongs to @speaker, who may grant it to others',
      act: null,
    })
    expect((await namespaceOf('town')).values).toEqual({ ringing: true })
  })

  it.each(['bells', 'stage', 'seed', 'space'])(
    'of an extension or of the substrate, %s: nobody takes it, and the operator may publish there',
    async (namespace) => {
      expect(await play(world, 'other', set(namespace))).toMatchObject({
        reason: 'FORBIDDEN',
        message: expect.stringContaining('as the namespace of an extension or of TreeOS itself'),
      })
      expect(await play(world, 'other', grant(namespace, 'other'))).toMatchObject({ reason: 'FORBIDDEN' })
      await publish(world, `${namespace}.ringing`, true)
      expect(await namespaceOf(namespace)).toMatchObject({ owner: 'operator' })
    },
  )

  it('its owner grants it, which is a fact; who has it publishes there, grants nothing, and loses it when it is revoked', async () => {
    expect(await play(world, 'script', grant('mill', 'other'))).toMatchObject({ outcome: 'act' })
    expect(await namespaceOf('mill')).toMatchObject({ owner: 'script', publishers: ['other'] })
    expect(await play(world, 'other', set('mill', 1))).toMatchObject({ outcome: 'act' })
    expect(await play(world, 'other', grant('mill', 'ringer'))).toMatchObject({
      reason: 'FORBIDDEN',
      message: '@other may not say who publishes in mill: @script may',
    })
    expect(await play(world, 'other', grant('mill', 'other', 'revoke-namespace'))).toMatchObject({
      reason: 'FORBIDDEN',
    })
    expect(await play(world, 'script', grant('mill', 'other', 'revoke-namespace'))).toMatchObject({
      outcome: 'act',
    })
    expect(await namespaceOf('mill')).not.toHaveProperty('publishers')
    expect(await play(world, 'other', set('mill', 2))).toMatchObject({ reason: 'FORBIDDEN' })
    expect((await namespaceOf('mill')).values).toEqual({ ringing: 1 })
    expect((await factsOfSignals('mill')).map(({ kind, actor }) => `${kind} by ${actor}`)).toEqual([
      'signal:published by script',
      'signal:granted by script',
      'signal:published by other',
      'signal:revoked by script',
    ])
  })

  it.each<[string, () => JsonObject | ReturnType<typeof grant>, string, string]>([
    ['twice', () => grant('town', 'script'), 'RESOURCE_CONFLICT', '@script may publish in town already'],
    ['to its owner', () => grant('town', 'speaker'), 'RESOURCE_CONFLICT', '@speaker owns town'],
    ['to nobody', () => grant('town', 'nobody'), 'BEING_NOT_FOUND', '@nobody'],
    [
      'of a free namespace to oneself',
      () => grant('meadow', 'operator'),
      'RESOURCE_CONFLICT',
      'nobody owns meadow: @operator takes it by publishing in it, and needs no grant',
    ],
    [
      'and is revoked from who has none',
      () => grant('town', 'ringer', 'revoke-namespace'),
      'RESOURCE_CONFLICT',
      'town is not granted to @ringer; it is granted to @script',
    ],
  ])('a grant %s is refused by name', async (_what, call, code, says) => {
    await doAs(world, 'grant-namespace', '/', { namespace: 'town', being: '@script' }).catch(() => undefined)
    await expect(act(world, 'operator', call() as never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
  })

  it('a grant before the first signal takes the namespace for who grants it', async () => {
    await play(world, 'ringer', grant('tower', 'other'))
    expect(await namespaceOf('tower')).toEqual({
      namespace: 'tower',
      owner: 'ringer',
      publishers: ['other'],
      values: {},
    })
    expect(await play(world, 'other', set('tower'))).toMatchObject({ outcome: 'act' })
    expect(await namespaceOf('tower')).toMatchObject({ owner: 'ringer' })
  })

  it('of a being that is driven: the child owns it, and the fact names the driver', async () => {
    await world.birth({ name: 'child', cognition: 'scripted', script: 'stage:puppet', role: 'crier' })
    const inhabitation = await inhabit(world, { being: 'child', as: 'operator' })
    await act(world, 'child', set('nursery'))
    // Through the role-manager too.
    const asked = { do: 'set-world-signal', namespace: 'garden', key: 'ringing', value: true }
    const { reply } = await summon(world, {
      target: 'role-manager',
      content: asked,
      as: 'child',
      waitSeconds: 20,
    })
    expect(reply?.content).toMatchObject({ ok: true })
    await inhabitation.release()
    for (const namespace of ['nursery', 'garden'])
      expect(await namespaceOf(namespace)).toMatchObject({ owner: 'child' })
    expect(await factsOfSignals('nursery')).toMatchObject([{ actor: 'child', driver: 'operator' }])
    expect(await play(world, 'child', set('nursery', false))).toMatchObject({ outcome: 'act' })
  })

  it('without set-world-signal in its lists a being takes nothing', async () => {
    await world.birth({ name: 'quiet', cognition: 'scripted', script: 'stage:puppet', role: 'mute' })
    expect(await play(world, 'quiet', set('unowned'))).toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('set-world-signal is not in canDo'),
    })
    expect(await namespaceOf('unowned')).toBeNull()
  })

  it('a rule of the root space closes publishing to all but those whom it names', async () => {
    const rule = { requires: ['operator'] }
    await doAs(world, 'set-space', '/', { field: 'permissions.do.set-world-signal', value: rule })
    expect(await play(world, 'other', set('late'))).toMatchObject({
      reason: 'FORBIDDEN',
      message: expect.stringContaining('/ permissions.do.set-world-signal'),
    })
    await doAs(world, 'set-space', '/', { field: 'permissions.do.set-world-signal', value: null })
  })
})

it('every moment replays', async () => {
  await momentOf(world, await tell(world, 'quiet', 'last'))
  await expectUnbroken(world)
  await expectReplays(world)
})
