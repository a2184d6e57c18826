import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { beingQuery, sessionQuery, threadQuery } from '../api/queries.ts'
import { ThreadControls } from '../control/ThreadControls.tsx'
import { Answer, PageHead, plural, Time } from '../parts/index.ts'
import { Share } from '../sharing/Share.tsx'
import { ThreadExport } from '../sharing/ThreadExport.tsx'
import { PendingAnswer } from '../talk/PendingAnswer.tsx'
import { ScrollBox } from '../talk/ScrollBox.tsx'
import { Lines, openIn, waitingFor } from '../words/Lines.tsx'
import { OwedLine } from '../words/OwedLine.tsx'
import type { ThreadLine } from '../words/SaidLine.tsx'
import { useDeeds } from '../words/UsedDeeds.tsx'
import { useReadAnswers } from '../words/useReadAnswers.ts'
import { ThreadGraph } from './ThreadGraph.tsx'
import { StateBadge } from './Threads.tsx'

/** One thread as a conversation. */
export function Thread() {
  const { id } = useParams({ from: '/signed-in/threads/$id' })
  const thread = useQuery(threadQuery(id))
  const session = useQuery(sessionQuery)
  return (
    <Answer of={thread}>
      {(found) => {
        const { state, participants, lines, hidden, began, owed } = found
        return (
          <Stack>
            <PageHead
              title={participants.length === 0 ? 'Thread' : participants.join(', ')}
              trailing={<StateBadge state={state} />}
              action={
                <Group gap={4}>
                  <Share />
                  <ThreadExport of={found} />
                </Group>
              }
            >
              began <Time iso={began} />
              {hidden === 0 ? '' : ` · ${plural(hidden, 'line is', 'lines are')} not yours to read`}
            </PageHead>
            <div className="beside">
              <Stack>
                <ScrollBox label="Conversation">
                  <Spoken id={id} lines={lines} participants={participants} me={session.data?.stance} />
                  <OwedLine owed={owed} me={session.data?.stance} />
                </ScrollBox>
                <ThreadControls id={id} state={state} participants={participants} />
              </Stack>
              <ThreadGraph lines={lines} />
            </div>
          </Stack>
        )
      }}
    </Answer>
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
  const done = useDeeds(open, id)
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
