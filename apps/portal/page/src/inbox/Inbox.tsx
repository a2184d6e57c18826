import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { inboxQuery } from '../api/queries.ts'
import {
  Answer,
  Content,
  Empty,
  Notice,
  PageHead,
  Quiet,
  Rows,
  SmallButton,
  Time,
  Trouble,
} from '../parts/index.ts'
import { aboutOf, type Entry } from './entry.ts'
import { OpenEntry } from './OpenEntry.tsx'

/** All that waits for the person. */
export function Inbox() {
  const inbox = useQuery(inboxQuery)
  const [chosen, choose] = useState<string | null>(null)
  return (
    <Stack>
      <PageHead title="Inbox" />
      <Answer of={inbox}>
        {({ items: entries, next }) => {
          const open = entries.find(({ correlation }) => correlation === chosen) ?? null
          if (entries.length === 0)
            return (
              <Empty title="Nothing waits for you">
                Questions, answers and notices come here as they happen.
              </Empty>
            )
          return (
            <>
              <Notices count={entries.filter(({ notice }) => notice).length} />
              <div className="wide" data-chosen={open !== null}>
                <Rows label="Entries" items={entries} keyOf={({ correlation }) => correlation} height={62}>
                  {(entry) => (
                    <EntryRow
                      entry={entry}
                      isChosen={entry.correlation === chosen}
                      onChoose={() => choose(entry.correlation)}
                    />
                  )}
                </Rows>
                {open === null ? (
                  <Empty title="Choose an entry">Then answer it, act on it, or close it.</Empty>
                ) : (
                  <OpenEntry key={open.correlation} entry={open} />
                )}
              </div>
              {next === null ? null : (
                <Quiet>These are the oldest ones. More wait, and come when some of these are closed.</Quiet>
              )}
            </>
          )
        }}
      </Answer>
    </Stack>
  )
}

function Notices({ count }: { readonly count: number }) {
  const reading = useDeed(() => api.inbox.close.$post({ json: { how: 'read', entries: null } }), {
    stale: ['inbox'],
  })
  if (count === 0) return null
  return (
    <Group gap="sm">
      <Quiet>
        {count} {count === 1 ? 'notice needs' : 'notices need'} no answer.
      </Quiet>
      <SmallButton loading={reading.isPending} onClick={() => reading.mutate()}>
        Mark all notices as read
      </SmallButton>
      <Trouble error={reading.error} />
    </Group>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const EntryRow = ({ entry: { from, content, at, notice, times }, isChosen, onChoose }: RowProps) => (
  <button type="button" className="row" aria-pressed={isChosen} data-chosen={isChosen} onClick={onChoose}>
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Group gap={6}>
        <Text size="sm" fw={600}>
          {from ?? aboutOf(content) ?? 'TreeOS'}
        </Text>
        {notice ? (
          <Badge size="sm" color="gray">
            notice{times === undefined ? '' : ` × ${times}`}
          </Badge>
        ) : null}
      </Group>
      <Text size="xs">
        <Time iso={at} />
      </Text>
    </Group>
    <Quiet lineClamp={2}>{notice ? <Notice value={content} /> : <Content value={content} />}</Quiet>
  </button>
)
