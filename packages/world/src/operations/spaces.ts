import {
  asJson,
  type Json,
  parentPath,
  parseSpacePath,
  ROOT_SPACE,
  spaceReel,
  TreeosError,
  unknownBeing,
} from '@treeos/core'
import type { Operation } from '../extend/extension.ts'
import { type RuleWarning, requireCovered } from '../gates/covering.ts'
import { askedStances, requireRules } from '../gates/rules.ts'
import type { WorldReader } from '../read/reader.ts'
import { STANDARD_BUDGET } from '../rows/budgets.ts'
import { SHADOW, setAtPath } from '../rows/qualities.ts'
import { spaceKey } from '../rows/rows.ts'
import { Arguments } from './arguments.ts'
import { endedByRules, rowAfter } from './ended-subscriptions.ts'
import { coordIn, sizeIn } from './extent.ts'
import { qualityChange } from './quality-change.ts'
import { typeIn } from './type-argument.ts'

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
    // The rule gate was asked about the target, so the new space must lie right inside it.
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
  async decide({ target, args, world, known }) {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'set-space takes a space')
    const { qualities } = target.space
    const change = qualityChange('set-space', args, qualities)
    if (target.space.path === ROOT_SPACE && change.path[0] === STANDARD_BUDGET)
      throw new TreeosError('INVALID_INPUT', `set-space: ${STANDARD_BUDGET} of / is set with set-budget`)
    const [namespace] = change.path
    const warnings: RuleWarning[] = []
    if (namespace === 'permissions' || namespace === SHADOW) {
      const after = setAtPath(qualities, change.path, change.value, change.merge)[namespace]
      const before = qualities[namespace]
      requireRules(before, after, namespace)
      const at = { of: namespace, space: target.space.path, known } as const
      warnings.push(...requireCovered(before, after, at))
      await requireAskedBeings(world, before, after)
    }
    const fact = { reel: spaceReel(target.space.path), kind: 'quality:set', payload: change }
    return {
      facts: [
        fact,
        ...(rulesSight(change.path) ? await endedByRules(world, rowAfter(target.space, fact)) : []),
      ],
      result: warnings.length === 0 ? change : asJson({ ...change, warnings }),
    }
  },
}

/** Whether a quality says who may SEE. */
const rulesSight = ([namespace, verb = 'see']: readonly string[]): boolean =>
  namespace === 'permissions' && verb === 'see'

/** Whom a rule asks by name has to live, or nobody could answer. @throws {TreeosError} BEING_NOT_FOUND */
async function requireAskedBeings(
  world: WorldReader,
  before: Json | undefined,
  after: Json | undefined,
): Promise<void> {
  const known = askedStances(before ?? null)
  for (const stance of askedStances(after ?? null))
    if (!known.has(stance) && (await world.being(stance.slice(1))) === null)
      throw unknownBeing(stance.slice(1), 'rule')
}

export const spaceOperations: readonly Operation[] = [createSpace, setSpace]
