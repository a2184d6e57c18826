import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { FoundBy } from '../api/deed.ts'
import { sessionQuery, threadQuery } from '../api/queries.ts'
import { Writing } from '../being/Writing.tsx'
import { ThreadControls } from '../control/ThreadControls.tsx'
import { Answer, BeingLink, Content, MomentLink, Notice, plural, Quiet, Time } from '../parts/index.ts'
import { ThreadGraph } from './ThreadGraph.tsx'
import { StateBadge } from './Threads.tsx'

/** One thread as a conversation. */
export function Thread() {
  const { id } = useParams({ from: '/signed-in/threads/$id' })
  const thread = useQuery(threadQuery(id))
  const session = useQuery(sessionQuery)
  return (
    <Answer of={thread}>
      {({ state, participants, lines, hidden, began }) => (
        <Stack>
          <div>
            <Group gap="xs" align="baseline">
              <Title order={1}>{participants.length === 0 ? 'Thread' : participants.join(', ')}</Title>
              <StateBadge state={state} />
            </Group>
            <Quiet>
              began <Time iso={began} />
              {hidden === 0 ? '' : ` · ${plural(hidden, 'line is', 'lines are')} not yours to read`}
            </Quiet>
          </div>
          <div className="beside">
            <Stack>
              {lines.map((line) => (
                <Said key={line.id} line={line} me={session.data?.stance} />
              ))}
              {participants.map((stance) => (
                <Writing key={stance} being={stance.slice(1)} thread={id} />
              ))}
            </Stack>
            <ThreadGraph lines={lines} />
          </div>
          <ThreadControls id={id} state={state} participants={participants} />
        </Stack>
      )}
    </Answer>
  )
}

interface SaidProps {
  readonly line: FoundBy<ReturnType<typeof threadQuery>>['lines'][number]
  readonly me: string | undefined
}

const Said = ({ line: { at, from, to, content, notice, isOpen, moment }, me }: SaidProps) => (
  <div className="said" data-mine={from !== null && from === me}>
    <Group gap={6}>
      <Text size="xs" fw={600}>
        {from === null ? notice ? 'notice' : 'a change' : <BeingLink stance={from} />} →{' '}
        <BeingLink stance={to} />
      </Text>
      <Text size="xs">
        <Time iso={at} />
      </Text>
    </Group>
    {notice ? <Notice value={content} /> : <Content value={content} />}
    <Quiet size="xs">
      {moment === null && isOpen ? 'waits' : ''}
      {moment === null ? null : (
        <MomentLink being={to} n={moment.n}>
          moment {moment.n}: {moment.outcome}
        </MomentLink>
      )}
    </Quiet>
  </div>
)
