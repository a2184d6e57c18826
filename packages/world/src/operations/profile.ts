import { asJson, beingReel, type FactDraft, type JsonObject, stanceOf, TreeosError } from '@treeos/core'
import { requireFlow } from '@treeos/roles'
import type { Decided, Operation } from '../extend/extension.ts'
import { reachOf, requireAssignable, requireSmallProgram, rolesNamed } from '../gates/reach.ts'
import type { WorldReader } from '../read/reader.ts'
import type { BeingRow } from '../rows/rows.ts'
import { SUBSCRIPTIONS, seesScope, subscriptionsOf } from '../rows/subscriptions.ts'
import { Arguments } from './arguments.ts'
import { parseCeiling } from './identity.ts'
import { LLM, modelSettingsIn, requireOwnConnection } from './model-connection.ts'

/** Subscriptions to what a being can see no more: it would go on hearing of it. */
async function unseen(world: WorldReader, being: BeingRow): Promise<string[]> {
  const { canSee } = await reachOf(world, being)
  return subscriptionsOf(being).flatMap(({ name, scope, below, field, beings }) => {
    const seen = seesScope(canSee, { scope, below }, being.home)
    return field.startsWith('world.') || (seen.spaces && (seen.beings || !beings)) ? [] : [name]
  })
}

/**
 * Gives an offspring of the actor another role, ceiling and model. It is carried out by operations of extensions only. As at
 * birth, the role is within the reach of the actor, and the ceilings of all its makers bound it further. Its subscriptions to what it
 * can see no more end.
 */
export const setProfile: Operation = {
  name: 'set-profile',
  description: 'Gives an offspring of the actor another role, ceiling and model.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  args: {
    flow: 'the clauses of its role flow from now on',
    ceiling: 'can* lists that no stack of it may exceed; null for none',
    connection: 'name of a model connection',
    model: 'name of a model',
    maxTokens: 'most model tokens of one answer',
  },
  async decide(input): Promise<Decided> {
    const { actor, target, args, world, reach, carriedBy } = input
    if (carriedBy === null)
      throw new TreeosError('FORBIDDEN', 'set-profile is carried out by operations of extensions only')
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-profile takes a being')
    const { being } = target
    if (being.name === actor.name)
      throw new TreeosError('FORBIDDEN', `set-profile: ${stanceOf(actor.name)} cannot do that to itself`)
    const given = new Arguments('set-profile', args, ['flow', 'ceiling', 'connection', 'model', 'maxTokens'])
    const qualities = { roleFlow: asJson(requireFlow(given.value('flow'))) }
    requireSmallProgram({ defaultRole: being.defaultRole, qualities })
    await requireAssignable(world, actor, rolesNamed({ defaultRole: null, qualities }), await reach())
    const asked = given.value('ceiling') ?? null
    const ceiling = asked === null ? null : parseCeiling(given, asked)
    const changed = {
      ...being,
      qualities: { ...being.qualities, ...qualities },
      ceiling: ceiling as BeingRow['ceiling'],
    }
    const reel = beingReel(being.name)
    const set = (path: string[], value: JsonObject[string]): FactDraft => ({
      reel,
      kind: 'quality:set',
      payload: { path, value, merge: false },
    })
    requireOwnConnection(given.optionalText('connection'), { actor, cognition: input.cognition })
    const settings = modelSettingsIn(given)
    return {
      facts: [
        set(['roleFlow'], qualities.roleFlow),
        set([LLM], Object.keys(settings).length === 0 ? null : settings),
        { reel, kind: 'being:bounded', payload: { ceiling } },
        ...(await unseen(world, changed)).map((name) => set([SUBSCRIPTIONS, name], null)),
      ],
      result: { being: stanceOf(being.name) },
    }
  },
}
