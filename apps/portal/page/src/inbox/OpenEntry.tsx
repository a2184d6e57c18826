import { Group, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { BudgetForm } from '../control/BudgetForm.tsx'
import { BeingLink, Content, Form, Notice, SmallButton, Time, Trouble } from '../parts/index.ts'
import { VerbPanel } from '../verbs/VerbPanel.tsx'
import { AskedCall } from './AskedCall.tsx'
import { aboutOf, askedIn, type Entry, parkedIn } from './entry.ts'

/** One entry, with what can be done about it. */
export function OpenEntry({ entry }: { readonly entry: Entry }) {
  const { correlation, from, content, at, notice } = entry
  const asked = askedIn(entry)
  const parked = notice ? parkedIn(content) : null
  const sender = from ?? aboutOf(content)
  const closing = useDeed(
    (how: 'read' | 'dismissed') => api.inbox.close.$post({ json: { how, entries: [correlation] } }),
    { stale: ['inbox'] },
  )
  return (
    <section className="card" aria-label="Entry">
      <Stack>
        <Group justify="space-between">
          <Text fw={600}>{sender === null ? 'TreeOS' : <BeingLink stance={sender} />}</Text>
          <Text size="sm">
            <Time iso={at} />
          </Text>
        </Group>
        {asked === null ? (
          <div className="block">{notice ? <Notice value={content} /> : <Content value={content} />}</div>
        ) : (
          <AskedCall asked={asked} from={sender ?? ''} />
        )}
        <Tabs defaultValue={asked === null ? (parked === null ? 'answer' : 'approve') : 'do'}>
          <Tabs.List>
            {parked === null ? null : <Tabs.Tab value="approve">Approve</Tabs.Tab>}
            {asked === null ? <Tabs.Tab value="answer">Answer</Tabs.Tab> : null}
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
          {notice ? <SmallButton onClick={() => closing.mutate('read')}>Mark as read</SmallButton> : null}
          <SmallButton onClick={() => closing.mutate('dismissed')}>Dismiss without an answer</SmallButton>
        </Group>
        <Trouble error={closing.error} />
      </Stack>
    </section>
  )
}

function AnswerForm({ correlation }: { readonly correlation: string }) {
  const form = useForm({ initialValues: { content: '' }, validate: { content: isNotEmpty() } })
  const answering = useDeed(
    (json: typeof form.values) => api.inbox.reply.$post({ json: { correlation, ...json }, header: {} }),
    { stale: ['inbox'] },
  )
  return (
    <Form form={form} doing={answering} submit="Send the answer" send={(values) => values}>
      <Textarea label="Your answer" minRows={3} {...form.getInputProps('content')} />
    </Form>
  )
}
