import { Badge, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ThreadView } from '@treeos/client'
import { useState } from 'react'
import { threadsQuery } from '../api/queries.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Answer, DialogButton, Empty, PageHead, plural, Quiet, Rows, Time } from '../parts/index.ts'

/** Conversations that the person has a part in, the one with the latest word first. */
export function Threads() {
  const threads = useQuery(threadsQuery)
  const [withOwn, setWithOwn] = useState(false)
  const speaking = (
    <DialogButton label="Speak to a being" title="Speak to a being">
      <Composer />
    </DialogButton>
  )
  return (
    <Stack>
      <PageHead title="Threads" action={speaking} />
      <Answer of={threads}>
        {({ items: found }) => {
          // A person's act that nobody answers is a thread of that person alone.
          const all = found.filter(({ participants, open }) => withOwn || participants.length > 1 || open > 0)
          return (
            <Stack gap="sm">
              {found.length === 0 ? null : (
                <Switch
                  label="also acts that spoke to nobody"
                  checked={withOwn}
                  onChange={(event) => setWithOwn(event.currentTarget.checked)}
                />
              )}
              {all.length === 0 ? (
                <Empty title="No threads yet">A thread begins when somebody speaks to a being.</Empty>
              ) : (
                <Rows label="Threads" items={all} keyOf={({ thread }) => thread} height={58}>
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

const ThreadRow = ({ thread, participants, state, wakes, open, moved }: ThreadView) => (
  <Link to="/threads/$id" params={{ id: thread }} className="row">
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text size="sm" fw={600} className="inert">
        {participants.length === 0 ? 'a change in the world' : participants.join(', ')}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <StateBadge state={state} />
        <Text size="xs">
          <Time iso={moved} />
        </Text>
      </Group>
    </Group>
    <Quiet size="xs">
      {plural(wakes, 'wake')}, {open} open
    </Quiet>
  </Link>
)

const COLORS: Readonly<Record<string, string>> = {
  live: 'leaf',
  pending: 'orange',
  severed: 'red',
  complete: 'gray',
}

export const StateBadge = ({ state }: { readonly state: string }) => (
  <Badge color={COLORS[state] ?? 'gray'}>{state}</Badge>
)
