import {
  asJson,
  type BeingName,
  beingReel,
  canonicalJson,
  type Json,
  parentPath,
  parseSpacePath,
  type RoleName,
  spaceReel,
  TreeosError,
  worldReel,
} from '@treeos/core'
import { lintFlow, type RoleFlow, requireFlow } from '@treeos/roles'
import type { Decided, Operation, OperationInput } from '../extend/extension.ts'
import { requireAssignable, requireSmallProgram, rolesNamed } from '../gates/reach.ts'
import { requireRules } from '../gates/rules.ts'
import { isAncestor } from '../gates/stance-gate.ts'
import type { WorldReader } from '../read/reader.ts'
import { parseKeyPath, requireQualitySize, setQuality } from '../rows/qualities.ts'
import { type BeingRow, type RoleRow, spaceKey } from '../rows/rows.ts'
import { Arguments } from './arguments.ts'
import { coordIn, sizeIn } from './extent.ts'
import { qualityChange } from './quality-change.ts'
import { typeIn } from './types.ts'
import { KEPT_NAMESPACES } from './waking.ts'

const createSpace: Operation = {
  name: 'create-space',
  description: 'Makes a space inside the target space.',
  targets: ['space'],
  allow: ['owner', 'contributor', 'operator'],
  args: {
    path: 'path of the new space',
    type: 'its type; a room when absent',
    size: 'how far it reaches, as {x, y, z}; without one nothing in it has a coord',
    coord: 'where in the target space, as {x, y, z}',
  },
  async decide({ actor, target, args, world, known }) {
    const given = new Arguments('create-space', args, ['path', 'type', 'size', 'coord'])
    const type = typeIn(given, known.spaceTypes, 'room')
    const path = parseSpacePath(given.text('path'))
    const parent = parentPath(path)
    if (parent === null) throw new TreeosError('RESOURCE_CONFLICT', 'the root space / is always there')
    // The stance gate was asked about the target, so the new space must lie right inside it.
    if (target.kind !== 'space' || target.space.path !== parent) {
      throw given.fault('path', path, `a space right inside its target, which for ${path} is ${parent}`)
    }
    await world.prefetch([spaceKey(path), spaceKey(parent)])
    if ((await world.space(path)) !== null)
      throw new TreeosError('RESOURCE_CONFLICT', `space ${path} is already there`)
    if ((await world.space(parent)) === null)
      throw new TreeosError('SPACE_NOT_FOUND', `space ${parent} does not exist; create it first`)
    const extent = { ...sizeIn(given), ...coordIn(given, target.space) }
    const payload = asJson({ path, type, owner: actor.name, qualities: {}, ...extent })
    return {
      facts: [
        { reel: spaceReel(path), kind: 'space:created', payload },
        { reel: spaceReel(parent), kind: 'space:opened', payload: { path } },
      ],
      result: { path },
    }
  },
}

const setSpace: Operation = {
  name: 'set-space',
  description: 'Sets one quality of the target space; null unsets.',
  targets: ['space'],
  allow: ['owner', 'operator'],
  args: {
    field: 'namespace and key, as in ambient.tone',
    value: 'any JSON',
    merge: 'merge an object into a namespace',
  },
  decide({ target, args }) {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'set-space takes a space')
    const { qualities } = target.space
    const change = qualityChange('set-space', args, qualities)
    if (change.path[0] === 'permissions')
      requireRules(
        qualities.permissions,
        setQuality(qualities, change.path, change.value, change.merge).permissions,
      )
    return {
      facts: [{ reel: spaceReel(target.space.path), kind: 'quality:set', payload: change }],
      result: change,
    }
  },
}

const setBeing: Operation = {
  name: 'set-being',
  description: 'Sets one quality of the target being; null unsets. The role flow is set with set-roleflow.',
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  args: {
    field: 'namespace and key, as in mood.tone',
    value: 'any JSON',
    merge: 'merge an object into a namespace',
  },
  decide({ target, args }) {
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-being takes a being')
    const change = qualityChange('set-being', args, target.being.qualities)
    const keeper = KEPT_NAMESPACES[change.path[0]]
    if (keeper !== undefined)
      throw new TreeosError('INVALID_INPUT', `set-being: ${change.path[0]} is set with ${keeper}`)
    return {
      facts: [{ reel: beingReel(target.being.name), kind: 'quality:set', payload: change }],
      result: change,
    }
  },
}

