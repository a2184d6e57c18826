import { Stack, Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useRef } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { randomId } from '../api/random-id.ts'
import { leftOf, useUnsent } from '../api/useUnsent.ts'
import { t } from '../language/index.ts'
import { Form, Inert, Time, WordsInput } from '../parts/index.ts'
import type { ThreadLine } from '../words/SaidLine.tsx'

interface CommentedMoment {
  /** its name */
  readonly being: string
  readonly n: number
}

interface CommentsProps extends CommentedMoment {
  /** the thread in which they stay */
  readonly thread: string
  readonly lines: readonly ThreadLine[]
}

/** How a comment begins, by which it is found among the words of its thread. */
const commentOn = ({ being, n }: CommentedMoment): string =>
  `${t('On moment {{n}} of @{{being}}:', { n, being })} `

/** What was said about a moment, and a field for more. */
export function Comments({ lines, ...of }: CommentsProps) {
  const begin = commentOn(of)
  const said = lines.filter(({ from, to, text }) => from !== null && from === to && text.startsWith(begin))
  return (
    <section className="card on-screen" aria-label={t('Comments')}>
      <Stack gap="xs">
        {said.map(({ id, at, from, text }) => (
          <Text key={id} size="sm" component="div">
            <b>{from}</b> <Inert text={text.slice(begin.length)} /> <Time iso={at} />
          </Text>
        ))}
        <CommentForm {...of} />
      </Stack>
    </section>
  )
}

/**
 * What a person says about a moment. It is said to nobody but the person, so no being is woken; as any word of
 * the thread it stays in the record, and in the story for whoever may read the past of the person.
 */
function CommentForm({ thread, being, n }: Omit<CommentsProps, 'lines'>) {
  const unsent = useUnsent(`comment ${thread} ${being} ${n}`)
  const form = useForm({
    initialValues: { text: unsent.read() },
    validate: { text: isNotEmpty() },
    onValuesChange: ({ text }) => unsent.write(text),
  })
  // Whoever sends the same words again after a fault makes no second comment.
  const sent = useRef({ text: '', key: randomId() })
  const commenting = useDeed(
    async ({ text }: typeof form.values) => {
      if (text !== sent.current.text) sent.current = { text, key: randomId() }
      const said = await api.summon.$post({
        json: { thread, content: commentOn({ being, n }) + text, expectReply: false },
        header: { 'idempotency-key': sent.current.key },
      })
      // It came from the person's own hand, so it need not be read.
      const { correlation } = (await said.clone().json()) as Awaited<ReturnType<typeof said.json>>
      await api.inbox.close.$post({ json: { how: 'read', entries: [correlation] } })
      return said
    },
    {
      stale: ['thread', thread],
      called: t('Your comment was not taken. It is kept where you wrote it.'),
      onDone() {
        const left = leftOf(form.getValues().text, sent.current.text)
        form.setValues({ text: left })
        unsent.write(left)
        sent.current = { text: '', key: randomId() }
      },
    },
  )
  return (
    <Form form={form} doing={commenting} submit={t('Keep the comment')} send={(values) => values}>
      <WordsInput
        label={t('A comment on this moment, in the thread')}
        minRows={1}
        {...form.getInputProps('text')}
      />
    </Form>
  )
}
