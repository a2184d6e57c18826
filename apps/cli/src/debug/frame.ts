import { coloured } from '../text/output.ts'
import { widthOf } from '../text/width.ts'
import type { PageLine } from './page.ts'
import { type DebugState, KEYS } from './steps.ts'

/** Lines of a terminal beside the page: the title and the foot. */
const FRAME_ROWS = 2

export const heightOf = (rows: number): number => Math.max(1, rows - FRAME_ROWS)

/** A page cut into lines that are no wider than the terminal. */
export function wrapped(page: readonly PageLine[], columns: number): PageLine[] {
  return page.flatMap((line) => pieces(line.text, columns).map((text) => ({ ...line, text })))
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts where a line is full; a character may take two places. */
function pieces(text: string, columns: number): string[] {
  if (text.length <= columns && widthOf(text) <= columns) return [text]
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const { segment } of segmenter.segment(text)) {
    const wide = widthOf(segment)
    if (width + wide > columns && line !== '') {
      lines.push(line)
      line = ''
      width = 0
    }
    line += segment
    width += wide
  }
  return [...lines, line]
}

const cut = (text: string, columns: number): string => pieces(text, columns)[0] ?? ''

const STYLES = { heading: ['bold'], good: ['green'], bad: ['red'], quiet: ['dim'] } as const

/** What a terminal shows: exactly as many lines as it has, none wider than it is. */
export function frameOf(
  state: DebugState,
  title: string,
  page: readonly PageLine[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  const height = heightOf(rows)
  const shown = page.slice(state.top, state.top + height)
  const body = Array.from({ length: height }, (_, i) => {
    const { text = '', tone } = shown[i] ?? {}
    return tone === undefined ? text : coloured([...STYLES[tone]], text)
  })
  return [
    coloured(['inverse'], cut(title, columns)),
    ...body,
    cut(footOf(state, page.length, height), columns),
  ]
}

function footOf({ asking, note, isFollowing, top }: DebugState, lines: number, height: number): string {
  if (asking !== null)
    return asking.what === 'number' ? `moment number: ${asking.text}` : `search: ${asking.text}`
  if (note !== null) return note
  const where = lines <= height ? '' : `${Math.round((100 * Math.min(lines, top + height)) / lines)} %  `
  return `${isFollowing ? 'following  ' : ''}${where}${KEYS}`
}
