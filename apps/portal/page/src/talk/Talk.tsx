import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { beingQuery, sessionQuery, threadQuery, threadsWithQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Answer, Card, Quiet, SmallButton } from '../parts/index.ts'
import { Lines, waitingFor } from '../words/Lines.tsx'
import { OwedLine } from '../words/OwedLine.tsx'
import type { ThreadLine } from '../words/SaidLine.tsx'
import { useDeeds } from '../words/UsedDeeds.tsx'
import { useReadAnswers } from '../words/useReadAnswers.ts'
import { Asks } from './Asks.tsx'
import { PendingAnswer } from './PendingAnswer.tsx'
import { ScrollBox } from './ScrollBox.tsx'

interface TalkProps {
  /** name of the being that is spoken to */
  readonly name: string
  readonly isPastOpen: boolean
  /** the thread that it goes on in; null before the first word */
  readonly thread: string | null
  readonly onThread: (thread: string | 'new') => void
}

/** A conversation with a being: one box, and answers appear above it. */
export function Talk({ name, isPastOpen, thread, onThread }: TalkProps) {
  const stance = `@${name}`
  const { data: session } = useQuery(sessionQuery)
  const { data: being } = useQuery(beingQuery(name))
  const done = useDeeds(isPastOpen ? thread : null)
  const [begun, setBegun] = useState(0)
  const beginAnother = () => {
    setBegun(begun + 1)
    onThread('new')
  }
  return (
    <Card title={t('Talk to {{stance}}', { stance })} label={t('Talk')}>
      <Stack gap="sm">
        {thread === null ? (
          <Quiet>{t('What you say comes into its inbox, and its answer appears here.')}</Quiet>
        ) : (
          <Past
            thread={thread}
            name={name}
            me={session?.stance}
            done={done}
            isPastOpen={isPastOpen}
            states={being?.states ?? []}
          />
        )}
        <Asks of={stance} />
        <Composer
          key={begun}
          target={stance}
          {...(thread === null ? {} : { thread })}
          onSaid={(correlation) => {
            if (thread === null) onThread(correlation)
          }}
        />
        {thread === null ? null : (
          <Group gap="xs">
            <Link to="/threads/$id" params={{ id: thread }}>
              {t('Open its thread')}
            </Link>
            <SmallButton variant="subtle" onClick={beginAnother}>
              {t('Begin another conversation')}
            </SmallButton>
          </Group>
        )}
      </Stack>
    </Card>
  )
}

const NO_LINES: readonly ThreadLine[] = []

interface PastProps extends Pick<TalkProps, 'name' | 'isPastOpen'> {
  readonly thread: string
  readonly me: string | undefined
  readonly done: ReturnType<typeof useDeeds>
  readonly states: Parameters<typeof PendingAnswer>[0]['states']
}

function Past({ thread, name, me, done, isPastOpen, states }: PastProps) {
  const found = useQuery(threadQuery(thread))
  useReadAnswers(found.data?.lines ?? NO_LINES, me)
  return (
    <Answer of={found}>
      {({ lines, owed }) => (
        <ScrollBox label={t('Conversation')}>
          <Lines lines={lines} done={done} me={me} writing={isPastOpen ? [name] : []} thread={thread} />
          {waitingFor(lines, `@${name}`) ? <PendingAnswer whom={`@${name}`} states={states} /> : null}
          <OwedLine owed={owed} me={me} />
        </ScrollBox>
      )}
    </Answer>
  )
}

/** The thread in which the person and a being spoke last with nobody else, until another one is chosen. */
export function useThreadWith(name: string) {
  const { data } = useQuery(threadsWithQuery(name))
  const { data: session } = useQuery(sessionQuery)
  const [chosen, choose] = useState<string | 'new' | null>(null)
  const last = data?.items.find(
    ({ participants, state }) =>
      state !== 'severed' &&
      participants.length === 2 &&
      participants.includes(`@${name}`) &&
      participants.includes(session?.stance ?? ''),
  )
  return {
    thread: chosen === 'new' ? null : (chosen ?? last?.thread ?? null),
    setThread: choose,
    isKnown: data !== undefined && session !== undefined,
  }
}
