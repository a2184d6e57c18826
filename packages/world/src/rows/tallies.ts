import { fromJson, type JsonObject, type ReelId, type SpacePath } from '@treeos/core'
import type { TallyRow } from './rows.ts'

/** Acts that are kept one by one: no more can be told from one another by when they were. */
export const TALLY_KEPT = 1000

/** The acts that a count of a rule counts together. */
export interface TallyOf {
  /** the space that has the rule */
  readonly place: SpacePath
  readonly verb: string
  /** the key of the rule, or of the act that has to come before */
  readonly name: string
  /** the being whose acts they are, with those of its offspring; null for acts of anybody */
  readonly being: string | null
  /**
   * the eldest being below the operator whose acts they are, with those of its whole offspring; null likewise
   */
  readonly person: string | null
  /** stance, path or address of what they are done to; null for anything */
  readonly target: string | null
}

/** Key and reel of the row that counts them. */
export const tallyKey = ({ place, verb, name, being, person, target }: TallyOf) =>
  `tally:${place} ${verb}.${name}${being === null ? '' : ` by @${being}`}${person === null ? '' : ` of @${person}`}${target === null ? '' : ` to ${target}`}` as const

/** Kind of the fact of an act that is counted. */
export const COUNTED_KIND = 'tally:counted'

/** The fact of an act that is counted. @param amounts arguments that rules sum */
export const countedFact = (reel: ReelId, amounts: Readonly<Record<string, number>>) => ({
  reel,
  kind: COUNTED_KIND,
  payload: { amounts: { ...amounts } },
})

/** An argument may be called like something that every object inherits. */
export const amountOf = (amounts: Readonly<Record<string, number>>, name: string): number =>
  Object.hasOwn(amounts, name) ? (amounts[name] ?? 0) : 0

const NONE: TallyRow = { total: 0, sums: {}, recent: [], droppedAt: null, doneAt: null }

/** A value that is not an amount does not count. */
const isAmount = (amount: unknown): boolean => typeof amount === 'number' && amount >= 0

/**
 * One act more. One that failed may have happened outside all the same: it counts, and does not come before
 * another.
 */
export function counted(
  { payload, at }: { readonly payload: JsonObject; readonly at: number },
  old: TallyRow | null,
): TallyRow {
  const { total, sums, recent, droppedAt, doneAt } = old ?? NONE
  const told = fromJson<{ amounts?: Readonly<Record<string, number>>; failed?: boolean }>(payload)
  const amounts = Object.fromEntries(Object.entries(told.amounts ?? {}).filter(([, one]) => isAmount(one)))
  const now = { ...sums }
  for (const [name, amount] of Object.entries(amounts)) now[name] = amountOf(now, name) + amount
  const all = [...recent, { at, amounts }]
  const dropped = all.length > TALLY_KEPT ? all.shift() : undefined
  return {
    total: total + 1,
    sums: now,
    recent: all,
    droppedAt: dropped === undefined ? droppedAt : Math.max(dropped.at, droppedAt ?? dropped.at),
    doneAt: told.failed === true ? doneAt : Math.max(at, doneAt ?? at),
  }
}
