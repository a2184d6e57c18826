import {
  type BeingName,
  isJsonObject,
  type Json,
  type JsonObject,
  readPath,
  type SpacePath,
  spaceAncestry,
  stanceOf,
  type Verb,
} from '@treeos/core'
import type { WorldReader } from './reader.ts'
import { type BeingRow, spaceKey } from './rows.ts'

/** What the actor may be to the target; a rule asks for any of them. */
export const STANDINGS = ['anyone', 'self', 'ancestor', 'owner', 'operator'] as const
export type Standing = (typeof STANDINGS)[number]

/** Second gate: what the target's side allows, whatever the actor's lists say. */
export type StanceDecision =
  | { readonly allowed: true; readonly by: string }
  | { readonly allowed: false; readonly why: string }

export interface StanceQuestion {
  readonly actor: BeingRow
  readonly verb: Verb
  /** what is asked for: an action, an operation, a stance, or an address */
  readonly key: string
  readonly target: {
    readonly being: BeingRow | null
    readonly space: SpacePath
    /** of what lies there; left out where the space itself is meant */
    readonly owner?: BeingName
  }
  /** what holds where no space on the way up has a rule */
  readonly fallback: readonly Standing[]
}

/** What is done to a thing by its owner, wherever it lies. */
const OWNERS_OWN: ReadonlySet<string> = new Set(['set-matter', 'write-matter', 'end-matter'])

/**
 * Walks from the target's space to the root: the closest space with a rule for this verb and key decides, an exact key
 * before a prefix before `*`; then the fallback. A rule is `true`, `false`, or `{requires: [standing, …]}`; anything
 * else refuses. What is done to a being is between it, its makers and the operator: no space grants or denies that; nor what becomes of a
 * thing, though a space may say who takes what lies in it, and who lays down more. The
 * operator sets every space's qualities, rules included, so that no owner can lock a part of the world.
 */
export async function stanceGate(reader: WorldReader, question: StanceQuestion): Promise<StanceDecision> {
  const toBeing = question.verb === 'do' && question.target.being !== null
  const keeps = question.key === 'set-space' && question.actor.parent === null
  const toOwned = question.target.owner !== undefined && OWNERS_OWN.has(question.key)
  const spaces = toBeing || toOwned || keeps ? [] : spaceAncestry(question.target.space)
  await reader.prefetch(spaces.map(spaceKey))
  for (const path of spaces) {
    const space = await reader.space(path)
    const rules = readPath(space?.qualities, ['permissions', question.verb])
    const key = isJsonObject(rules) ? bestKey(rules, question.key) : null
    if (key === null) continue
    const rule = (rules as JsonObject)[key]
    const where = `${path} permissions.${question.verb}.${key}`
    return (await satisfies(reader, question, standingsOf(rule)))
      ? { allowed: true, by: where }
      : { allowed: false, why: `${where} does not allow it to ${stanceOf(question.actor.name)}` }
  }
  const holds = await satisfies(reader, question, question.fallback)
  const needed = question.fallback.join(' or ')
  return holds
    ? { allowed: true, by: `${question.verb} ${question.key}: ${needed}` }
    : { allowed: false, why: `${question.verb} ${question.key} needs ${needed} of the target` }
}

function bestKey(rules: JsonObject, key: string): string | null {
  if (Object.hasOwn(rules, key)) return key
  const prefixes = Object.keys(rules).filter(
    (rule) => rule.endsWith('*') && key.startsWith(rule.slice(0, -1)),
  )
  return prefixes.sort((a, b) => b.length - a.length)[0] ?? null
}

function standingsOf(rule: Json | undefined): readonly Standing[] {
  if (rule === true) return ['anyone']
  if (!isJsonObject(rule) || !Array.isArray(rule.requires)) return []
  return rule.requires.filter((name): name is Standing => STANDINGS.includes(name as Standing))
}

async function satisfies(
  reader: WorldReader,
  question: StanceQuestion,
  any: readonly Standing[],
): Promise<boolean> {
  for (const standing of any) if (await has(reader, question, standing)) return true
  return false
}

async function has(
  reader: WorldReader,
  { actor, target }: StanceQuestion,
  standing: Standing,
): Promise<boolean> {
  switch (standing) {
    case 'anyone':
      return true
    case 'self':
      return target.being?.name === actor.name
    case 'ancestor':
      return target.being !== null && (await isAncestor(reader, actor.name, target.being.name))
    case 'operator':
      return actor.parent === null
    case 'owner': {
      const owner = target.owner ?? (await reader.space(target.space))?.owner ?? null
      return owner !== null && (owner === actor.name || (await isAncestor(reader, actor.name, owner)))
    }
  }
}

/** Whether `elder` made `being`, or made its maker, and so on. */
export async function isAncestor(reader: WorldReader, elder: BeingName, being: BeingName): Promise<boolean> {
  return (await reader.lineage(being)).some((maker) => maker.name === elder)
}
