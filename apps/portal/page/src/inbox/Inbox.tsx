import { Badge, Button, Group, Stack, Tabs, Text, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { inboxQuery } from '../api/queries.ts'
import { BudgetForm } from '../control/BudgetForm.tsx'
import { BeingLink } from '../shell/links.tsx'
import { Rows } from '../shell/Rows.tsx'
import { Answer, Empty, Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Content, Notice } from '../text/Inert.tsx'
import { VerbPanel } from '../verbs/VerbPanel.tsx'

interface Entry {
  readonly correlation: string
  readonly from: string | null
  readonly content: unknown
  readonly at: string
  readonly priority: string
  readonly notice?: true
  readonly times?: number
}

/** All that waits for the person. */
export function Inbox() {
  const inbox = useQuery(inboxQuery)
  const [chosen, choose] = useState<string | null>(null)
  return (
    <Stack gap="md">
      <Title order={1}>Inbox</Title>
      <Answer of={inbox}>
        {(entries) => {
          const open = entries.find(({ correlation }) => correlation === chosen) ?? null
          return (
            <Stack gap="md">
              <Notices count={entries.filter(({ notice }) => notice).length} />
              {entries.length === 0 ? (
                <Empty title="Nothing waits for you">
                  Questions, answers and notices come here as they happen.
                </Empty>
              ) : (
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
              )}
            </Stack>
          )
        }}
      </Answer>
    </Stack>
  )
}

/** Asks for the inbox anew after something was done with an entry. */
function useDoing<T>(doing: (value: T) => Promise<unknown>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: doing,
    onSuccess: () => queries.invalidateQueries({ queryKey: inboxQuery.queryKey }),
  })
}

function Notices({ count }: { readonly count: number }) {
  const reading = useDoing(() => api.inbox.close.$post({ json: { how: 'read', entries: null } }))
  if (count === 0) return null
  return (
    <Group gap="sm">
      <Text size="sm" className="quiet">
        {count} {count === 1 ? 'notice needs' : 'notices need'} no answer.
      </Text>
      <Button
        size="xs"
        variant="default"
        loading={reading.isPending}
        onClick={() => reading.mutate(undefined)}
      >
        Mark all notices as read
      </Button>
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
          <Badge size="sm" variant="light" color="gray" tt="none">
            notice{times === undefined ? '' : ` × ${times}`}
          </Badge>
        ) : null}
      </Group>
      <Text size="xs">
        <Time iso={at} />
      </Text>
    </Group>
    <Text size="sm" className="quiet" lineClamp={2}>
      {notice ? <Notice value={content} /> : <Content value={content} />}
    </Text>
  </button>
)

/** The being that a notice tells of. */
const aboutOf = (content: unknown): string | null =>
  typeof content === 'object' && content !== null && 'actor' in content && typeof content.actor === 'string'
    ? content.actor
    : null

/** A being that waits for approval at a limit, and the being whose limit it is. */
function parkedIn(content: unknown): { readonly being: string; readonly of: string } | null {
  const { event, budget } = (content ?? {}) as { event?: unknown; budget?: { of?: unknown } }
  const being = aboutOf(content)
  if (event !== 'parked' || being === null || typeof budget?.of !== 'string') return null
  return { being: being.slice(1), of: budget.of.slice(1) }
}

const Sender = ({ from }: { readonly from: string | null }) =>
  from === null ? 'TreeOS' : <BeingLink stance={from} />

function OpenEntry({ entry }: { readonly entry: Entry }) {
  const { correlation, from, content, at, notice } = entry
  const parked = notice ? parkedIn(content) : null
  const closing = useDoing((how: 'read' | 'dismissed') =>
    api.inbox.close.$post({ json: { how, entries: [correlation] } }),
  )
  return (
    <section className="card" aria-label="Entry">
      <Stack gap="md">
        <Group justify="space-between">
          <Text fw={600}>
            <Sender from={from ?? aboutOf(content)} />
          </Text>
          <Text size="sm">
            <Time iso={at} />
          </Text>
        </Group>
        <div className="block">{notice ? <Notice value={content} /> : <Content value={content} />}</div>
        <Tabs defaultValue={parked === null ? 'answer' : 'approve'}>
          <Tabs.List>
            {parked === null ? null : <Tabs.Tab value="approve">Approve</Tabs.Tab>}
            <Tabs.Tab value="answer">Answer</Tabs.Tab>
            <Tabs.Tab value="do">Do something</Tabs.Tab>
          </Tabs.List>
          {parked === null ? null : (
            <Tabs.Panel value="approve" pt="sm">
              <BudgetForm name={parked.of} resumes={parked.being} />
            </Tabs.Panel>
          )}
          <Tabs.Panel value="answer" pt="sm">
            <AnswerForm correlation={correlation} />
          </Tabs.Panel>
          <Tabs.Panel value="do" pt="sm">
            <VerbPanel />
          </Tabs.Panel>
        </Tabs>
        <Group gap="xs">
          {notice ? (
            <Button size="xs" variant="default" onClick={() => closing.mutate('read')}>
              Mark as read
            </Button>
          ) : null}
          <Button size="xs" variant="default" onClick={() => closing.mutate('dismissed')}>
            Dismiss without an answer
          </Button>
        </Group>
        <Trouble error={closing.error} />
      </Stack>
    </section>
  )
}

function AnswerForm({ correlation }: { readonly correlation: string }) {
  const [text, setText] = useState('')
  const answering = useDoing((content: string) => api.inbox.reply.$post({ json: { correlation, content } }))
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    answering.mutate(text)
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm" align="flex-start">
        <Textarea
          w="100%"
          label="Your answer"
          autosize
          minRows={3}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Trouble error={answering.error} />
        <Button type="submit" disabled={text.trim() === ''} loading={answering.isPending}>
          Send the answer
        </Button>
      </Stack>
    </form>
  )
}
