import type { Json } from '@treeos/sdk'
import { z } from 'zod'

/**
 * When the panel has decided.
 * - `first`: one member has answered. A member that fails or stays silent is passed over, and the next one is
 *   asked.
 * - `majority`: more than half of all seats gave the same answer, or no answer can reach that
 * - `all`: every member was heard
 */
export const RULES = ['first', 'majority', 'all'] as const
export type Rule = (typeof RULES)[number]

/** The answer of one member; null when it gave none. */
export const hearing = z.object({ member: z.string(), answer: z.json() })
export type PanelQuestion = z.infer<typeof hearing>

/** Text is compared without case and surrounding space, objects without the order of their keys. */
const alike = (answer: Json): string =>
  JSON.stringify(answer, (_key, value: Json) => {
    if (typeof value === 'string') return value.trim().toLowerCase()
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
  })

/** The verdict of the answers so far. @returns null while it is open; a null answer if none won */
export function decide(rule: Rule, seats: number, heard: readonly PanelQuestion[]): { answer: Json } | null {
  const said = heard.filter(({ answer }) => answer !== null)
  const left = seats - heard.length
  const [first] = said
  if (rule === 'first') return first !== undefined || left === 0 ? { answer: first?.answer ?? null } : null
  const votes = (one: PanelQuestion) =>
    said.filter(({ answer }) => alike(answer) === alike(one.answer)).length
  const [top] = said.toSorted((a, b) => votes(b) - votes(a))
  const most = top === undefined ? 0 : votes(top)
  const isCarried = most * 2 > seats
  const isOver = left === 0 || (rule === 'majority' && (isCarried || (most + left) * 2 <= seats))
  return isOver ? { answer: isCarried ? top!.answer : null } : null
}
