import type { FactDraft, JsonObject } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { actingIn } from '../../test/gate-inputs.ts'
import { decideCall, genesisFacts } from '../../test/inside.ts'
import { born, MemoryWorld } from '../../test/memory-world.ts'

const qualitySet = (reel: string, path: string[], value: JsonObject): FactDraft => ({
  reel,
  kind: 'quality:set',
  payload: { path, value, merge: false },
})
const watching = (being: string, scope: string, below = false): FactDraft =>
  qualitySet(`being:${being}`, ['subscription', `of-${scope.replaceAll('/', '')}`], {
    ...{ scope, below, field: 'den.word', priority: 'background', coalesceSeconds: 0, beings: false },
  })
const space = (path: string): FactDraft => ({
  reel: `space:${path}`,
  kind: 'space:created',
  payload: { path, type: 'room', owner: 'operator', qualities: {} },
})
const guest: FactDraft = { reel: 'space:/den', kind: 'space:contributor-added', payload: { being: 'ann' } }
const ALL = { canSee: [], canDo: [{ pattern: '*' }], canSummon: [], canBe: [] }
const OF_GUESTS = { see: { '*': { requires: ['contributor', 'operator'] } } }

/** Ann contributes to the den, and ben does not. Both wear a role that sees everything. */
function worldWith(facts: readonly FactDraft[]): MemoryWorld {
  const wears = { defaultRole: 'operator', cognition: { kind: 'scripted', script: 'silent' } } as const
  const world = new MemoryWorld([
    ...genesisFacts(),
    ...['/den', '/den/nook', '/yard'].map(space),
    guest,
    ...['ann', 'ben'].map((name) => born(name, 'operator', wears)),
    ...facts,
  ])
  const spec = { ...ALL, canSee: [{ pattern: '*' }], name: 'operator', see: [], prompt: '' }
  const digest = world.keep(spec as never)
  world.write('operator', [
    {
      reel: 'registry',
      kind: 'role:set',
      payload: { name: 'operator', digest, origin: 'live', spec } as never,
    },
  ])
  return world
}

/** The operator does something to the den. @returns whose subscriptions the act ends */
async function endedBy(world: MemoryWorld, operation: string, args: JsonObject, target = '/den') {
  const act = await decideCall(
    { verb: 'do', operation, target, args },
    actingIn(world, 'operator', ALL as never),
  )
  if (act.kind !== 'act') throw new Error('it waits')
  return act.facts.slice(1).map(({ reel, payload }) => `${reel} ${(payload.path as string[]).join('.')}`)
}

const ruled = (value: JsonObject) => ({ field: 'permissions', value })

describe('a right to see that is narrowed', () => {
  it.each([
    ['the space itself', '/den', false, ['ben']],
    ['all in it', '/den', true, ['ben']],
    ['a space inside it, where nobody contributes', '/den/nook', false, ['ann', 'ben']],
  ])('ends a subscription to %s by a rule, of those whom it keeps out', async (_what, scope, below, whom) => {
    const world = worldWith([watching('ann', scope, below), watching('ben', scope, below)])
    const ended = whom.map((being) => `being:${being} subscription.of-${scope.replaceAll('/', '')}`)
    expect(await endedBy(world, 'set-space', ruled(OF_GUESTS))).toEqual(ended)
  })

  it('ends one to everywhere by a rule of the root', async () => {
    const world = worldWith([watching('ben', 'everywhere', true)])
    expect(await endedBy(world, 'set-space', ruled(OF_GUESTS), '/')).toEqual([
      'being:ben subscription.of-everywhere',
    ])
  })

  it('ends it when the being contributes no more, where a rule asks for that', async () => {
    const rule = qualitySet('space:/den', ['permissions'], OF_GUESTS)
    const world = worldWith([rule, watching('ann', '/den')])
    expect(await endedBy(world, 'remove-contributor', { being: '@ann' })).toEqual([
      'being:ann subscription.of-den',
    ])
    expect(
      await endedBy(worldWith([watching('ann', '/den')]), 'remove-contributor', { being: '@ann' }),
    ).toEqual([])
  })

  it.each([
    ['a rule of another verb', ruled({ do: { '*': { requires: ['operator'] } } }), '/den'],
    ['a rule that lets everybody see', ruled({ see: { '*': true } }), '/den'],
    ['a rule of another space', ruled(OF_GUESTS), '/yard'],
    ['another quality', { field: 'den.word', value: 'new' }, '/den'],
  ])('control: %s ends none', async (_what, args, target) => {
    const world = worldWith([watching('ann', '/den'), watching('ben', '/den', true)])
    expect(await endedBy(world, 'set-space', args as JsonObject, target)).toEqual([])
  })
})
