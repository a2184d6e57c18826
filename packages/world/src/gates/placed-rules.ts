/** The rules of spaces that are asked about a call, and in which order. */
import {
  isJsonObject,
  type Json,
  type JsonObject,
  readPath,
  type SpacePath,
  spaceAncestry,
  type Verb,
} from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { SHADOW } from '../rows/qualities.ts'
import { type SpaceRow, spaceKey } from '../rows/rows.ts'
import type { RuleQuestion } from './refusal.ts'
import { type Rule, readRule } from './rules.ts'

/** Operations on a thing that only concern its owner, wherever it lies. */
export const OWNERS_OWN: ReadonlySet<string> = new Set(['set-matter', 'write-matter', 'end-matter'])

export interface PlacedRule {
  readonly rule: Rule
  /** the space that has the rule */
  readonly path: SpacePath
  /** its key in the rules of the space for the verb */
  readonly name: string
  /** address of the rule */
  readonly by: string
  /** it is on a dry run, and does not decide */
  readonly isDryRun?: true
}

/**
 * The spaces whose rules are asked, the target's first. `requireCovered` refuses a rule that this never asks. No
 * rule keeps the operator from mending a space, but in its own words alone.
 */
export function spacesAsked({ actor, verb, key, target, fromOutside }: RuleQuestion): readonly SpacePath[] {
  const toBeing = verb === 'do' && target.being !== null
  const keeps = key === 'set-space' && actor.parent === null && fromOutside !== true
  const toOwned = target.owner !== undefined && OWNERS_OWN.has(key)
  return toBeing || toOwned || keeps ? [] : spaceAncestry(target.space)
}

/** Whether a space, or one around it, has any rule for a verb. */
export async function hasRules(reader: WorldReader, verb: Verb, path: SpacePath): Promise<boolean> {
  const spaces = spaceAncestry(path)
  await reader.prefetch(spaces.map(spaceKey))
  for (const space of spaces) if (rulesIn(await reader.space(space), verb) !== null) return true
  return false
}

const rulesIn = (space: SpaceRow | null, verb: Verb): JsonObject | null => {
  const rules = readPath(space?.qualities, ['permissions', verb])
  return isJsonObject(rules) ? rules : null
}

/**
 * The rules that are asked, in the order in which they decide.
 * @param isDryRun dry-run rules, each in the place of its own
 */
export async function rulesFor(
  reader: WorldReader,
  question: RuleQuestion,
  isDryRun = false,
): Promise<PlacedRule[]> {
  const spaces = spacesAsked(question)
  await reader.prefetch(spaces.map(spaceKey))
  const rules: PlacedRule[] = []
  for (const path of spaces) rules.push(...rulesOf(await reader.space(path), path, question, isDryRun))
  return rules
}

/** The rules of a space for a verb and a key, the most exact first. */
function rulesOf(
  space: SpaceRow | null,
  path: SpacePath,
  { verb, key }: RuleQuestion,
  isDryRun: boolean,
): PlacedRule[] {
  const own = rulesIn(space, verb)
  const dryRun = isDryRun ? objectOr(readPath(space?.qualities, [SHADOW, verb])) : {}
  if (own === null && Object.keys(dryRun).length === 0) return []
  const rules = { ...own, ...dryRun }
  const isExact = (name: string) => name === key
  return Object.keys(rules)
    .filter((name) => isExact(name) || (name.endsWith('*') && key.startsWith(name.slice(0, -1))))
    .sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.length - a.length)
    .map((name) => {
      const isDryRun = Object.hasOwn(dryRun, name)
      const by = `${path} ${isDryRun ? SHADOW : 'permissions'}.${verb}.${name}`
      return { rule: readRule(rules[name]), path, name, by, ...(isDryRun ? { isDryRun } : {}) }
    })
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
