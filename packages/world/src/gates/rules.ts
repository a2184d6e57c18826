import {
  canonicalJson,
  isJsonObject,
  isRoleName,
  isSameJson,
  type Json,
  type JsonObject,
  quote,
  type RoleName,
  TreeosError,
} from '@treeos/core'
import type { SHADOW } from '../rows/qualities.ts'
import { askJson, faultOfAsk, type RuleAsk, readAsk } from './ask.ts'
import { faultOfCounts } from './count.ts'

/** What the actor can be to the target. A rule names some of them. */
export const STANDINGS = [
  'anyone',
  'self',
  'parent',
  'ancestor',
  'owner',
  'contributor',
  'home',
  'operator',
] as const
export type RuleStanding = (typeof STANDINGS)[number]

/** A standing, or the default role that the actor was born with. */
export type RuleProperty = RuleStanding | { readonly role: RoleName }

/** A rule of a space, after reading. */
export interface Rule {
  /** whom it permits; null when it only forbids */
  readonly requires: readonly RuleProperty[] | null
  readonly forbid: readonly RuleProperty[]
  /** what it asks of persons before a call that is permitted; left out when nothing */
  readonly ask?: RuleAsk
  /**
   * counts beyond which it asks, as they are written: where all of them hold, nobody is asked; left out: it
   * always asks
   */
  readonly beyond?: readonly JsonObject[]
  /** counts that an act has to keep, as they are written; left out for none */
  readonly counts?: readonly JsonObject[]
  /** what holds besides in a moment with words from outside; left out when nothing */
  readonly outside?: OutsideRule
}

/** It forbids, or asks. It never permits, so such words open nothing. */
export type OutsideRule = 'forbid' | { readonly ask: RuleAsk }

const NOBODY: Rule = { requires: [], forbid: [] }
const LISTS = ['requires', 'forbid'] as const

const isProperty = (value: Json): value is RuleProperty =>
  typeof value === 'string'
    ? STANDINGS.includes(value as RuleStanding)
    : isJsonObject(value) && Object.keys(value).length === 1 && isRoleName(value.role)

/**
 * Reads a rule from a row: `true`, `false`, or `{requires?: [property, …], forbid?: [property, …], ask?: {…},
 * counts?: [count, …], outside?: …}`. It never throws. Any other value, and any rule with a malformed
 * `forbid`, `ask`, count or `outside`, permits nobody and forbids nobody, like `false`. An unknown property
 * in `requires` permits nobody; the other properties still count.
 */
export function readRule(value: Json | undefined): Rule {
  if (value === true) return { requires: ['anyone'], forbid: [] }
  if (!isJsonObject(value)) return NOBODY
  const { requires, forbid = [], ask: asked, counts, outside: otherwise, ...unknown } = value
  if (Object.keys(unknown).length > 0 || Object.keys(value).length === 0) return NOBODY
  if (!Array.isArray(forbid) || !forbid.every(isProperty)) return NOBODY
  const { beyond, ...plain } = isJsonObject(asked) ? asked : {}
  const ask = asked === undefined ? undefined : readAsk(isJsonObject(asked) ? plain : asked)
  const outside = otherwise === undefined ? undefined : readOutside(otherwise)
  if (ask === null || outside === null) return NOBODY
  if ([counts, beyond].some((list) => list !== undefined && faultOfCounts(list) !== null)) return NOBODY
  const rest = {
    forbid,
    ...(ask === undefined ? {} : { ask }),
    ...(beyond === undefined ? {} : { beyond: beyond as JsonObject[] }),
    ...(counts === undefined ? {} : { counts: counts as JsonObject[] }),
    ...(outside === undefined ? {} : { outside }),
  }
  if (requires === undefined) return { requires: null, ...rest }
  return Array.isArray(requires) ? { requires: requires.filter(isProperty), ...rest } : NOBODY
}

