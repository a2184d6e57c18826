import type { Json } from '@treeos/sdk'
import { z } from 'zod'

/**
 * When the panel has decided.
 * - `first`: as soon as one member has answered; who fails or stays silent is passed over, and the next one asked
 * - `majority`: as soon as more than half of all seats have answered alike, or no answer can get there any more
 * - `all`: when everyone was heard
 */
export const RULES = ['first', 'majority', 'all'] as const
export type Rule = (typeof RULES)[number]

/** What one member came to; a null answer is none. */
export const hearing = z.object({ member: z.string(), answer: z.json() })
export type Hearing = z.infer<typeof hearing>

/** Texts are alike whatever their case and the space around them, objects whatever the order of their keys. */
const alike = (answer: Json): string =>
  JSON.stringify(answer, (_key, value: Json) => {
    if (typeof value === 'string') return value.trim().toLowerCase()
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
  })

/** What was heard so far comes to. @returns null while it is open; a null answer when none was carried */
export function decide(rule: Rule, seats: number, heard: readonly Hearing[]): { answer: Json } | null {
  const said = heard.filter(({ answer }) => answer !== null)
  const left = seats - heard.length
  const [first] = said
  if (rule === 'first') return first !== undefined || left === 0 ? { answer: first?.answer ?? null } : null
  const votes = (one: Hearing) => said.filter(({ answer }) => alike(answer) === alike(one.answer)).length
  const [top] = said.toSorted((a, b) => votes(b) - votes(a))
  const most = top === undefined ? 0 : votes(top)
  const isCarried = most * 2 > seats
  const isOver = left === 0 || (rule === 'majority' && (isCarried || (most + left) * 2 <= seats))
  return isOver ? { answer: isCarried ? top!.answer : null } : null
}
