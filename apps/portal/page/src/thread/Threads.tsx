import { Badge, Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { threadsQuery } from '../api/queries.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Dialog } from '../shell/Dialog.tsx'
import { Rows } from '../shell/Rows.tsx'
import { Answer, Empty } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'

/** Conversations that the person has a part in, the one with the latest word first. */
export function Threads() {
  const threads = useQuery(threadsQuery)
  const [isOpen, { open, close }] = useDisclosure()
  const [withOwn, setWithOwn] = useState(false)
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>Threads</Title>
        <Button onClick={open}>Speak to a being</Button>
      </Group>
      <Dialog opened={isOpen} onClose={close} title="Speak to a being">
        <Composer />
      </Dialog>
      <Answer of={threads}>
        {(found) => {
          // A person's act that nobody answers is a thread of that person alone.
          const all = found.filter(({ participants, open }) => withOwn || participants.length > 1 || open > 0)
          const switching =
            found.length === 0 ? null : (
              <Switch
                label="also acts that spoke to nobody"
                checked={withOwn}
                onChange={(event) => setWithOwn(event.currentTarget.checked)}
              />
            )
          const list =
            all.length === 0 ? (
              <Empty title="No threads yet">A thread begins when somebody speaks to a being.</Empty>
            ) : (
              <Rows label="Threads" items={all} keyOf={({ thread }) => thread} height={58}>
                {({ thread, participants, state, wakes, open, moved }) => (
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
                    <Text size="xs" className="quiet">
                      {wakes} {wakes === 1 ? 'wake' : 'wakes'}, {open} open
                    </Text>
                  </Link>
                )}
              </Rows>
            )
          return (
            <Stack gap="sm">
              {switching}
              {list}
            </Stack>
          )
        }}
      </Answer>
    </Stack>
  )
}

const COLORS: Readonly<Record<string, string>> = {
  live: 'leaf',
  pending: 'orange',
  severed: 'red',
  complete: 'gray',
}

export const StateBadge = ({ state }: { readonly state: string }) => (
  <Badge variant="light" color={COLORS[state] ?? 'gray'} tt="none">
    {state}
  </Badge>
)
