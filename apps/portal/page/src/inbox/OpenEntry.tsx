import { Badge, Collapse, Group, Stack, Text, Textarea } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { Ref } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { askedIn } from '../asked/asked.ts'
import { BudgetForm } from '../control/BudgetForm.tsx'
import { BeingLink, Form, Inert, SmallButton, Time, Trouble } from '../parts/index.ts'
import { Share } from '../sharing/Share.tsx'
import { VerbPanel } from '../verbs/VerbPanel.tsx'
import { Around } from './Around.tsx'
import { AskedCall } from './AskedCall.tsx'
import { type Entry, parkedIn } from './entry.ts'
import { groupOf, KIND_WORDS, senderOf } from './groups.ts'
import { tellEntry } from './tell-entry.ts'
import { useAnswerDraft } from './useAnswerDraft.ts'

interface Props {
  readonly entry: Entry
  readonly answerRef: Ref<HTMLTextAreaElement>
  /** it is closed: the next one may open */
  readonly onDone: () => void
  /** it is decided: no other one opens, whose button would stand under the finger */
  readonly onDecided: () => void
}

/** One entry, with what came before it in its thread, and what can be done about it. */
export function OpenEntry({ entry, answerRef, onDone, onDecided }: Props) {
  const { correlation, kind, at } = entry
  const asked = askedIn(entry)
  const parked = kind === 'budget' ? parkedIn(entry.content) : null
  const sender = senderOf(entry)
  const closing = useDeed(
    (how: 'read' | 'dismissed') => api.inbox.close.$post({ json: { how, entries: [correlation] } }),
    { stale: ['inbox'], onDone },
  )
  const [isActing, { toggle }] = useDisclosure()
  const needs = groupOf(entry) === 'needs'
  return (
    <section className="card" aria-label="Entry">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Text fw={600}>{sender === 'TreeOS' ? sender : <BeingLink stance={sender} />}</Text>
            <Badge color="gray">{KIND_WORDS[kind]}</Badge>
            {entry.outside === true ? <Badge color="orange">from outside</Badge> : null}
          </Group>
          <Group gap={4} wrap="nowrap">
            <Text size="sm">
              <Time iso={at} />
            </Text>
            <Share of={{ to: '/inbox', search: { entry: correlation, in: groupOf(entry) } }} />
          </Group>
        </Group>
        {asked === null ? (
          <div className="block">
            <Inert text={tellEntry(entry)} />
          </div>
        ) : (
          <AskedCall asked={asked} from={sender} onDone={onDecided} />
        )}
        {parked === null ? null : <BudgetForm name={parked.of} resumes={parked.being} onDone={onDecided} />}
        {kind === 'question' || kind === 'answer' || kind === 'news' ? (
          <AnswerForm
            correlation={correlation}
            isAnswer={kind !== 'question'}
            answerRef={answerRef}
            onDone={onDone}
          />
        ) : null}
        <Group gap="xs">
          {needs ? (
            <SmallButton loading={closing.isPending} onClick={() => closing.mutate('dismissed')}>
              Dismiss without {asked === null ? 'an answer' : 'a yes or no'}
            </SmallButton>
          ) : (
            <SmallButton loading={closing.isPending} onClick={() => closing.mutate('read')}>
              Mark as read
            </SmallButton>
          )}
          <SmallButton variant="subtle" aria-expanded={isActing} onClick={toggle}>
            Do something
          </SmallButton>
        </Group>
        <Trouble error={closing.error} />
        <Collapse expanded={isActing}>{isActing ? <VerbPanel /> : null}</Collapse>
        <Around entry={entry} />
      </Stack>
    </section>
  )
}

interface AnswerProps extends Omit<Props, 'entry' | 'onDecided'> {
  readonly correlation: string
  /** it goes on after an answer */
  readonly isAnswer: boolean
}

function AnswerForm({ correlation, isAnswer, answerRef, onDone }: AnswerProps) {
  const draft = useAnswerDraft(correlation)
  const form = useForm({
    initialValues: { content: draft.read() },
    validate: { content: isNotEmpty() },
    onValuesChange: ({ content }) => draft.write(content),
  })
  const answering = useDeed(
    (json: typeof form.values) => api.inbox.reply.$post({ json: { correlation, ...json }, header: {} }),
    {
      stale: ['inbox'],
      onDone() {
        draft.write('')
        onDone()
      },
    },
  )
  return (
    <Form
      form={form}
      doing={answering}
      submit={isAnswer ? 'Say more' : 'Send the answer'}
      send={(values) => values}
    >
      <Textarea
        label={isAnswer ? 'What you say to it' : 'Your answer'}
        ref={answerRef}
        minRows={isAnswer ? 1 : 3}
        {...form.getInputProps('content')}
      />
    </Form>
  )
}
