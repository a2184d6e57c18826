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
  /** it is tried, and does not decide */
  readonly isTried?: true
}

/** The spaces whose rules are asked, the target's first. `requireCovered` refuses a rule that this never asks. */
export function spacesAsked({ actor, verb, key, target }: RuleQuestion): readonly SpacePath[] {
  const toBeing = verb === 'do' && target.being !== null
  const keeps = key === 'set-space' && actor.parent === null
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

/** The rules that are asked, in the order in which they decide. @param isTried those that are tried, each in the place of its own */
export async function rulesFor(
  reader: WorldReader,
  question: RuleQuestion,
  isTried = false,
): Promise<PlacedRule[]> {
  const spaces = spacesAsked(question)
  await reader.prefetch(spaces.map(spaceKey))
  const rules: PlacedRule[] = []
  for (const path of spaces) rules.push(...rulesOf(await reader.space(path), path, question, isTried))
  return rules
}

/** The rules of a space for a verb and a key, the most exact first. */
function rulesOf(
  space: SpaceRow | null,
  path: SpacePath,
  { verb, key }: RuleQuestion,
  isTried: boolean,
): PlacedRule[] {
  const own = rulesIn(space, verb)
  const tried = isTried ? objectOr(readPath(space?.qualities, [SHADOW, verb])) : {}
  if (own === null && Object.keys(tried).length === 0) return []
  const rules = { ...own, ...tried }
  const isExact = (name: string) => name === key
  return Object.keys(rules)
    .filter((name) => isExact(name) || (name.endsWith('*') && key.startsWith(name.slice(0, -1))))
    .sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.length - a.length)
    .map((name) => {
      const isTried = Object.hasOwn(tried, name)
      const by = `${path} ${isTried ? SHADOW : 'permissions'}.${verb}.${name}`
      return { rule: readRule(rules[name]), path, name, by, ...(isTried ? { isTried } : {}) }
    })
}

const objectOr = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
