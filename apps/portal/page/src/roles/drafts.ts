/** What somebody has written and not published. It is kept by this browser alone. */
export interface Draft<T> {
  readonly value: T
  /** JSON of what was published when the draft was begun; null for something new */
  readonly base: string | null
}

/** One draft a person and thing, so that two people at one browser do not see each other's. */
export const draftName = (person: string, what: 'role' | 'flow', of: string): string =>
  `treeos-draft ${person} ${what} ${of}`

export function readDraft<T>(store: Pick<Storage, 'getItem'>, name: string): Draft<T> | null {
  const text = store.getItem(name)
  if (text === null) return null
  try {
    const draft = JSON.parse(text) as Partial<Draft<T>> | null
    if (draft === null || draft.value === undefined || draft.base === undefined) return null
    return { value: draft.value, base: draft.base }
  } catch {
    return null // not ours
  }
}

/** @param draft null forgets it */
export function saveDraft<T>(
  store: Pick<Storage, 'setItem' | 'removeItem'>,
  name: string,
  draft: Draft<T> | null,
): void {
  if (draft === null) store.removeItem(name)
  else store.setItem(name, JSON.stringify(draft))
}
