import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useReading } from '../api/useReading.ts'
import { readIn } from './read-answers.ts'
import type { ThreadLine } from './SaidLine.tsx'

/** Reading an answer where one talks is reading it: it leaves the inbox, unless it asks back. */
export function useReadAnswers(lines: readonly ThreadLine[], me: string | undefined): void {
  const isSeen = useDocumentVisibility() === 'visible'
  const { mutate } = useReading(undefined, null)
  // The server may refuse some, as of a being that this tab drives no longer: each is tried once.
  const tried = useRef(new Set<string>())
  useEffect(() => {
    if (!isSeen || me === undefined) return
    const read = readIn(lines, me).filter((id) => !tried.current.has(id))
    for (const id of read) tried.current.add(id)
    if (read.length > 0) mutate(read)
  }, [isSeen, lines, me, mutate])
}
