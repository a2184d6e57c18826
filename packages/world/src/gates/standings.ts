/**
 * What a being is to a target and to a place, for the rules that name it: its maker, owner, home and the
 * like.
 */
import { type BeingName, type SpacePath, spaceAncestry } from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import type { Soon } from '../read/soon.ts'
import type { BeingRow } from '../rows/rows.ts'
import type { RuleQuestion } from './refusal.ts'
import type { RuleProperty, RuleStanding } from './rules.ts'

/** @param place the space that has the rule: `home` means a home inside it */
export function has(
  reader: WorldReader,
  { actor, target }: Pick<RuleQuestion, 'actor' | 'target'>,
  property: RuleProperty,
  place: SpacePath,
): Soon<boolean> {
  if (typeof property === 'object')
    return isConferred(reader, actor, place, ({ defaultRole }) => defaultRole === property.role)
  switch (property) {
    case 'anyone':
      return true
    case 'self':
      return target.being?.name === actor.name
    case 'parent':
      return target.being?.parent === actor.name
    case 'ancestor':
      return target.being !== null && isMakerOf(reader, actor.name, target.being.name)
    case 'operator':
      return actor.parent === null
    case 'owner':
      return isOwner(reader, actor.name, target)
    case 'contributor':
      return isContributor(reader, actor.name, target.space)
    case 'home':
      return isConferred(reader, actor, place, ({ home }) => isWithin(home, place))
  }
}

async function isOwner(
  reader: WorldReader,
  actor: BeingName,
  target: RuleQuestion['target'],
): Promise<boolean> {
  const owner = target.owner ?? (await reader.space(target.space))?.owner ?? null
  return owner !== null && (await isOrMade(reader, actor, owner))
}

const isContributor = async (reader: WorldReader, actor: BeingName, path: SpacePath): Promise<boolean> =>
  (await reader.space(path))?.contributors?.includes(actor) ?? false

/**
 * Whether a being has a role or home of birth from a maker that could give it: the operator, the owner of the
 * place, or a maker that has it the same way. Otherwise a being that a rule keeps out could give birth to a
 * child with the right home or role, and act through the child.
 */
async function isConferred(
  reader: WorldReader,
  actor: BeingRow,
  place: SpacePath,
  holds: (being: BeingRow) => boolean,
): Promise<boolean> {
  const owner = (await reader.space(place))?.owner ?? null
  const line = [actor, ...(await reader.lineage(actor.name))]
  for (const [i, being] of line.entries()) {
    if (!holds(being)) return false
    if (being.parent === null) return true
    const maker = line[i + 1]
    if (maker === undefined) return false
    if (maker.parent === null) return true
    if (owner !== null && (await isOrMade(reader, maker.name, owner))) return true
  }
  return false
}

/**
 * Standings that do not depend on the target being: if one is forbidden to a being, it is forbidden to all
 * its offspring.
 */
const INHERITED: ReadonlySet<RuleStanding> = new Set(['owner', 'contributor', 'home'])

/**
 * A ban holds for offspring too, so that no being evades it through a child. The operator's standings are not
 * inherited.
 */
export async function isForbidden(
  reader: WorldReader,
  question: RuleQuestion,
  property: RuleProperty,
  place: SpacePath,
): Promise<boolean> {
  if (typeof property === 'string' && !INHERITED.has(property)) return has(reader, question, property, place)
  const makers = (await reader.lineage(question.actor.name)).filter(({ parent }) => parent !== null)
  for (const actor of [question.actor, ...makers]) {
    if (typeof property === 'object' && actor.defaultRole === property.role) return true
    if (property === 'home' && isWithin(actor.home, place)) return true
    if (property === 'owner' || property === 'contributor') {
      if (await has(reader, { ...question, actor }, property, place)) return true
    }
  }
  return false
}

const isWithin = (inner: SpacePath, outer: SpacePath): boolean => spaceAncestry(inner).includes(outer)

const isOrMade = async (reader: WorldReader, elder: BeingName, being: BeingName): Promise<boolean> =>
  elder === being || isAncestor(reader, elder, being)

/** Whether `elder` made `being`, or made its maker, and so on. */
export const isAncestor = async (reader: WorldReader, elder: BeingName, being: BeingName): Promise<boolean> =>
  isMakerOf(reader, elder, being)

/** The same, at once where all makers were read. */
function isMakerOf(reader: WorldReader, elder: BeingName, being: BeingName): Soon<boolean> {
  const makers = reader.knownLineage(being)
  return makers === undefined
    ? reader.lineage(being).then((read) => isAmong(read, elder))
    : isAmong(makers, elder)
}

function isAmong(beings: readonly BeingRow[], name: BeingName): boolean {
  for (const being of beings) if (being.name === name) return true
  return false
}
