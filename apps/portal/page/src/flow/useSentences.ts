import { useEffect, useRef, useState } from 'react'
import { t } from '../language/index.ts'
import type { Side } from './drag.ts'
import { moved, type Sentence } from './sentences.ts'

/** A sentence with a key that stays its own when it moves. */
interface KeyedSentence {
  readonly id: number
  readonly sentence: Sentence
}

/**
 * The sentences of a flow as they are written, moved, added and removed, and what is told of that to those
 * who do not see it.
 */
export function useSentences(start: readonly Sentence[], onChange: (sentences: readonly Sentence[]) => void) {
  const [all, setAll] = useState<readonly KeyedSentence[]>(() =>
    start.map((sentence, id) => ({ id, sentence })),
  )
  const [told, tell] = useState('')
  const nextId = useRef(start.length)
  const list = useRef<HTMLOListElement>(null)
  const focus = useRef<{ id: number; button: string } | null>(null)
  // A browser takes the focus from an element that is moved within the page.
  useEffect(() => {
    if (focus.current === null) return
    const { id, button } = focus.current
    focus.current = null
    list.current?.querySelector<HTMLElement>(`[data-sentence="${id}"] [data-button="${button}"]`)?.focus()
  })
  const write = (next: readonly KeyedSentence[]) => {
    setAll(next)
    onChange(next.map(({ sentence }) => sentence))
  }
  const place = (at: number, to: number): boolean => {
    const next = moved(all, at, to)
    if (next === all) return false
    tell(t('Sentence {{n}} is sentence {{to}} now', { n: at + 1, to: to + 1 }))
    write(next)
    return true
  }
  const move = (at: number, step: -1 | 1) => {
    const id = all[at]?.id
    if (id !== undefined && place(at, at + step)) focus.current = { id, button: step < 0 ? 'up' : 'down' }
  }
  const drop = (dragged: number, onto: number, side: Side) => {
    const at = all.findIndex(({ id }) => id === dragged)
    place(at, onto + (side === 'below' ? 1 : 0) - (at < onto ? 1 : 0))
  }
  const add = () => {
    const id = nextId.current++
    focus.current = { id, button: 'role' }
    write([...all, { id, sentence: { tests: null, groups: [], rest: {}, role: '' } }])
  }
  const change = (id: number, sentence: Sentence) =>
    write(all.map((one) => (one.id === id ? { id, sentence } : one)))
  const remove = (at: number) => {
    tell(t('Sentence {{n}} is removed', { n: at + 1 }))
    write(all.filter((_, i) => i !== at))
  }
  return { all, told, list, change, move, drop, add, remove }
}
