import type { ThreadLine } from './SaidLine.tsx'

type ReadLine = Pick<ThreadLine, 'id' | 'at' | 'from' | 'to' | 'kind' | 'inReplyTo' | 'asksBack' | 'isOpen'>

/**
 * The answers in a thread that its reader has read once it is shown. One that asks back is read once the
 * reader has said more.
 * @param me stance of the reader
 */
export const readIn = (lines: readonly ReadLine[], me: string): readonly string[] =>
  lines
    .filter(
      ({ to, kind, inReplyTo, isOpen }) => to === me && kind === 'words' && inReplyTo !== null && isOpen,
    )
    .filter((line) => line.asksBack !== true || lines.some((later) => isSaidAfter(later, line)))
    .map(({ id }) => id)

const isSaidAfter = (later: ReadLine, { at, from, to }: ReadLine): boolean =>
  later.from === to && later.to === from && later.at > at