/** @returns null for what is malformed */
function readOutside(value: Json): OutsideRule | null {
  if (value === 'forbid') return value
  if (!isJsonObject(value) || Object.keys(value).join() !== 'ask') return null
  const ask = readAsk(value.ask ?? null)
  return ask === null ? null : { ask }
}

/** The rule as it is written; undefined for one that says nothing. */
export function ruleJson({
  requires,
  forbid,
  ask,
  beyond,
  counts,
  outside,
  ...none
}: Rule): Json | undefined {
  none satisfies Record<string, never> // a new field of a rule belongs here
  const written = {
    ...(requires === null ? {} : { requires }),
    ...(forbid.length === 0 ? {} : { forbid }),
    ...(ask === undefined ? {} : { ask: { ...askJson(ask), ...(beyond === undefined ? {} : { beyond }) } }),
    ...(counts === undefined ? {} : { counts }),
    ...(outside === undefined
      ? {}
      : { outside: outside === 'forbid' ? outside : { ask: askJson(outside.ask) } }),
  }
  return Object.keys(written).length === 0 ? undefined : (written as unknown as Json)
}

/** The stances that rules of a space ask, of all verbs. */
export function askedStances(permissions: Json): ReadonlySet<string> {
  const rules = isJsonObject(permissions) ? Object.values(permissions).filter((one) => isJsonObject(one)) : []
  const asks = rules
    .flatMap((one) => Object.values(one))
    .flatMap((rule) => {
      const { ask, outside } = readRule(rule)
      return [ask ?? [], typeof outside === 'object' ? outside.ask : []].flat()
    })
  return new Set(asks.flatMap(({ who }) => who.filter((one) => one.startsWith('@'))))
}

/** What is wrong with a rule, and where in it; null when nothing is. */
function faultOfRule(verb: string, rule: Json): { at: string; message: string } | null {
  const right =
    'true, false, {"requires": [property, …]}, {"forbid": [property, …]}, {"ask": {…}}, {"counts": [count, …]}, {"outside": "forbid" or {"ask": {…}}} or several of them; a property is ' +
    `${STANDINGS.join(', ')} or {"role": name}`
  if (typeof rule === 'boolean') return null
  if (!isJsonObject(rule) || Object.keys(rule).length === 0)
    return { at: '', message: `${quote(rule)} is not a rule: a rule is ${right}` }
  for (const [name, list] of Object.entries(rule)) {
    if (name === 'ask') {
      const fault = faultOfPlacedAsk(verb, list)
      if (fault !== null) return { at: `.ask${fault.at}`, message: fault.message }
      continue
    }
    if (name === 'counts') {
      const fault = faultOfCounts(list, verb)
      if (fault !== null) return { at: `.counts${fault.at}`, message: fault.message }
      continue
    }
    if (name === 'outside') {
      const fault = faultOfOutside(verb, list)
      if (fault !== null) return fault
      continue
    }
    if (!LISTS.some((known) => known === name))
      return { at: `.${name}`, message: `a rule has no field ${quote(name)}: it is ${right}` }
    if (!Array.isArray(list) || list.length === 0)
      return {
        at: `.${name}`,
        message: `${quote(list)} is not a list of one property or more: a rule is ${right}`,
      }
    const wrong = list.findIndex((item) => !isProperty(item))
    if (wrong >= 0)
      return {
        at: `.${name}[${wrong}]`,
        message: `${quote(list[wrong])} is not a property: a rule is ${right}`,
      }
  }
  return null
}

/** An ask of a rule may say beyond which counts it asks. */
function faultOfPlacedAsk(verb: string, ask: Json): { at: string; message: string } | null {
  if (verb === 'see') return { at: '', message: 'nobody is asked before a look' }
  if (!isJsonObject(ask) || ask.beyond === undefined) return faultOfAsk(ask)
  const { beyond, ...plain } = ask
  const fault = faultOfCounts(beyond, verb)
  return fault === null ? faultOfAsk(plain) : { at: `.beyond${fault.at}`, message: fault.message }
}

