import { useEffect, useRef, useState } from 'react'

/** How long something can be undone before it is done. */
const UNDO_MS = 6_000

/**
 * Holds back what a person did, for as long as it can be undone.
 * @param act does it
 * @param onChange hears what is held back, or null
 */
export class HeldBack<T> {
  readonly #act: (what: T) => void
  readonly #onChange: (held: T | null) => void
  #held: { readonly what: T; readonly timer: ReturnType<typeof setTimeout> } | null = null

  constructor(act: (what: T) => void, onChange: (held: T | null) => void) {
    this.#act = act
    this.#onChange = onChange
  }

  /** Of two that follow each other, the first is done at once. */
  hold(what: T): void {
    this.flush()
    this.#held = { what, timer: setTimeout(() => this.flush(), UNDO_MS) }
    this.#onChange(what)
  }

  undo(): void {
    this.#drop()
  }

  /** Does at once what is held back. */
  flush(): void {
    const what = this.#drop()
    if (what !== null) this.#act(what)
  }

  #drop(): T | null {
    if (this.#held === null) return null
    const { what, timer } = this.#held
    clearTimeout(timer)
    this.#held = null
    this.#onChange(null)
    return what
  }
}

/** The same in a component. When that or the page goes, what is held back is done: a person who left did not undo it. */
export function useHeldBack<T>(act: (what: T) => void) {
  const [held, setHeld] = useState<T | null>(null)
  const latest = useRef(act)
  latest.current = act
  const [back] = useState(() => new HeldBack<T>((what) => latest.current(what), setHeld))
  useEffect(() => {
    const flush = () => back.flush()
    addEventListener('pagehide', flush)
    return () => {
      removeEventListener('pagehide', flush)
      flush()
    }
  }, [back])
  return { held, hold: (what: T) => back.hold(what), undo: () => back.undo() }
}
