import { type ReactNode, useEffect, useRef } from 'react'

/** So near the end it stays at the end. */
const NEAR_PX = 80

interface ScrollBoxProps {
  readonly label: string
  /** for what scrolls it from beside */
  readonly id?: string
  readonly children: ReactNode
}

/**
 * A box that stays at its newest line, unless one has scrolled up in it. Who does not see it is told of new
 * lines.
 */
export function ScrollBox({ label, id, children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const [outer, content] = [box.current, inner.current]
    if (outer === null || content === null) return
    let isAtEnd = true
    const toEnd = () => {
      if (isAtEnd) outer.scrollTop = outer.scrollHeight
    }
    const look = () => {
      isAtEnd = outer.scrollHeight - outer.scrollTop - outer.clientHeight < NEAR_PX
    }
    const observer = new ResizeObserver(toEnd)
    observer.observe(content)
    outer.addEventListener('scroll', look, { passive: true })
    toEnd()
    return () => {
      observer.disconnect()
      outer.removeEventListener('scroll', look)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it is reached by keys
    <section ref={box} id={id} className="talk-lines" aria-label={label} tabIndex={0}>
      <div ref={inner} role="log" aria-label={label}>
        {children}
      </div>
    </section>
  )
}
