import { isArray, isObject, type Json } from '../canonical.ts'

/** What a rule asks, after reading. */
export interface Ask {
  readonly who: readonly string[]
  readonly count: number
  readonly withinSeconds: number
}

/** A rule that asks about a call. */
export interface PlacedAsk {
  readonly ask: Ask
  /** address of the rule */
  readonly by: string
  /** the space that has it */
  readonly place: string
}

const WORDS = ['operator', 'owner', 'contributor', 'parent']
const STANCE = /^@[a-z][a-z0-9-]{0,31}$/
const DAY_SECONDS = 86_400

const isWhole = (value: Json, max: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max

/** @returns null for one that is malformed */
export function readAsk(value: Json): Ask | null {
  if (!isObject(value)) return null
  const { who, count = 1, within = DAY_SECONDS, else: otherwise = 'refuse', ...unknown } = value
  const isWho =
    isArray(who) &&
    who.length >= 1 &&
    who.length <= 16 &&
    who.every((one) => typeof one === 'string' && (WORDS.includes(one) || STANCE.test(one)))
  const isRest = isWhole(count, 5) && isWhole(within, 30 * DAY_SECONDS) && otherwise === 'refuse'
  if (!isWho || !isRest || Object.keys(unknown).length > 0) return null
  return { who: [...new Set(who as string[])], count, withinSeconds: within }
}
