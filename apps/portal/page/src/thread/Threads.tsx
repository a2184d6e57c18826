import { Badge, Group, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ListedThread } from '@treeos/client'
import { useState } from 'react'
import { sessionQuery, threadsQuery } from '../api/queries.ts'
import { Trans, t } from '../language/index.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Answer, DialogButton, Empty, Inert, PageHead, Quiet, Rows, Time } from '../parts/index.ts'
import { threadStateText } from '../words/thread-state-text.ts'
import type { ThreadList } from './thread-lists.ts'

/** Conversations that the person has a part in, the one with the latest word first. */
export function Threads() {
  const threads = useQuery(threadsQuery)
  const [withOwn, setWithOwn] = useState(false)
  const [wanted, setWanted] = useState('')
  const { show = 'all' } = useSearch({ from: '/signed-in/threads' })
  const navigate = useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const speaking = (
    <DialogButton label={t('Speak to a being')} title={t('Speak to a being')}>
      <Composer />
    </DialogButton>
  )
  return (
    <Stack>
      <PageHead title={t('Threads')} action={speaking} />
      <Answer of={threads}>
        {({ items: found }) => {
          // A person's act that nobody answers is a thread of that person alone.
          const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
          const all = found.filter(
            (one) =>
              (withOwn || one.participants.length > 1 || one.open > 0) &&
              isShownAs(show, one, session?.stance) &&
              words.every((word) => searchedText(one).includes(word)),
          )
          return (
            <Stack gap="sm">
              {found.length === 0 ? null : (
                <Group gap="sm">
                  <TextInput
                    aria-label={t('Search threads')}
                    placeholder={t('Subject, words, who or channel')}
                    value={wanted}
                    onChange={(event) => setWanted(event.currentTarget.value)}
                    flex="1 1 14rem"
                  />
                  <SegmentedControl
                    size="xs"
                    aria-label={t('Which threads')}
                    data={[...THREAD_STATES]}
                    value={show}
                    onChange={(next) =>
                      void navigate({ to: '/threads', search: { show: next as ThreadList }, replace: true })
                    }
                  />
                  <Switch
                    label={t('also acts that spoke to nobody')}
                    checked={withOwn}
                    onChange={(event) => setWithOwn(event.currentTarget.checked)}
                  />
                </Group>
              )}
              {all.length === 0 ? (
                <Empty title={found.length === 0 ? t('No threads yet') : t('No thread is found')}>
                  {found.length === 0
                    ? t('A thread begins when somebody speaks to a being.')
                    : t('Search for fewer letters.')}
                </Empty>
              ) : (
                <Rows label={t('Threads')} items={all} keyOf={({ thread }) => thread} height={76}>
                  {(one) => <ThreadRow {...one} />}
                </Rows>
              )}
            </Stack>
          )
        }}
      </Answer>
    </Stack>
  )
}

const THREAD_STATES: readonly { readonly value: ThreadList; readonly label: string }[] = [
  { value: 'all', label: t('all') },
  { value: 'open', label: t('open') },
  { value: 'others', label: t('you wait for') },
  { value: 'over', label: t('over') },
]

/** The person waits for others where it spoke last and something is open. */
const isShownAs = (show: ThreadList, { open, last }: ListedThread, me: string | undefined): boolean =>
  show === 'all' ||
  (show === 'others' ? open > 0 && last !== null && last.from === me : (show === 'open') === open > 0)

const searchedText = ({ subject, last, channel, participants }: ListedThread): string =>
  [subject, last?.words, channel, ...participants].join(' ').toLowerCase()

const ThreadRow = ({
  thread,
  participants,
  state,
  wakes,
  open,
  moved,
  subject,
  outside,
  last,
  channel,
}: ListedThread) => (
  <Link to="/threads/$id" params={{ id: thread }} className="row">
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text size="sm" fw={600} truncate>
        <Inert
          text={
            subject ??
            (participants.length === 0 ? t('a change in the world') : t('words that are not yours to read'))
          }
        />
      </Text>
      <Group gap="xs" wrap="nowrap">
        {outside === true ? <Badge color="orange">{t('from outside')}</Badge> : null}
        {channel === null ? null : (
          <Badge variant="outline" maw={140}>
            <Inert text={channel} />
          </Badge>
        )}
        <StateBadge state={state} />
        <Text size="xs">
          <Time iso={moved} />
        </Text>
      </Group>
    </Group>
    {last === null || last.words === subject ? null : (
      <Text size="sm" truncate>
        <span className="quiet">{last.from ?? t('nobody')}: </span>
        <Inert text={last.words} />
        {last.outside === true ? (
          <Badge ml={6} size="sm" color="orange">
            {t('from outside')}
          </Badge>
        ) : null}
      </Text>
    )}
    <Quiet size="xs" truncate>
      <Trans
        text="<beings/> · {{count}} wakes, {{open}} open"
        values={{ count: wakes, open }}
        parts={{ beings: <Inert text={participants.join(', ')} /> }}
      />
    </Quiet>
  </Link>
)

const THREAD_COLORS: Readonly<Record<string, string>> = {
  live: 'leaf',
  pending: 'orange',
  severed: 'red',
  complete: 'gray',
}

export const StateBadge = ({ state }: { readonly state: string }) => (
  <Badge color={THREAD_COLORS[state] ?? 'gray'}>{threadStateText(state)}</Badge>
)
