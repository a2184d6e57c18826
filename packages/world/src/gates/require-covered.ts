/**
 * Whether rules of a space for DO reach anything: a rule that nothing is ever asked about is not accepted.
 */
import {
  didYouMean,
  type Json,
  type JsonObject,
  quote,
  ROOT_SPACE,
  type SpacePath,
  TreeosError,
} from '@treeos/core'
import type { OperationTarget } from '../read/target.ts'
import type { SHADOW } from '../rows/qualities.ts'
import { OWNERS_OWN } from './placed-rules.ts'
import { changedRules } from './rules.ts'

/** What is known of an operation where another one is about it. */
export interface OperationForm {
  /** `reality`: it concerns the whole reality, so its target is the root */
  readonly targets: readonly (OperationTarget['kind'] | 'reality')[]
  /** name of the tool server whose tool it calls; left out for none */
  readonly server?: string
  /**
   * Checks arguments without deciding; left out where only `decide` checks them.
   * @throws {TreeosError} INVALID_INPUT
   */
  requireArgs?(args: JsonObject): void | Promise<void>
}

/** By the verb that calls them, and their name. */
export type OperationForms = Readonly<Record<'do' | 'be', ReadonlyMap<string, OperationForm>>>

/** A rule that is accepted, and has no effect as long as nothing that it names is registered. */
export interface RuleWarning {
  readonly path: string
  readonly message: string
}

const NAMES_MAX = 4

/**
 * Checks that rules which a write would leave in a space can have an effect. Rules that the write does not
 * change are not checked.
 * @returns warnings of names that no loaded code brings: an extension that is loaded later may bring them
 * @throws {TreeosError} INVALID_INPUT for a key that names only operations which rules of this space do not
 *   cover
 */
export function requireCovered(
  before: Json | undefined,
  after: Json | undefined,
  {
    of,
    space,
    known,
  }: { of: 'permissions' | typeof SHADOW; space: SpacePath; known: { readonly operations: OperationForms } },
): RuleWarning[] {
  const warnings: RuleWarning[] = []
  for (const [verb, key] of changedRules(before, after)) {
    if (verb !== 'do' && verb !== 'be') continue
    const path = `${of}.${verb}.${key}`
    const registered = known.operations[verb]
    const named = operationsNamed(key, registered)
    if (named.length === 0) {
      warnings.push({ path, message: unregistered(key, registered) })
      continue
    }
    const fault = verb === 'do' ? faultOfCover(key, named, space) : null
    if (fault !== null) throw new TreeosError('INVALID_INPUT', `set-space: ${path}: ${fault}`)
  }
  return warnings
}

type NamedOperation = readonly [name: string, form: OperationForm]

function operationsNamed(key: string, registered: ReadonlyMap<string, OperationForm>): NamedOperation[] {
  if (!key.endsWith('*')) {
    const form = registered.get(key)
    return form === undefined ? [] : [[key, form]]
  }
  const begins = key.slice(0, -1)
  return [...registered].filter(([name]) => name.startsWith(begins)).sort(([a], [b]) => (a < b ? -1 : 1))
}

function unregistered(key: string, registered: ReadonlyMap<string, OperationForm>): string {
  if (key.endsWith('*'))
    return `no operation is registered that begins with ${quote(key.slice(0, -1))}, so the rule has no effect until one is`
  return `no operation ${quote(key)} is registered, so the rule has no effect until one is${didYouMean(key, registered.keys())}`
}

/** Why a rule of a space would have no effect on operations, and what to do instead; null when it has one. */
function faultOfCover(key: string, named: readonly NamedOperation[], space: SpacePath): string | null {
  const [first] = named
  if (first === undefined || named.some((one) => isCovered(one, space))) return null
  const names = named.map(([name]) => name)
  const more = names.length - NAMES_MAX
  const listed = [...names.slice(0, NAMES_MAX), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const matches = key.endsWith('*') ? `it matches only ${listed}; ` : ''
  return `the rule would have no effect in ${space}: ${matches}${whyNot(first)}`
}

/**
 * Whether a rule of this space can ever decide about an operation. `spacesAsked` decides the same for a
 * single call, so change both together.
 */
const isCovered = ([name, { targets }]: NamedOperation, space: SpacePath): boolean =>
  targets.some((kind) => {
    if (kind === 'being') return false
    if (kind === 'matter') return !OWNERS_OWN.has(name)
    return kind === 'space' || space === ROOT_SPACE
  })

function whyNot([name, { targets, server }]: NamedOperation): string {
  if (OWNERS_OWN.has(name))
    return `${name} is up to the owner of a thing, and rules of spaces do not cover it`
  if (targets.some((kind) => kind !== 'being'))
    return `${name} is asked about in ${ROOT_SPACE} alone: set the rule there`
  const asks =
    server === undefined
      ? ''
      : `, or have the server ${server} added again so that a person is asked before each call of its tools`
  return (
    `${name} acts on beings, and rules of spaces do not cover that. ` +
    `Take ${name} out of canDo of the roles that should not have it${asks}`
  )
}
