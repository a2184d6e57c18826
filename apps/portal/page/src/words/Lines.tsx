import { Stack } from '@mantine/core'
import { ModelWriting } from './ModelWriting.tsx'
import { answeredText } from './owed-text.ts'
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

/** What was said and done, in order, and what is written now. */
export function Lines({ lines, done: { deeds, cut }, me, writing, thread }: LinesProps) {
  const told = [
    ...lines.map((line) => ({
      at: line.at,
      key: line.id,
      shown: <SaidLine line={line} me={me} answered={answeredText(line, lines)} />,
    })),
    ...deeds.map((deed) => ({ at: deed.at, key: deed.key, shown: <UsedDeedLine deed={deed} /> })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return (
    <Stack gap="sm">
      <NotShown cut={cut} began={lines[0]?.at ?? ''} />
      {told.map(({ key, shown }) => (
        <div key={key}>{shown}</div>
      ))}
      {thread === null
        ? null
        : writing.map((being) => <ModelWriting key={being} being={being} thread={thread} />)}
    </Stack>
  )
}

/** Names of those whose past is open: only then the moment of a line shows. */
export const openIn = (lines: readonly ThreadLine[]): string[] => [
  ...new Set(lines.flatMap(({ to, moment }) => (moment === null ? [] : [to.slice(1)]))),
]

/** Those of a thread that wait for a being. */
export const waitingFor = (lines: readonly ThreadLine[], whom: string): boolean =>
  lines.some(({ to, isOpen, notice }) => to === whom && isOpen && !notice)
