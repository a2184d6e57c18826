import { TreeosError } from './error.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { type BeingName, quote, stanceOf } from './names.ts'
import type { Verb } from './stack.ts'

/**
 * Why a gate refuses a call, or which name nothing has. It is stored in this form; {@link refusalSentence}
 * says it in words.
 */
export type RefusalFields =
  /** a list of the roles does not hold the target */
  | {
      readonly of: 'list'
      readonly list: string
      readonly target: string
      /** of the list, at most {@link ENTRIES_MAX} */
      readonly entries: readonly Json[]
      /** how many the list holds */
      readonly count: number
    }
  /** the ceiling of a being does not hold it */
  | { readonly of: 'ceiling'; readonly being: BeingName; readonly list: string; readonly target: string }
  /** the operation's own rule: whoever calls has none of these standings to the target */
  | {
      readonly of: 'standing'
      readonly verb: Verb
      readonly key: string
      readonly standings: readonly string[]
    }
  /** a rule at this address */
  | ({ readonly of: 'rule'; readonly by: string } & RuleRefusal)
  | UnknownName

/** What a rule says against a call. */
export type RuleRefusal =
  /** its moment holds words from outside */
  | { readonly says: 'outside' }
  | { readonly says: 'forbids'; readonly standing: string; readonly actor: BeingName }
  /** it takes one of these standings; without any it permits nobody */
  | { readonly says: 'takes'; readonly standings: readonly string[]; readonly actor: BeingName }
  /** a count does not hold; `why` is in words */
  | { readonly says: 'count'; readonly why: string }
  /** it asks persons, and nobody is asked before a look */
  | { readonly says: 'look' }
  /** it asks these, and whoever calls cannot ask in this way */
  | { readonly says: 'asks'; readonly who: readonly string[]; readonly actor: BeingName }

/** A name that nothing has. */
export interface UnknownName {
  readonly of: 'being' | 'role'
  readonly name: string
  /** left out where the call names it; `rule`: a rule that is set would ask it */
  readonly namedBy?: 'rule'
}

/** So many entries of a list are told. */
const ENTRIES_MAX = 12
/** Longer targets are shortened in sentences. */
const NAMED_CHARS_MAX = 80

/** The refusal of a list with these entries. */
export const unlisted = (list: string, target: string, entries: readonly Json[]): RefusalFields => ({
  ...{ of: 'list', list, target },
  entries: entries.slice(0, ENTRIES_MAX),
  count: entries.length,
})

/** The one sentence for a refusal. */
export function refusalSentence(refusal: RefusalFields): string {
  switch (refusal.of) {
    case 'list':
      return `${shortenedTarget(refusal.target)} is not in ${refusal.list} (${entriesOf(refusal)})`
    case 'ceiling':
      return `${shortenedTarget(refusal.target)} is above the ceiling of ${stanceOf(refusal.being)} in ${refusal.list}`
    case 'standing':
      return `not granted: ${refusal.verb} ${refusal.key} needs ${refusal.standings.join(' or ')} of the target`
    case 'rule':
      return ruleSentence(refusal)
    case 'being':
      return refusal.namedBy === 'rule'
        ? `a rule asks ${stanceOf(refusal.name)}, and no such being lives in this reality`
        : `no being ${stanceOf(refusal.name)} lives in this reality`
    case 'role':
      return `role ${JSON.stringify(refusal.name)} is not registered`
  }
}

function ruleSentence(refusal: Extract<RefusalFields, { of: 'rule' }>): string {
  const { by } = refusal
  switch (refusal.says) {
    case 'outside':
      return `forbidden by ${by}: this moment holds words from outside`
    case 'forbids':
      return `forbidden by ${by}: it forbids ${refusal.standing}, as ${stanceOf(refusal.actor)} is`
    case 'takes': {
      const { standings, actor } = refusal
      const wanted = standings.length === 0 ? 'it permits nobody' : `it takes ${standings.join(' or ')}`
      return `not granted by ${by}: ${wanted}, not ${stanceOf(actor)}`
    }
    case 'count':
      return `not granted by ${by}: ${refusal.why}`
    case 'look':
      return `not granted by ${by}: nobody is asked before a look`
    case 'asks':
      return `not granted yet: ${by} asks ${refusal.who.join(' or ')} about it, and ${stanceOf(refusal.actor)} cannot ask in this way`
  }
}

export const shortenedTarget = (target: string): string =>
  target.length > NAMED_CHARS_MAX ? quote(target) : target

function entriesOf({ entries, count }: Extract<RefusalFields, { of: 'list' }>): string {
  if (count === 0) return 'which is empty'
  const names = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).join(', ')
  return count > entries.length ? `${names}, … ${count} in all` : names
}

/** The fields of a refusal, which its error has in `detail`; null for an error without them. */
export function refusalIn({ detail }: Pick<TreeosError, 'detail'>): RefusalFields | null {
  const refusal = isJsonObject(detail) ? detail.refusal : undefined
  return isJsonObject(refusal) ? (refusal as unknown as RefusalFields) : null
}

/** With these fields in the detail of an error. */
export const withRefusal = (detail: JsonObject, refusal: RefusalFields): JsonObject => ({
  ...detail,
  refusal: refusal as unknown as JsonObject,
})

export const unknownBeing = (name: BeingName, namedBy?: 'rule'): TreeosError =>
  unknownName('BEING_NOT_FOUND', { of: 'being', name, ...(namedBy === undefined ? {} : { namedBy }) })

export const unknownRole = (name: string): TreeosError =>
  unknownName('ROLE_UNAVAILABLE', { of: 'role', name })

const unknownName = (code: TreeosError['code'], unknown: UnknownName): TreeosError =>
  new TreeosError(code, refusalSentence(unknown), withRefusal({}, unknown))

/** The name that a refusal says nothing has; null for any other. */
export function unknownNameIn(error: Pick<TreeosError, 'detail'>): UnknownName | null {
  const refusal = refusalIn(error)
  return refusal !== null && (refusal.of === 'being' || refusal.of === 'role') ? refusal : null
}
