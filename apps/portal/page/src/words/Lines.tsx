import { Stack } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { ModelWriting } from './ModelWriting.tsx'
import { answeredText } from './owed-text.ts'
import { runKeyOf } from './run-key.ts'
import { SaidLine, type ThreadLine } from './SaidLine.tsx'
import { NotShown, UsedDeedLine, type UsedDeeds } from './UsedDeeds.tsx'

interface LinesProps {
  readonly lines: readonly ThreadLine[]
  readonly done: UsedDeeds
  readonly me: string | undefined
  /** names of beings whose words are shown while they write them */
  readonly writing: readonly string[]
  readonly thread: string | null
}

/** So many of the newest are drawn at once. Those before them follow while one reads. */
const FIRST_DRAWN = 40

/** What was said and done, in order, and what is written now. */
export function Lines({ lines, done: { deeds, isWhole }, me, writing, thread }: LinesProps) {
  const all = useMemo(() => toldIn(lines, deeds), [lines, deeds])
  const told = useDeferredValue(all, all.slice(-FIRST_DRAWN))
  return (
    <Stack gap="sm">
      <NotShown isWhole={isWhole} />
      {told.map(({ key, of, line, deed }) => (
        <div key={key} data-run={of} className="told">
          {line === undefined ? null : <SaidLine line={line} me={me} answered={answeredText(line, lines)} />}
          {deed === undefined ? null : <UsedDeedLine deed={deed} />}
        </div>
      ))}
      {thread === null
        ? null
        : writing.map((being) => <ModelWriting key={being} being={being} thread={thread} />)}
    </Stack>
  )
}

interface ToldLine {
  readonly at: string
  readonly key: string
  /** the moment that it woke or was done in; its own id where there is none */
  readonly of: string
  readonly line?: ThreadLine
  readonly deed?: UsedDeeds['deeds'][number]
}

const toldIn = (lines: readonly ThreadLine[], deeds: UsedDeeds['deeds']): readonly ToldLine[] =>
  [
    ...lines.map((line): ToldLine => ({ at: line.at, key: line.id, of: runKeyOf(line), line })),
    ...deeds.map((deed): ToldLine => ({ at: deed.at, key: deed.key, of: deed.key, deed })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))

/** Names of those whose past is open: only then the moment of a line shows. */
export const openIn = (lines: readonly ThreadLine[]): string[] => [
  ...new Set(lines.flatMap(({ to, moment }) => (moment === null ? [] : [to.slice(1)]))),
]

/** Those of a thread that wait for a being. */
export const waitingFor = (lines: readonly ThreadLine[], whom: string): boolean =>
  lines.some(({ to, isOpen, notice }) => to === whom && isOpen && !notice)
