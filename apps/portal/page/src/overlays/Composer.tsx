import { Button, Collapse, FileInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { giveFile } from '../api/files.ts'
import { randomId } from '../api/random-id.ts'
import { leftOf, useUnsent } from '../api/useUnsent.ts'
import { t } from '../language/index.ts'
import { Form, given, WordsInput } from '../parts/index.ts'
import { SummonProgress } from './SummonProgress.tsx'
import { WhomInput } from './WhomInput.tsx'

interface ComposerProps {
  /** whom it is said to; left out, it is asked for */
  readonly target?: string
  /** the thread that it continues */
  readonly thread?: string
  readonly onSaid?: (correlation: string) => void
}

const PRIORITIES = [
  { value: 'human', label: t('human: before all else') },
  { value: 'interactive', label: t('interactive') },
  { value: 'background', label: t('background') },
]
const EMPTY_MESSAGE = {
  target: '',
  content: '',
  thread: '',
  channel: '',
  role: '',
  overlay: '',
  priority: null as 'human' | null,
  expectsReply: true,
}

/**
 * Says something to a being. An overlay is sent with its call alone: nothing keeps it in the page once it is
 * sent, neither the form nor what it sent last, nor the memory of mutations, which holds no variables of this
 * one.
 */
export function Composer({ target, thread, onSaid }: ComposerProps) {
  const unsent = useUnsent(`words ${target ?? thread ?? ''}`)
  const form = useForm({
    initialValues: { ...EMPTY_MESSAGE, target: target ?? '', content: unsent.read() },
    validate: { content: isNotEmpty() },
    onValuesChange: ({ content }) => unsent.write(content),
  })
  const [files, setFiles] = useState<File[]>([])
  const [isOpen, { toggle }] = useDisclosure()
  // The thread may begin with what is said here, and then it goes on in it.
  const of = thread ?? form.values.thread.trim()
  // The same words sent again after a fault are one message.
  const sent = useRef({ values: EMPTY_MESSAGE, files: [] as File[], key: randomId() })
  const saying = useDeed(
    async () => {
      const { key } = sent.current
      const things: string[] = []
      for (const [i, file] of files.entries()) things.push(await giveFile(file, `${key} ${i}`))
      return api.summon.$post({
        json: saidIn({ ...form.values, thread: of }, things),
        header: { 'idempotency-key': key },
      })
    },
    {
      onDone: ({ correlation }) => {
        const { content } = form.getValues()
        form.setValues({ content: leftOf(content, sent.current.values.content), overlay: '' })
        sent.current = { values: EMPTY_MESSAGE, files: [], key: randomId() }
        setFiles([])
        onSaid?.(correlation)
      },
    },
  )
  return (
    <Form
      form={form}
      doing={saying}
      submit={t('Say it')}
      send={(said) => {
        const values = { ...said, thread: of }
        const isSame =
          files === sent.current.files && JSON.stringify(values) === JSON.stringify(sent.current.values)
        if (!isSame) sent.current = { values, files, key: randomId() }
      }}
      done={
        saying.data === undefined ? null : (
          <SummonProgress
            correlation={saying.data.correlation}
            salt={saying.data.overlay?.salt ?? null}
            thread={of}
          />
        )
      }
      trailing={
        <Button variant="subtle" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? t('Less') : t('Thread, overlay and more')}
        </Button>
      }
    >
      {target === undefined ? <WhomInput {...form.getInputProps('target')} /> : null}
      <WordsInput
        label={target === undefined ? t('What you say') : t('What you say to {{target}}', { target })}
        minRows={2}
        maxRows={12}
        required
        {...form.getInputProps('content')}
      />
      <FileInput
        label={t('Pictures and files')}
        description={t('At most 8. Each becomes a thing of yours, which counts as from outside')}
        multiple
        clearable
        value={files}
        onChange={setFiles}
      />
      <Collapse expanded={isOpen}>
        <More form={form} isNew={thread === undefined} />
      </Collapse>
    </Form>
  )
}

interface ComposerMoreProps {
  readonly form: UseFormReturnType<typeof EMPTY_MESSAGE>
  /** it begins a thread unless one is named */
  readonly isNew: boolean
}

const More = ({ form, isNew }: ComposerMoreProps) => (
  <Stack gap="sm">
    <Switch
      label={t('expects an answer')}
      description={t(
        'Off: an announcement. Who hears it acts on it before what comes later, and sends nothing back',
      )}
      {...form.getInputProps('expectsReply', { type: 'checkbox' })}
    />
    <Textarea
      label={t('Overlay for this call')}
      description={t('How its model is to approach this one call. It is not recorded, and not kept here')}
      minRows={2}
      maxRows={8}
      {...form.getInputProps('overlay')}
    />
    {isNew ? (
      <TextInput
        label={t('Thread')}
        description={t('The id of a thread that you have a part in; left out, a new one')}
        {...form.getInputProps('thread')}
      />
    ) : null}
    <TextInput
      label={t('Channel')}
      description={t('The name of the conversation that it is said in')}
      {...form.getInputProps('channel')}
    />
    <TextInput
      label={t('Role')}
      description={t('A role that it is asked to wear')}
      {...form.getInputProps('role')}
    />
    <Select label={t('Priority')} clearable data={PRIORITIES} {...form.getInputProps('priority')} />
  </Stack>
)

function saidIn(
  { target, content, overlay, priority, expectsReply, ...rest }: typeof EMPTY_MESSAGE,
  files: readonly string[],
) {
  const to = target.trim()
  return {
    target: to.startsWith('@') ? to : `@${to}`,
    content: files.length === 0 ? content : { text: content, files },
    ...given(rest),
    ...(priority === null ? {} : { priority }),
    ...(expectsReply ? {} : { expectReply: false }),
    ...(overlay === '' ? {} : { overlay }),
  }
}
