import { Group, Stack } from '@mantine/core'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { beingQuery, sessionQuery, threadQuery } from '../api/queries.ts'
import { ThreadControls } from '../control/ThreadControls.tsx'
import { Trans, t } from '../language/index.ts'
import { Answer, OpensMoments, PageHead, Time } from '../parts/index.ts'
import { Share } from '../sharing/Share.tsx'
import { ThreadExport } from '../sharing/ThreadExport.tsx'
import { PendingAnswer } from '../talk/PendingAnswer.tsx'
import { ScrollBox } from '../talk/ScrollBox.tsx'
import { Lines, openIn, waitingFor } from '../words/Lines.tsx'
import { OwedLine } from '../words/OwedLine.tsx'
import { momentKey } from '../words/run-key.ts'
import type { ThreadLine } from '../words/SaidLine.tsx'
import { threadMomentsQuery } from '../words/thread-moments.ts'
import { useDeeds } from '../words/UsedDeeds.tsx'
import { useReadAnswers } from '../words/useReadAnswers.ts'
import { Run } from './Run.tsx'
import { runOf, totalsOf } from './run.ts'
import { STORY, scrollStoryTo } from './story-scroll.ts'
import { ThreadGraph } from './ThreadGraph.tsx'
import { StateBadge } from './Threads.tsx'
import { Why } from './Why.tsx'

/** One thread as a case: its run, its story, and why a moment of it came to what it did. */
export function Thread() {
  const { id } = useParams({ from: '/signed-in/threads/$id' })
  const thread = useQuery(threadQuery(id))
  usePrefetchQuery(threadMomentsQuery(id)) // not only once the thread is there
  return (
    <Answer of={thread}>
      {(found) => (
        <OpensMoments value={id}>
          <Stack>
            <ThreadHead of={found} />
            <Case id={id} of={found} />
          </Stack>
        </OpensMoments>
      )}
    </Answer>
  )
}

type Conversation = Parameters<typeof ThreadExport>[0]['of']

function ThreadHead({ of }: { readonly of: Conversation }) {
  const { state, participants, hidden, began } = of
  return (
    <PageHead
      title={participants.length === 0 ? t('Thread') : participants.join(', ')}
      trailing={<StateBadge state={state} />}
      action={
        <Group gap={4}>
          <Share />
          <ThreadExport of={of} />
        </Group>
      }
    >
      <Trans text="began <time/>" parts={{ time: <Time iso={began} /> }} />
      {hidden === 0 ? '' : ` · ${t('{{count}} lines are not yours to read', { count: hidden })}`}
    </PageHead>
  )
}

interface CaseProps {
  readonly id: string
  readonly of: Conversation
}

function Case({ id, of: { lines, participants, owed, state } }: CaseProps) {
  const { data: session } = useQuery(sessionQuery)
  const { of, n } = useSearch({ from: '/signed-in/threads/$id' })
  const isChosen = of !== undefined && n !== undefined
  return (
    <div className="case">
      <ThreadRun id={id} lines={lines} chosen={isChosen ? momentKey(of, n) : null} />
      <Stack>
        <ScrollBox label={t('Conversation')} id={STORY}>
          <Spoken id={id} lines={lines} participants={participants} me={session?.stance} />
          <OwedLine owed={owed} me={session?.stance} />
        </ScrollBox>
        <ThreadControls id={id} state={state} participants={participants} />
      </Stack>
      {isChosen ? <Why thread={id} being={of} n={n} lines={lines} /> : <ThreadGraph lines={lines} />}
    </div>
  )
}

interface ThreadRunProps {
  readonly id: string
  readonly lines: readonly ThreadLine[]
  readonly chosen: string | null
}

/** Grows as moments end. Who may look into no past of the thread is shown none. */
function ThreadRun({ id, lines, chosen }: ThreadRunProps) {
  const { data, dataUpdatedAt } = useQuery(threadMomentsQuery(id))
  const navigate = useNavigate()
  const moments = data?.items
  const rows = useMemo(
    () => (moments === undefined ? [] : runOf(moments, lines, dataUpdatedAt)),
    [moments, lines, dataUpdatedAt],
  )
  const isThere = rows.length > 0
  const at = rows.findIndex(({ key }) => key === chosen)
  useEffect(() => {
    if (at >= 0) scrollStoryTo(rows, at)
  }, [chosen, isThere]) // a row more does not scroll the story
  if (moments === undefined || !isThere) return null
  return (
    <Run
      rows={rows}
      totals={totalsOf(moments)}
      chosen={chosen}
      onChoose={({ being, n }) => {
        if (n === null) return
        const search = { of: being.slice(1), n }
        void navigate({ to: '/threads/$id', params: { id }, search, replace: true, resetScroll: false })
      }}
    />
  )
}

interface SpokenProps {
  readonly id: string
  readonly lines: readonly ThreadLine[]
  readonly participants: readonly string[]
  readonly me: string | undefined
}

/** What was said, what was used between, and whom the thread waits for. */
function Spoken({ id, lines, participants, me }: SpokenProps) {
  const open = openIn(lines)
  const done = useDeeds(id)
  useReadAnswers(lines, me)
  const waiting = participants.filter((one) => one !== me && waitingFor(lines, one))
  return (
    <>
      <Lines
        lines={lines}
        done={done}
        me={me}
        writing={participants.map((stance) => stance.slice(1))}
        thread={id}
      />
      {waiting.map((stance) => (
        <WaitingAnswer key={stance} stance={stance} isOpen={open.includes(stance.slice(1))} />
      ))}
    </>
  )
}

/** Why it waits shows where the past of the being is open, as that is known then. */
function WaitingAnswer({ stance, isOpen }: { readonly stance: string; readonly isOpen: boolean }) {
  const { data } = useQuery({ ...beingQuery(stance.slice(1)), enabled: isOpen })
  return <PendingAnswer whom={stance} states={data?.states ?? []} />
}
