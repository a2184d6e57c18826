import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../api/queries.ts'
import { orderedJson } from '../text/ordered-json.ts'
import { type Draft, draftName, readDraft, saveDraft } from './drafts.ts'

export interface DraftState<T> {
  readonly value: T
  /** there is something that is not published */
  readonly isDraft: boolean
  /** somebody else published something since the draft was begun */
  readonly isOvertaken: boolean
  write(value: T): void
  /** goes back to what is published */
  drop(): void
}

/**
 * Keeps what is written in this browser until it is published.
 * @param published what is in force; null for something new
 */
export function useDraft<T>(what: 'role' | 'flow', of: string, published: T | null, empty: T): DraftState<T> {
  const { data: session } = useQuery(sessionQuery)
  const name = draftName(session?.stance ?? '', what, of)
  const [draft, setDraft] = useState<Draft<T> | null>(() => readDraft<T>(localStorage, name))
  const base = published === null ? null : orderedJson(published)
  const put = (next: Draft<T> | null) => {
    saveDraft(localStorage, name, next)
    setDraft(next)
  }
  return {
    value: draft?.value ?? published ?? empty,
    isDraft: draft !== null,
    isOvertaken: draft !== null && draft.base !== base,
    write(value) {
      const isSame = orderedJson(value) === base
      put(isSame ? null : { value, base: draft === null ? base : draft.base })
    },
    drop: () => put(null),
  }
}
