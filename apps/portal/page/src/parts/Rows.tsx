import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'

/** Shorter lists are drawn whole, so that the search of the browser finds all of them. */
const WHOLE_MAX = 60
const ENDING = 10

interface RowsProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string | number
  /** height of a row in px, about */
  readonly height: number
  /** the end of the list comes into view: more may be asked for */
  readonly onEnd?: (() => void) | undefined
  /** a row, of the class `row` */
  readonly children: (item: T) => ReactNode
}

/** A list of any length. Only the rows in view are drawn, and some beside them. */
export function Rows<T>(props: RowsProps<T>) {
  const { label, items, keyOf, children } = props
  if (items.length > WHOLE_MAX) return <ManyRows {...props} />
  return (
    <ul className="list" aria-label={label}>
      {items.map((item) => (
        <li key={keyOf(item)} className="slot">
          {children(item)}
        </li>
      ))}
    </ul>
  )
}

function ManyRows<T>({ label, items, keyOf, height, onEnd, children }: RowsProps<T>) {
  const ref = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  // What stands above the list may grow or shrink at any time.
  useEffect(() => {
    const measure = () => setTop((ref.current?.getBoundingClientRect().top ?? 0) + (globalThis.scrollY ?? 0))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => keyOf(items[index] as T),
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const isEnding = last >= items.length - ENDING
  useEffect(() => {
    if (isEnding && items.length > 0) onEnd?.()
  }, [isEnding, items.length, onEnd])
  return (
    <ul ref={ref} className="list many" aria-label={label} style={{ height: rows.getTotalSize() }}>
      {shown.map(({ key, index, start }) => (
        <li
          key={key}
          ref={rows.measureElement}
          data-index={index}
          aria-setsize={items.length}
          aria-posinset={index + 1}
          className="slot"
          style={{ transform: `translateY(${start - top}px)` }}
        >
          <Row item={items[index]} draw={children as (item: unknown) => ReactNode} />
        </li>
      ))}
    </ul>
  )
}

/** Scrolling draws the list anew with each frame, but only the rows that come into view. */
const Row = memo(({ item, draw }: { readonly item: unknown; readonly draw: (item: unknown) => ReactNode }) =>
  draw(item),
)
