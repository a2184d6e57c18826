import { at, type Json } from './canonical.ts'

/** Why a moment began, in one word. */
function kindOf(wake: Json): string {
  if (at(wake, 'kind') === 'act') return 'act'
  if (at(wake, 'kind') === 'summon') return (at(wake, 'inReplyTo') ?? null) === null ? 'message' : 'answer'
  const [first = '', ...rest] = String(at(wake, 'id')).split('/')
  return rest.length === 0 ? 'event' : first
}

/** The word that a flow reads: of a moment that brings a yes, that of the wake of the moment that asked. */
export function seenKind(open: Json): string {
  const kind = kindOf(at(open, 'wake') ?? null)
  return kind === 'approved' ? String(at(open, 'asKind')) : kind
}

/** The role that counts as asked for: none does where words from outside could have asked. */
export const askedIn = (open: Json): string | null =>
  at(open, 'outside') === true ? null : ((at(open, 'asked') as string | null | undefined) ?? null)
