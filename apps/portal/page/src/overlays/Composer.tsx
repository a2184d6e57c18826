import { Button, Collapse, FileInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, type UseFormReturnType, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { useDeed } from '../api/deed.ts'
import { giveFile } from '../api/files.ts'
import { randomId } from '../api/random-id.ts'
import { leftOf, useUnsent } from '../api/useUnsent.ts'
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
  { value: 'human', label: 'human: before all else' },
  { value: 'interactive', label: 'interactive' },
  { value: 'background', label: 'background' },
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
      submit="Say it"
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
          {isOpen ? 'Less' : 'Thread, overlay and more'}
        </Button>
      }
    >
      {target === undefined ? <WhomInput {...form.getInputProps('target')} /> : null}
      <WordsInput
        label={target === undefined ? 'What you say' : `What you say to ${target}`}
        minRows={2}
        maxRows={12}
        required
        {...form.getInputProps('content')}
      />
      <FileInput
        label="Pictures and files"
        description="At most 8. Each becomes a thing of yours, which counts as from outside"
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
      label="expects an answer"
      description="Off: an announcement. Who hears it acts on it before what comes later, and sends nothing back"
      {...form.getInputProps('expectsReply', { type: 'checkbox' })}
    />
    <Textarea
      label="Overlay for this call"
      description="How its model is to approach this one call. It is not recorded, and not kept here"
      minRows={2}
      maxRows={8}
      {...form.getInputProps('overlay')}
    />
    {isNew ? (
      <TextInput
        label="Thread"
        description="The id of a thread that you have a part in; left out, a new one"
        {...form.getInputProps('thread')}
      />
    ) : null}
    <TextInput
      label="Channel"
      description="The name of the conversation that it is said in"
      {...form.getInputProps('channel')}
    />
    <TextInput label="Role" description="A role that it is asked to wear" {...form.getInputProps('role')} />
    <Select label="Priority" clearable data={PRIORITIES} {...form.getInputProps('priority')} />
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
