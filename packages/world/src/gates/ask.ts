import { isBeingName, isJsonObject, type Json, type JsonObject, quote } from '@treeos/core'

/**
 * Whom a rule can name as who is asked, besides a stance: of the space of the target, and of the being that
 * acts.
 */
export const ASKED = ['operator', 'owner', 'contributor', 'parent'] as const
export type AskedWord = (typeof ASKED)[number]

/** What a rule asks before a call that it permits: the yes of persons. */
export interface RuleAsk {
  /** words of {@link ASKED}, and stances */
  readonly who: readonly (AskedWord | `@${string}`)[]
  /** how many of them have to say yes */
  readonly count: number
  /** how long they have for it, and how long their yes lasts then */
  readonly withinSeconds: number
}

const DAY_SECONDS = 86_400
const BOUNDS = { countMax: 5, withinSecondsMax: 30 * DAY_SECONDS, whoMax: 16 } as const
const FIELDS = ['who', 'count', 'within', 'else']

const isWho = (value: Json): value is RuleAsk['who'][number] =>
  typeof value === 'string' &&
  (ASKED.some((word) => word === value) || (value.startsWith('@') && isBeingName(value.slice(1))))

const isWithin = (value: Json, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max

/** Reads what a rule asks. @returns null for what is malformed */
export function readAsk(value: Json): RuleAsk | null {
  if (faultOfAsk(value) !== null) return null
  const { who, count = 1, within = DAY_SECONDS } = value as JsonObject
  return {
    who: [...new Set(who as RuleAsk['who'])],
    count: count as number,
    withinSeconds: within as number,
  }
}

/** The rule's own words for it. */
export const askJson = ({ who, count, withinSeconds }: RuleAsk): JsonObject => ({
  who: [...who],
  ...(count === 1 ? {} : { count }),
  within: withinSeconds,
})

/** What is wrong with it, and where in it; null when nothing is. */
export function faultOfAsk(value: Json): { at: string; message: string } | null {
  const right =
    'an ask is {"who": [whom, …], "count"?, "within"?, "else"?}; whom is a stance, ' +
    `${ASKED.join(', ')}; count is 1 to ${BOUNDS.countMax}, within 1 to ${BOUNDS.withinSecondsMax} seconds, else "refuse"`
  if (!isJsonObject(value)) return { at: '', message: `${quote(value)} asks nobody: ${right}` }
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined)
    return { at: `.${unknown}`, message: `an ask has no field ${quote(unknown)}: ${right}` }
  const { who, count = 1, within = 1, else: otherwise = 'refuse' } = value
  if (!Array.isArray(who) || who.length === 0 || who.length > BOUNDS.whoMax)
    return { at: '.who', message: `${quote(who)} is not a list of 1 to ${BOUNDS.whoMax}: ${right}` }
  const wrong = who.findIndex((item) => !isWho(item))
  if (wrong >= 0) return { at: `.who[${wrong}]`, message: `${quote(who[wrong])} is nobody to ask: ${right}` }
  if (!isWithin(count, BOUNDS.countMax)) return { at: '.count', message: `${quote(count)}: ${right}` }
  if (!isWithin(within, BOUNDS.withinSecondsMax))
    return { at: '.within', message: `${quote(within)}: ${right}` }
  return otherwise === 'refuse' ? null : { at: '.else', message: `${quote(otherwise)}: ${right}` }
}
