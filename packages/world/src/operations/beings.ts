import {
  asJson,
  beingReel,
  canonicalJson,
  type FactDraft,
  type Json,
  type RoleName,
  requireRoleName,
  spaceReel,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { lintFlow, type RoleFlow, requireFlow } from '@treeos/roles'
import type { DecidedOperation, DecideInput } from '../extend/extension.ts'
import { DELEGATES } from '../extend/substrate.ts'
import { reachOf, requireAssignable, requireSmallProgram, rolesNamed } from '../gates/reach.ts'
import type { WorldReader } from '../read/reader.ts'
import { whyParked } from '../rows/budgets.ts'
import { SHADOW } from '../rows/qualities.ts'
import type { BeingRow, RoleRow } from '../rows/rows.ts'
import { type ArgumentForms, FLOW, FLOW_RIGHT, needed, ofText, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { endedByCeiling, endedSubscriptions } from './ended-subscriptions.ts'
import { coordArgument, coordIn } from './extent.ts'
import { ceilingArgument, parseCeiling, releasedFact } from './identity.ts'
import {
  connectionArgument,
  LLM,
  modelArguments,
  modelSettingsIn,
  requireConnectionChange,
  requireOwnConnection,
} from './model-connection.ts'
import { requirePersonToOpen } from './opening-qualities.ts'
import { requirePasskeyChange } from './passkeys.ts'
import { qualityArguments, qualityChange } from './quality-change.ts'
import { KEPT_NAMESPACES, qualitySet } from './schedules.ts'
import { requireSightOfPlace } from './sight-of-place.ts'

const setBeing = defineBuiltIn({
  name: 'set-being',
  description: 'Sets one quality of the target being; null unsets. The role flow is set with set-roleflow.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: qualityArguments('mood.tone'),
  async decide(input, given): Promise<DecidedOperation> {
    const { actor, lender, cognition, target } = input
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-being takes a being')
    const change = qualityChange(given, target.being.qualities)
    if (change.path[0] === SHADOW) await requireDryRunFlow(input, target.being, change)
    requireConnectionChange(change, { actor, target: target.being, lender, cognition })
    requirePasskeyChange(change, { actor, target: target.being })
    requirePersonToOpen(change, input)
    const keeper = KEPT_NAMESPACES[change.path[0]]
    if (keeper !== undefined)
      throw new TreeosError('INVALID_INPUT', `set-being: ${change.path[0]} is set with ${keeper}`)
    return {
      facts: [{ reel: beingReel(target.being.name), kind: 'quality:set', payload: change }],
      result: change,
    }
  },
})

/**
 * A dry-run flow is checked as one that is set. It gives no role, so nobody has to be able to give those that
 * it names.
 */
async function requireDryRunFlow(
  input: DecideInput,
  being: BeingRow,
  { path, value }: { readonly path: readonly string[]; readonly value: Json },
): Promise<void> {
  if (path.length > 1)
    throw new TreeosError(
      'INVALID_INPUT',
      'set-being: shadow is set as a whole: the clauses of a flow, or null',
    )
  if (value === null) return
  const flow = requireFlow(value)
  await requireSightOfPlace(input, being, flow)
  requireSmallProgram({ defaultRole: being.defaultRole, qualities: { ...being.qualities, roleFlow: value } })
}

/**
 * Arguments that only an operation of an extension gives, for an offspring of its actor. Those left out are
 * taken away.
 */
const CARRIED: ArgumentForms = {
  ceiling: ceilingArgument,
  connection: connectionArgument,
  ...modelArguments,
}

const setRoleFlow = defineBuiltIn({
  name: 'set-roleflow',
  wordless: true,
  description: "Replaces the target being's role flow.",
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  takes: { flow: needed(FLOW, 'the clauses, in order', { right: FLOW_RIGHT, parse: requireFlow }) },
  carried: CARRIED,
  async decide(input, given): Promise<DecidedOperation> {
    const { actor, target, world } = input
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-roleflow takes a being')
    const { being } = target
    const flow = requireFlow(given.value('flow'))
    await requireSightOfPlace(input, being, flow)
    const qualities = { ...being.qualities, roleFlow: asJson(flow) }
    requireSmallProgram({ defaultRole: being.defaultRole, qualities })
    const named = rolesNamed({ defaultRole: null, qualities })
    await requireAssignable(world, actor, named, await input.reach())
    // Null means without a bound, and takes away the one that stood.
    const isBound = Object.keys(CARRIED).some((name) => input.args[name] !== undefined)
    const bound = isBound ? boundAnew(input, being, given) : null
    const after = { ...being, qualities, ...(bound === null ? {} : { ceiling: bound.ceiling }) }
    return {
      facts: [
        qualitySet(being, ['roleFlow'], qualities.roleFlow),
        ...(bound?.facts ?? []),
        ...(await endedSubscriptions(world, after, await reachOf(world, after))),
        ...(bound === null ? [] : await endedByCeiling(world, after)),
      ],
      result: { clauses: flow.length, warnings: await warningsOf(world, flow, named) },
    }
  },
})

const setDefaultRole = defineBuiltIn({
  name: 'set-default-role',
  wordless: true,
  description: 'Changes the role that the target being wears where no clause of its flow gives one.',
  targets: ['being'],
  allow: ['ancestor', 'operator'], // rules of spaces ask for it, and trust who made the being
  takes: { role: needed(TEXT, 'the role', { parse: ofText(requireRoleName) }) },
  async decide(input, given): Promise<DecidedOperation> {
    const { actor, target, world } = input
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-default-role takes a being')
    const { being } = target
    requireOfThisWorld(being, 'changes its default role')
    const role = requireRoleName(given.value('role'))
    if (role === being.defaultRole)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${role} is the default role of ${stanceOf(being.name)} already`,
      )
    requireSmallProgram({ defaultRole: role, qualities: being.qualities })
    await requireAssignable(world, actor, [role], await input.reach())
    const after = { ...being, defaultRole: role }
    return {
      facts: [
        { reel: beingReel(being.name), kind: 'being:role-set', payload: { role } },
        ...(await endedSubscriptions(world, after, await reachOf(world, after))),
      ],
      result: { being: stanceOf(being.name), role, before: being.defaultRole },
    }
  },
})

/** @throws {TreeosError} FORBIDDEN for a being that every reality has */
function requireOfThisWorld({ name, parent }: BeingRow, what: string): void {
  if (parent === null || DELEGATES.some((delegate) => delegate === name))
    throw new TreeosError('FORBIDDEN', `${stanceOf(name)} belongs to every reality: nobody ${what}`)
}

/**
 * Gives an offspring another ceiling and model, as at its birth: the ceilings of all its makers bound it
 * further.
 */
function boundAnew(
  { actor, cognition }: Pick<DecideInput, 'actor' | 'cognition'>,
  being: BeingRow,
  given: Arguments,
): { readonly ceiling: BeingRow['ceiling']; readonly facts: readonly FactDraft[] } {
  if (being.name === actor.name)
    throw new TreeosError('FORBIDDEN', `set-roleflow: ${stanceOf(actor.name)} does not bound itself`)
  const asked = given.value('ceiling')
  const ceiling = asked === undefined ? null : parseCeiling(asked)
  requireOwnConnection(given.optionalText('connection'), { actor, cognition })
  const settings = modelSettingsIn(given)
  return {
    ceiling: ceiling as BeingRow['ceiling'],
    facts: [
      qualitySet(being, [LLM], Object.keys(settings).length === 0 ? null : settings),
      { reel: beingReel(being.name), kind: 'being:bounded', payload: { ceiling } },
    ],
  }
}

/** Warnings: faults that do not make the flow invalid. */
async function warningsOf(world: WorldReader, flow: RoleFlow, named: readonly RoleName[]): Promise<Json> {
  const roles = new Map<RoleName, RoleRow>()
  for (const name of named) {
    const role = await world.role(name)
    if (role !== null) roles.set(name, role)
  }
  return lintFlow(flow, { roles }).warnings.map(({ path, message }) => ({ path, message }))
}

const move = defineBuiltIn({
  name: 'move',
  wordless: true,
  description: 'Moves the actor into another space that it can see, or to another place in its own.',
  targets: ['space'],
  allow: ['anyone'], // decide() requires that the actor sees it
  takes: { coord: coordArgument('where in the space, as {x, y, z}') },
  async decide({ actor, target, sees }, given): Promise<DecidedOperation> {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'move takes a space')
    const to = target.space.path
    const at = asJson(coordIn(given, target.space))
    const moved = {
      reel: beingReel(actor.name),
      kind: 'being:moved',
      payload: { from: actor.space, to, ...at },
    }
    if (to === actor.space) {
      const isThere = at.coord === undefined || canonicalJson(at.coord) === canonicalJson(actor.coord ?? null)
      if (!isThere) return { facts: [moved], result: moved.payload }
      throw new TreeosError('RESOURCE_CONFLICT', `@${actor.name} is already in ${to}`)
    }
    if (to !== actor.home && !(await sees(to)))
      throw new TreeosError(
        'FORBIDDEN',
        `${stanceOf(actor.name)} cannot see ${to}, so it may not go there: its canSee has to hold ${to}`,
      )
    return {
      facts: [
        moved,
        { reel: spaceReel(actor.space), kind: 'space:left', payload: { being: actor.name, to } },
        { reel: spaceReel(to), kind: 'space:entered', payload: { being: actor.name, from: actor.space } },
      ],
      result: moved.payload,
    }
  },
})

const endBeing = defineBuiltIn({
  name: 'end-being',
  wordless: true,
  description:
    'Ends the target being for good: it lives no further moment, and whoever waits for it is told. Its past and its name stay.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  takes: {},
  decide({ target }): DecidedOperation {
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'end-being takes a being')
    const { name, space, inhabited } = target.being
    requireOfThisWorld(target.being, 'ends it')
    const { by = null, epoch = 0 } = inhabited ?? {}
    return {
      facts: [
        ...(by === null ? [] : [releasedFact(name, { by, epoch }, 'released')]),
        { reel: beingReel(name), kind: 'being:ended', payload: {} },
        { reel: spaceReel(space), kind: 'space:left', payload: { being: name, to: null } },
      ],
      result: { being: stanceOf(name), ended: true },
    }
  },
})

const pauseBeing = defineBuiltIn({
  name: 'pause-being',
  wordless: true,
  description:
    'Pauses the target being: it lives no further moment of its own until resume-being, and what is said to it waits in its inbox.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  takes: {},
  decide({ target }): DecidedOperation {
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'pause-being takes a being')
    const { name, cognition, paused } = target.being
    requireOfThisWorld(target.being, 'pauses it')
    if (cognition.kind === 'human')
      throw new TreeosError('INVALID_TYPE', `${stanceOf(name)} is a person, who lives no moment by itself`)
    if (paused !== undefined)
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(name)} is paused already`)
    return {
      facts: [{ reel: beingReel(name), kind: 'being:paused', payload: {} }],
      result: { being: stanceOf(name), paused: true },
    }
  },
})

const resumeBeing = defineBuiltIn({
  name: 'resume-being',
  wordless: true,
  description: 'Ends the pause of the target being: it lives what waits in its inbox.',
  targets: ['being'],
  allow: ['ancestor', 'operator'],
  takes: {},
  decide({ target }): DecidedOperation {
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'resume-being takes a being')
    const { name, paused, parked } = target.being
    if (paused === undefined) {
      const why =
        parked == null ? 'is not paused' : `is not paused, but parked by a budget: ${whyParked(name, parked)}`
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(name)} ${why}`)
    }
    return {
      facts: [{ reel: beingReel(name), kind: 'being:resumed', payload: {} }],
      result: { being: stanceOf(name), paused: false },
    }
  },
})

export const beingOperations = [
  setBeing,
  setRoleFlow,
  setDefaultRole,
  move,
  pauseBeing,
  resumeBeing,
  endBeing,
] as const
