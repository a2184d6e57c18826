import { isJsonObject, type Json, type JsonObject, quote } from '@treeos/core'
import { TALLY_KEPT } from '../rows/tallies.ts'

/** What has to be the same of an act for it to count. */
const SAMES = ['being', 'person', 'target'] as const
export type CountKey = (typeof SAMES)[number]

/**
 * A bound over the record: of acts under the rule that has it, or with `after` of another act. As it stands
 * in a rule, one of
 *
 * - `{"after": {VERB: KEY}}`: such an act has to be there
 * - `{"most": n}`: so many acts, this one included
 * - `{"sum": ARGUMENT, "most": n}`: the sum of this argument over these acts, this one included
 * - `{"each": ARGUMENT, "most": n}`: the argument of this act alone
 *
 * The first three may have `per`, what has to be the same (`being`, `person`, `target`), and `within`,
 * seconds: older acts do not count.
 * @see docs/approvals.md, "Counts"
 */
export interface RuleCount {
  readonly after: { readonly verb: string; readonly key: string } | null
  readonly sum: string | null
  readonly each: string | null
  /** no bound for `after` */
  readonly most: number
  readonly per: readonly CountKey[]
  /** null: all acts count, however old */
  readonly withinSeconds: number | null
}

const BOUNDS = { countsMax: 8, withinSecondsMax: 366 * 86_400 } as const
const ARGUMENT = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const FORMS = ['after', 'sum', 'each', 'most'] as const
const COUNTED_VERBS = ['do', 'be', 'summon']

const RIGHT =
  'a count is {"after": {"do": action}}, {"most": n}, {"sum": argument, "most": n} or {"each": argument, "most": n}; ' +
  'all but the last may have "per": ["being", "person", "target"] and "within": seconds'

/** @param value well-formed: {@link faultOfCounts} has no fault of it */
export function readCount(value: JsonObject): RuleCount {
  const { after, sum = null, each = null, most = Number.POSITIVE_INFINITY, per = [], within = null } = value
  const [[verb, key] = [null, null]] = isJsonObject(after) ? Object.entries(after) : []
  return {
    after: verb === null ? null : { verb, key: String(key) },
    sum: sum as string | null,
    each: each as string | null,
    most: most as number,
    per: per as CountKey[],
    withinSeconds: within as number | null,
  }
}

type CountFault = { readonly at: string; readonly message: string }

/**
 * What is wrong with a list of counts, and where in it; null when nothing is.
 * @param verb whose rules they are; null for any
 */
export function faultOfCounts(value: Json, verb: string | null = null): CountFault | null {
  if (verb === 'see') return { at: '', message: 'looks leave nothing that could be counted' }
  if (!Array.isArray(value) || value.length === 0 || value.length > BOUNDS.countsMax)
    return { at: '', message: `${quote(value)} is not a list of 1 to ${BOUNDS.countsMax} counts: ${RIGHT}` }
  for (const [i, count] of value.entries()) {
    const fault = faultOfCount(count, verb)
    if (fault !== null) return { at: `[${i}]${fault.at}`, message: fault.message }
  }
  return null
}

function faultOfCount(value: Json, verb: string | null): CountFault | null {
  if (!isJsonObject(value)) return { at: '', message: `${quote(value)} is not a count: ${RIGHT}` }
  const form = FORMS.find((name) => Object.hasOwn(value, name))
  if (form === undefined) return { at: '', message: `${quote(value)} counts nothing: ${RIGHT}` }
  const may = [form, ...(form === 'after' ? [] : ['most']), ...(form === 'each' ? [] : ['per', 'within'])]
  const unknown = Object.keys(value).find((name) => !may.includes(name))
  if (unknown !== undefined)
    return { at: `.${unknown}`, message: `a count by ${form} has no field ${quote(unknown)}: ${RIGHT}` }
  const { after, most, per = [], within } = value
  if (form === 'after') {
    const [[of, key] = ['', null], ...more] = isJsonObject(after) ? Object.entries(after) : []
    if (!COUNTED_VERBS.includes(of) || more.length > 0 || typeof key !== 'string' || key === '')
      return { at: '.after', message: `${quote(after ?? null)} names no act: ${RIGHT}` }
  } else {
    const isFit = form === 'most' ? isWhole(most, TALLY_KEPT) : isAmount(most)
    if (!isFit) return { at: '.most', message: `${quote(most ?? null)} is not a bound: ${RIGHT}` }
  }
  if (form === 'sum' || form === 'each') {
    const name = value[form]
    if (typeof name !== 'string' || !ARGUMENT.test(name) || verb === 'summon')
      return {
        at: `.${form}`,
        message: `${quote(name ?? null)} is not an argument: do and be have some. ${RIGHT}`,
      }
  }
  if (!Array.isArray(per) || new Set(per).size < per.length || !per.every(isCountKey))
    return { at: '.per', message: `${quote(per)} is not what can be the same: ${RIGHT}` }
  if (within !== undefined && !isWhole(within, BOUNDS.withinSecondsMax))
    return { at: '.within', message: `${quote(within)}: ${RIGHT}` }
  return null
}

const isCountKey = (value: Json): boolean => SAMES.some((same) => same === value)

const isWhole = (value: Json | undefined, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max

/** What can be summed: a number from 0 on. Smaller ones would make room again. */
export const isAmount = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
