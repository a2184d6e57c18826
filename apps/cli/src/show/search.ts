import type { SearchResult } from '@treeos/client'
import { oneLine, table } from '../text/output.ts'
import { cut, timeOf } from './parts.ts'

export function shownSearched({ beings, spaces, roles, said, moments }: SearchResult): string {
  const rows = [
    ...beings.map((stance) => ['being', stance, '', '']),
    ...spaces.map((path) => ['space', path, '', '']),
    ...roles.map(({ name, description }) => ['role', name, '', cut(oneLine(description))]),
    ...said.map(({ thread, from, to, at, words, outside }) => [
      'said',
      thread,
      timeOf(at),
      cut(oneLine(`${from ?? 'nobody'} to ${to}${outside === true ? ', from outside' : ''}: ${words}`)),
    ]),
    ...moments.map(({ being, n, at, outcome, words }) => [
      'moment',
      `${being} ${n}`,
      timeOf(at),
      cut(oneLine(`${outcome}: ${words}`)),
    ]),
  ]
  return rows.length === 0
    ? 'nothing that this being may read holds these words, in the newest 10,000 moments'
    : table(rows)
}