function faultOfOutside(verb: string, value: Json): { at: string; message: string } | null {
  if (verb === 'see')
    return {
      at: '.outside',
      message: 'whether a moment holds words from outside is not known before it looks',
    }
  if (value === 'forbid') return null
  if (!isJsonObject(value) || Object.keys(value).join() !== 'ask')
    return { at: '.outside', message: `${quote(value)} is neither "forbid" nor {"ask": {…}}` }
  const fault = faultOfAsk(value.ask ?? null)
  return fault === null ? null : { at: `.outside.ask${fault.at}`, message: fault.message }
}

/** The form of a key for each verb, without a `*` at its end. */
const KEYS: Readonly<Record<string, { readonly form: RegExp; readonly right: string }>> = {
  see: { form: /^(\/|@|matter:|thread:)/, right: 'an address, as in /library or @librarian' },
  do: { form: /^[a-z][a-z0-9:-]*$/, right: 'an operation, as in take or court:rule' },
  summon: { form: /^@/, right: 'a stance, as in @librarian' },
  be: { form: /^[a-z][a-z0-9:-]*$/, right: 'an operation, as in birth' },
}

/** The rules that a write would set or change, by verb and key. */
export function changedRules(
  before: Json | undefined,
  after: Json | undefined,
): [verb: string, key: string][] {
  if (!isJsonObject(after)) return []
  return Object.entries(after).flatMap(([verb, rules]) => {
    const old = isJsonObject(before) && Object.hasOwn(before, verb) ? before[verb] : undefined
    return Object.entries(isJsonObject(rules) ? rules : {}).flatMap(([key, rule]): [string, string][] => {
      const stood = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined
      return stood !== undefined && isSameJson(stood, rule ?? null) ? [] : [[verb, key]]
    })
  })
}

/**
 * Checks the rules of a space, or its dry-run rules, as a write would leave them. Rules that the write does
 * not change are not checked, so that one old fault does not lock all other rules.
 * @throws {TreeosError} INVALID_INPUT naming the path of the fault and what would be right
 */
export function requireRules(
  before: Json | undefined,
  after: Json | undefined,
  of: 'permissions' | typeof SHADOW = 'permissions',
): void {
  if (after === undefined) return
  const fault = (at: string, message: string) =>
    new TreeosError('INVALID_INPUT', `set-space: ${of}${at}: ${message}`)
  if (!isJsonObject(after))
    throw fault(
      '',
      `${quote(after)} is not a set of rules: it takes {verb: {key: rule}}, with see, do, summon or be`,
    )
  for (const [verb, rules] of Object.entries(after)) {
    const old = isJsonObject(before) && Object.hasOwn(before, verb) ? before[verb] : undefined
    if (old !== undefined && canonicalJson(old) === canonicalJson(rules)) continue
    const known = Object.hasOwn(KEYS, verb) ? KEYS[verb] : undefined
    if (known === undefined)
      throw fault(`.${verb}`, `${quote(verb)} is not a verb: there is see, do, summon and be`)
    if (verb === 'see' && of === 'shadow')
      throw fault('.see', 'rules of looks have no dry run: a look says nothing of what decided it')
    if (!isJsonObject(rules))
      throw fault(`.${verb}`, `${quote(rules)} is not a set of rules: it takes {key: rule}`)
    for (const [key, rule] of Object.entries(rules)) {
      const stood = isJsonObject(old) && Object.hasOwn(old, key) ? old[key] : undefined
      if (stood !== undefined && canonicalJson(stood) === canonicalJson(rule)) continue
      const begins = key.endsWith('*') ? key.slice(0, -1) : key
      if (key !== '*' && !known.form.test(begins))
        throw fault(
          `.${verb}.${key}`,
          `the key ${quote(key)} fits nothing: it takes ${known.right}, a beginning of one with * behind, or *`,
        )
      const found = faultOfRule(verb, rule)
      if (found !== null) throw fault(`.${verb}.${key}${found.at}`, found.message)
    }
  }
}
