import { type Json, readPath, type SpacePath } from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import { type PlacedRule, rulesFor, spacesAsked } from './placed-rules.ts'
import type { RuleQuestion } from './refusal.ts'
import { type Rule, type RuleProperty, type RuleStanding, ruleJson } from './rules.ts'
import { has, isForbidden } from './standings.ts'
import { brokenCounts } from './tally.ts'

/** A rule of a space as it would have to be; null: without it. */
export interface RuleChange {
  readonly space: SpacePath
  /** its key in the rules of the space for the verb of the question */
  readonly name: string
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** From the closest to the widest: the first one that the actor has is what a rule would have to name. */
const CLOSEST_FIRST: readonly RuleStanding[] = ['self', 'parent', 'ancestor', 'owner', 'contributor']

/**
 * The fewest rules that have to change for the rule gate to allow: every one that forbids or counts
 * otherwise, and one that permits, which may be among them where it lies before the rule that decides now.
 * @returns null where no rule of a space is asked, so that none can permit it
 */
export async function ruleRepair(reader: WorldReader, question: RuleQuestion): Promise<RuleChange[] | null> {
  const [closest] = spacesAsked(question)
  if (closest === undefined) return null
  const rules = await rulesFor(reader, question)
  const decides = rules.findIndex(({ rule }) => rule.requires !== null)
  const decider = rules[decides]
  const isPermitted = await passes(reader, question, decider)
  const forbidding = new Map<number, Rule>()
  for (const [i, placed] of rules.entries()) {
    const lifted = await withoutBan(reader, question, placed)
    if (lifted !== null) forbidding.set(i, lifted)
  }
  const needed = decider?.rule.requires ?? question.fallback
  const bans = [...forbidding.keys()]
  const permits = isPermitted
    ? undefined
    : (bans.find((i) => decider === undefined || i <= decides) ?? decides)
  const changed = new Map(forbidding)
  if (permits !== undefined && permits >= 0) {
    const placed = rules[permits]!
    const rule = forbidding.get(permits) ?? placed.rule
    changed.set(permits, { ...rule, requires: [...needed, await propertyOf(reader, question, placed.path)] })
  }
  for (const [i, placed] of rules.entries()) {
    const broken = await brokenCounts(reader, question, placed, 'counts')
    if (broken.length === 0) continue
    const { counts = [], ...rule } = changed.get(i) ?? placed.rule
    const kept = counts.filter((_, at) => !broken.some(({ index }) => index === at))
    changed.set(i, kept.length === 0 ? rule : { ...rule, counts: kept })
  }
  const changes = await Promise.all(
    [...changed].map(([i, rule]) => changeOf(reader, question, rules[i]!, rule)),
  )
  if (permits !== -1) return changes
  const to = { requires: [...needed, await propertyOf(reader, question, closest)] } as unknown as Json
  return [...changes, { space: closest, name: question.key, from: undefined, to }]
}

async function passes(
  reader: WorldReader,
  question: RuleQuestion,
  decider: PlacedRule | undefined,
): Promise<boolean> {
  const place = decider?.path ?? question.target.space
  for (const property of decider?.rule.requires ?? question.fallback)
    if (await has(reader, question, property, place)) return true
  return false
}

/** @returns null for a rule that does not forbid it */
async function withoutBan(
  reader: WorldReader,
  question: RuleQuestion,
  { rule, path }: PlacedRule,
): Promise<Rule | null> {
  const left: RuleProperty[] = []
  for (const property of rule.forbid)
    if (!(await isForbidden(reader, question, property, path))) left.push(property)
  const isOutside = question.fromOutside === true && rule.outside === 'forbid'
  if (left.length === rule.forbid.length && !isOutside) return null
  const { outside, ...rest } = rule
  return { ...rest, ...(outside === undefined || isOutside ? {} : { outside }), forbid: left }
}

/** What the actor is to the target, as closely as can be said. */
async function propertyOf(
  reader: WorldReader,
  question: RuleQuestion,
  place: SpacePath,
): Promise<RuleProperty> {
  const { defaultRole } = question.actor
  const all: readonly RuleProperty[] = [
    ...CLOSEST_FIRST,
    ...(defaultRole === null ? [] : [{ role: defaultRole }]),
    'home',
    'operator',
  ]
  for (const property of all) if (await has(reader, question, property, place)) return property
  return 'anyone'
}

async function changeOf(
  reader: WorldReader,
  { verb }: RuleQuestion,
  { path: space, name }: PlacedRule,
  rule: Rule,
): Promise<RuleChange> {
  const { qualities } = (await reader.space(space)) ?? { qualities: {} }
  const from = readPath(qualities, ['permissions', verb, name])
  return { space, name, from, to: ruleJson(rule) }
}
