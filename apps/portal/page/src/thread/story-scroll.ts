import { useEffect, useState } from 'react'

/** The id of the box that holds the story of a thread. */
export const STORY = 'story'

const lineOf = (key: string): Element | null =>
  document.getElementById(STORY)?.querySelector(`[data-run="${CSS.escape(key)}"]`) ?? null

interface KeyedRow {
  readonly key: string
}

/**
 * Brings what was said or done in the moment of a row into view. What a person said stands in the story with
 * the moment that heard it, so a row without a line leads to the next one that has one.
 */
export function scrollStoryTo(rows: readonly KeyedRow[], at: number): void {
  const row = rows.find(({ key }, i) => i >= at && lineOf(key) !== null)
  if (row !== undefined) lineOf(row.key)?.scrollIntoView({ block: 'nearest' })
}

/** Which rows of a run the story shows now: the first one, and how many from it to the last one. */
export function useSeenRows(rows: readonly KeyedRow[]): {
  readonly first: number
  readonly count: number
} {
  const [seen, see] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const story = document.getElementById(STORY)
    if (story === null) return
    const now = new Set<string>()
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const key = target.getAttribute('data-run') ?? ''
          if (isIntersecting) now.add(key)
          else now.delete(key)
        }
        see(new Set(now))
      },
      { root: story },
    )
    const all = () => {
      for (const line of story.querySelectorAll('[data-run]')) watch.observe(line)
    }
    all()
    const grown = new MutationObserver(all)
    grown.observe(story, { childList: true, subtree: true })
    return () => {
      watch.disconnect()
      grown.disconnect()
    }
  }, [])
  const first = rows.findIndex(({ key }) => seen.has(key))
  const last = rows.findLastIndex(({ key }) => seen.has(key))
  return first < 0 ? { first: 0, count: 0 } : { first, count: last - first + 1 }
}
