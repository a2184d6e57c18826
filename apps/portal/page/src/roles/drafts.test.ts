import { describe, expect, it } from 'vitest'
import { draftName, readDraft, saveDraft } from './drafts.ts'

function memory() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  }
}

describe('drafts', () => {
  it('are kept until they are forgotten, each by person and thing', () => {
    const store = memory()
    const [ann, bob] = [draftName('@ann', 'flow', '@ann'), draftName('@bob', 'flow', '@ann')]
    saveDraft(store, ann, { value: [{ role: 'x' }], base: '[]' })
    expect(readDraft(store, ann)).toEqual({ value: [{ role: 'x' }], base: '[]' })
    expect(readDraft(store, bob)).toBeNull()
    saveDraft(store, ann, null)
    expect(readDraft(store, ann)).toBeNull()
  })

  it.each(['', 'x', 'null', '{}', '{"value":1}', '7'])('%j is not a draft', (text) => {
    const store = memory()
    store.setItem('draft', text)
    expect(readDraft(store, 'draft')).toBeNull()
  })
})