const setRoleFlow: Operation = {
  name: 'set-roleflow',
  description: "Replaces the target being's role flow.",
  targets: ['being'],
  allow: ['self', 'ancestor', 'operator'],
  args: { flow: 'the clauses, in order' },
  async decide(input): Promise<Decided> {
    const { actor, target, args, world } = input
    if (target.kind !== 'being') throw new TreeosError('INVALID_TYPE', 'set-roleflow takes a being')
    const given = new Arguments('set-roleflow', args, ['flow'])
    const flow = requireFlow(given.value('flow'))
    const qualities = { roleFlow: asJson(flow) }
    requireSmallProgram({ defaultRole: target.being.defaultRole, qualities })
    const named = rolesNamed({ defaultRole: null, qualities })
    await requireAssignable(world, actor, named, await input.reach())
    const payload = { path: ['roleFlow'], value: qualities.roleFlow, merge: false }
    return {
      facts: [{ reel: beingReel(target.being.name), kind: 'quality:set', payload }],
      result: { clauses: flow.length, warnings: await warningsOf(world, flow, named) },
    }
  },
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

const move: Operation = {
  name: 'move',
  description: 'Moves the actor into another space, or to another place in its own.',
  targets: ['space'],
  allow: ['anyone'],
  args: { coord: 'where in the space, as {x, y, z}' },
  decide({ actor, target, args }): Decided {
    const given = new Arguments('move', args, ['coord'])
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
    return {
      facts: [
        moved,
        { reel: spaceReel(actor.space), kind: 'space:left', payload: { being: actor.name, to } },
        { reel: spaceReel(to), kind: 'space:entered', payload: { being: actor.name, from: actor.space } },
      ],
      result: moved.payload,
    }
  },
}

const setWorldSignal: Operation = {
  name: 'set-world-signal',
  description: 'Publishes a signal that every flow of the reality may read; null unsets.',
  targets: ['reality'],
  allow: ['anyone'],
  args: { namespace: 'who publishes, as in harmony', key: 'dotted key, as in tick.alive', value: 'any JSON' },
  async decide(input) {
    const { args, world } = input
    const given = new Arguments('set-world-signal', args, ['namespace', 'key', 'value'])
    const [namespace, ...more] = parseKeyPath(given.text('namespace'), 'namespace')
    if (more.length > 0) throw given.fault('namespace', given.value('namespace'), 'one kebab-case word')
    const key = parseKeyPath(given.text('key'), 'key')
    const value = given.value('value')
    if (value === undefined) throw given.fault('value', value, 'any JSON; null unsets')
    const owner = await requirePublisher(input, namespace)
    const row = await world.world(namespace)
    requireQualitySize(setQuality(row?.values ?? {}, key, value, false), `world.${namespace}`)
    const payload = { namespace, key, value, ...(owner === null ? {} : { owner }) }
    return {
      facts: [{ reel: worldReel(namespace), kind: 'signal:published', payload }],
      result: { namespace, key: key.join('.'), value },
    }
  },
}

/**
 * Publishing needs a right, since a signal can change the roles of other beings. The owner of the namespace, its makers and the
 * operator have it, and so has a being that one of them drives and lends its reach to.
 * @returns the owner of a new namespace, where that is the lender; null where it is the actor
 */
async function requirePublisher(
  { actor, lender, world }: OperationInput,
  namespace: string,
): Promise<BeingName | null> {
  const owner = (await world.world(namespace))?.owner ?? null
  const may = async (being: BeingRow) =>
    being.parent === null ||
    owner === being.name ||
    (owner !== null && (await isAncestor(world, being.name, owner)))
  if (await may(actor)) return null
  if (lender !== null && (await may(lender))) return owner === null ? lender.name : null
  throw new TreeosError(
    'FORBIDDEN',
    `@${actor.name} may not publish in ${namespace}: it belongs to ${owner === null ? '@operator' : `@${owner}`}`,
  )
}

export const worldOperations: readonly Operation[] = [
  createSpace,
  setSpace,
  setBeing,
  setRoleFlow,
  move,
  setWorldSignal,
]
