import { Alert, Badge, Collapse, Group, Stack, Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { type Ref, useRef } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { randomId } from '../api/random-id.ts'
import { leftOf, useUnsent } from '../api/useUnsent.ts'
import { askedIn } from '../asked/waiting-call.ts'
import { BudgetForm } from '../control/BudgetForm.tsx'
import { t } from '../language/index.ts'
import { BeingLink, Form, Inert, SmallButton, Time, Trouble, useSettled, WordsInput } from '../parts/index.ts'
import { Share } from '../sharing/Share.tsx'
import { VerbPanel } from '../verbs/VerbPanel.tsx'
import { Around } from './Around.tsx'
import { AskedCall } from './AskedCall.tsx'
import { CaseMoments } from './CaseMoments.tsx'
import { type InboxCase, timesOf, whoIn } from './cases.ts'
import { type InboxEntry, parkedIn } from './entry.ts'
import { isAnswered } from './groups.ts'
import { groupOf } from './kinds.ts'
import { KIND_LABELS, senderOf } from './sender.ts'
import { tellEntry } from './tell-entry.ts'
import { type CallDecision, useMayWait } from './useDecisions.ts'

interface OpenEntryProps {
  readonly entry: InboxEntry
  /** all that the entry is looked at with */
  readonly of: InboxCase
  /** it does not wait any more: it is shown for whoever reads it, or was writing to it */
  readonly isClosed: boolean
  readonly answerRef: Ref<HTMLTextAreaElement>
  /** it is closed: the next one may open */
  readonly onDone: (of: InboxEntry) => void
  /** it is decided: no other one opens, whose button would stand under the finger */
  readonly onDecided: (of: InboxEntry) => void
  /** a call has its yes or no: it was made, or is made once it cannot be undone any more */
  readonly onAnswered: (decision: CallDecision, isMade: boolean) => void
}

/** One entry, with what came before it in its thread, and what can be done about it. */
export function OpenEntry({ entry, of, isClosed, answerRef, onDone, onDecided, onAnswered }: OpenEntryProps) {
  const { correlation, kind, at } = entry
  const asked = askedIn(entry)
  const parked = kind === 'budget' ? parkedIn(entry.content) : null
  const sender = senderOf(entry)
  const decided = () => onDecided(entry)
  const mayWait = useMayWait()
  const [isActing, { toggle }] = useDisclosure()
  return (
    <section className="card" aria-label={t('Entry')}>
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Text fw={600}>
              {of.entries.length > 1 || sender === 'TreeOS' ? whoIn(of) : <BeingLink stance={sender} />}
            </Text>
            <Badge color="gray">
              {KIND_LABELS[kind]}
              {timesOf(of) === 1 ? '' : ` × ${timesOf(of)}`}
            </Badge>
            {entry.outside === true ? <Badge color="orange">{t('from outside')}</Badge> : null}
          </Group>
          <Group gap={4} wrap="nowrap">
            <Text size="sm">
              <Time iso={at} />
            </Text>
            <Share of={{ to: '/inbox', search: { entry: correlation, in: groupOf(entry) } }} />
          </Group>
        </Group>
        {isClosed ? (
          <Alert color="blue" p="xs" role="status">
            {t('This entry is closed, or asks for nothing any more.')}
          </Alert>
        ) : null}
        {kind === 'notice' ? (
          <CaseMoments of={of} />
        ) : asked === null || isClosed ? (
          <div className="block">
            <Inert text={tellEntry(entry)} />
          </div>
        ) : (
          <AskedCall
            asked={asked}
            from={sender}
            hasKeys
            onAnswer={mayWait ? (said) => onAnswered({ entry, asked, said }, false) : undefined}
            onDone={(said) => onAnswered({ entry, asked, said }, true)}
          />
        )}
        {parked === null || isClosed ? null : (
          <BudgetForm name={parked.of} unparks={parked.being} onDone={decided} />
        )}
        {isAnswered(entry) ? (
          <AnswerForm
            correlation={correlation}
            isAnswer={groupOf(entry) !== 'needs'}
            isOff={isClosed}
            answerRef={answerRef}
            onDone={() => onDone(entry)}
          />
        ) : null}
        <Group gap="xs">
          {isClosed ? null : <CloseButton {...{ entry, of, onDone, onDecided }} />}
          <SmallButton variant="subtle" aria-expanded={isActing} onClick={toggle}>
            {t('Do something')}
          </SmallButton>
        </Group>
        <Collapse expanded={isActing}>{isActing ? <VerbPanel /> : null}</Collapse>
        <Around entry={entry} />
      </Stack>
    </section>
  )
}

/** Closes an entry without an answer. After one that is only read, the next one opens. */
type CloseProps = Pick<OpenEntryProps, 'entry' | 'of' | 'onDone' | 'onDecided'>
function CloseButton({ entry, of: { entries }, onDone, onDecided }: CloseProps) {
  const needs = groupOf(entry) === 'needs'
  const isSettled = useSettled()
  const closing = useDeed(
    (how: 'read' | 'dismissed') =>
      api.inbox.close.$post({ json: { how, entries: entries.map(({ correlation }) => correlation) } }),
    { stale: ['inbox'], onDone: () => (needs ? onDecided : onDone)(entry) },
  )
  return (
    <>
      <SmallButton
        loading={closing.isPending}
        disabled={!isSettled}
        onClick={() => closing.mutate(needs ? 'dismissed' : 'read')}
      >
        {needs
          ? askedIn(entry) === null
            ? t('Dismiss without an answer')
            : t('Dismiss without a yes or no')
          : entries.length === 1
            ? t('Mark as read')
            : t('Mark all {{n}} as read', { n: entries.length })}
      </SmallButton>
      <Trouble error={closing.error} />
    </>
  )
}

interface EntryAnswerProps extends Pick<OpenEntryProps, 'answerRef'> {
  readonly correlation: string
  /** nothing waits for it any more */
  readonly isOff: boolean
  readonly onDone: () => void
  /** it goes on after an answer */
  readonly isAnswer: boolean
}

function AnswerForm({ correlation, isAnswer, isOff, answerRef, onDone }: EntryAnswerProps) {
  const unsent = useUnsent(`answer ${correlation}`)
  // The same words sent again after a fault are one answer.
  const sent = useRef({ content: '', key: randomId() })
  const form = useForm({
    initialValues: { content: unsent.read() },
    validate: { content: isNotEmpty() },
    onValuesChange: ({ content }) => unsent.write(content),
  })
  const answering = useDeed(
    ({ content }: typeof form.values) =>
      api.inbox.reply.$post({
        json: { correlation, content },
        header: { 'idempotency-key': sent.current.key },
      }),
    {
      stale: ['inbox'],
      called: t('Your answer was not sent. It is kept where you wrote it.'),
      onDone() {
        const left = leftOf(form.getValues().content, sent.current.content)
        form.setValues({ content: left })
        unsent.write(left)
        if (left === '') onDone()
      },
    },
  )
  return (
    <Form
      form={form}
      doing={answering}
      submit={isAnswer ? t('Say more') : t('Send the answer')}
      isOff={isOff}
      send={(values) => {
        if (values.content !== sent.current.content)
          sent.current = { content: values.content, key: randomId() }
        return values
      }}
    >
      <WordsInput
        label={isAnswer ? t('What you say to it') : t('Your answer')}
        ref={answerRef}
        minRows={isAnswer ? 1 : 3}
        {...form.getInputProps('content')}
      />
    </Form>
  )
}
