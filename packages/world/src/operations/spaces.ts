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
import { type RuleWarning, requireCovered } from '../gates/require-covered.ts'
import { askedStances, requireRules } from '../gates/rules.ts'
import type { WorldReader } from '../read/reader.ts'
import { STANDARD_BUDGET } from '../rows/budgets.ts'
import { SHADOW, setAtPath } from '../rows/qualities.ts'
import { spaceKey } from '../rows/rows.ts'
import { needed, ofText, TEXT } from './argument-forms.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { endedByRules, rowAfter } from './ended-subscriptions.ts'
import { coordArgument, coordIn, sizeArgument, sizeIn } from './extent.ts'
import { qualityArguments, qualityChange } from './quality-change.ts'
import { typeArgument, typeIn } from './type-argument.ts'

const createSpace = defineBuiltIn({
  name: 'create-space',
  description: 'Makes a space inside the target space.',
  targets: ['space'],
  allow: ['owner', 'contributor', 'operator'],
  takes: {
    path: needed(TEXT, 'path of the new space', { parse: ofText(parseSpacePath) }),
    type: typeArgument('its type; a room when absent'),
    size: sizeArgument('how far it reaches, as {x, y, z}; without one nothing in it has a coord'),
    coord: coordArgument('where in the target space, as {x, y, z}'),
  },
  async decide({ actor, target, world, known }, given) {
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
})

const setSpace = defineBuiltIn({
  name: 'set-space',
  description: 'Sets one quality of the target space; null unsets.',
  targets: ['space'],
  allow: ['owner', 'operator'],
  takes: qualityArguments('ambient.tone'),
  async decide({ target, world, known }, given) {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'set-space takes a space')
    const { qualities } = target.space
    const change = qualityChange(given, qualities)
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
})

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

export const spaceOperations = [createSpace, setSpace] as const
