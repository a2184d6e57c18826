import { Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { sessionQuery, threadQuery } from '../api/queries.ts'
import { Writing } from '../being/Writing.tsx'
import { ThreadControls } from '../control/ThreadControls.tsx'
import { BeingLink } from '../shell/links.tsx'
import { Answer } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Content, Notice } from '../text/Inert.tsx'
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
        <Stack gap="md">
          <div>
            <Group gap="xs" align="baseline">
              <Title order={1}>{participants.length === 0 ? 'Thread' : participants.join(', ')}</Title>
              <StateBadge state={state} />
            </Group>
            <Text size="sm" className="quiet">
              began <Time iso={began} />
              {hidden === 0 ? '' : ` · ${hidden} ${hidden === 1 ? 'line is' : 'lines are'} not yours to read`}
            </Text>
          </div>
          <div className="beside">
            <Stack gap="md">
              {lines.map(({ id, at, from, to, content, notice, isOpen, moment }) => (
                <div key={id} className="said" data-mine={from !== null && from === session.data?.stance}>
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
                  <Text size="xs" className="quiet">
                    {moment === null ? (
                      isOpen ? (
                        'waits'
                      ) : (
                        ''
                      )
                    ) : (
                      <Link to="/beings/$name" params={{ name: to.slice(1) }} search={{ n: moment.n }}>
                        moment {moment.n}: {moment.outcome}
                      </Link>
                    )}
                  </Text>
                </div>
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
