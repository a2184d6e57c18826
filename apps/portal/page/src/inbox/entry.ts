import type { InboxView } from '@treeos/client'

export type InboxEntry = Omit<InboxView, 'content'> & { readonly content: unknown }

/** The being that a notice tells of. */
const aboutOf = (content: unknown): string | null =>
  typeof content === 'object' && content !== null && 'actor' in content && typeof content.actor === 'string'
    ? content.actor
    : null

/** A being that waits for approval at a limit, and the being whose limit it is. */
export function parkedIn(content: unknown): { readonly being: string; readonly of: string } | null {
  const { event, budget } = (content ?? {}) as { event?: unknown; budget?: { of?: unknown } }
  const being = aboutOf(content)
  if (event !== 'parked' || being === null || typeof budget?.of !== 'string') return null
  return { being: being.slice(1), of: budget.of.slice(1) }
}
