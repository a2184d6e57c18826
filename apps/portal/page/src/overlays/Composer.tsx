import {
  Anchor,
  Button,
  Collapse,
  Group,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { threadQuery } from '../api/queries.ts'
import { Trouble } from '../shell/states.tsx'

interface Props {
  /** whom it is said to; left out, it is asked for */
  readonly target?: string
  /** the thread that it continues */
  readonly thread?: string
  /** whether it is an announcement at first */
  readonly announces?: boolean
  readonly label?: string
}

const PRIORITIES = [
  { value: 'human', label: 'human: before all else' },
  { value: 'interactive', label: 'interactive' },
  { value: 'background', label: 'background' },
]

/**
 * Says something to a being. An overlay is sent with its call alone: nothing keeps it in the page once it is sent, neither the
 * form nor the memory of mutations, which holds no variables of this one.
 */
export function Composer({ target: given, thread: within, announces = false, label = 'Say it' }: Props) {
  const [target, setTarget] = useState(given ?? '')
  const [content, setContent] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [thread, setThread] = useState(within ?? '')
  const [channel, setChannel] = useState('')
  const [role, setRole] = useState('')
  const [priority, setPriority] = useState<string | null>(null)
  const [expectsReply, setExpectsReply] = useState(!announces)
  const [overlay, setOverlay] = useState('')
  const queries = useQueryClient()
  const saying = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const to = (given ?? target).trim()
      const json = {
        target: to.startsWith('@') ? to : `@${to}`,
        content,
        ...(thread.trim() === '' ? {} : { thread: thread.trim() }),
        ...(channel.trim() === '' ? {} : { channel: channel.trim() }),
        ...(role.trim() === '' ? {} : { role: role.trim() }),
        ...(priority === null ? {} : { priority: priority as 'human' }),
        ...(expectsReply ? {} : { expectReply: false }),
        ...(overlay === '' ? {} : { overlay }),
      }
      const answer = await api.say.$post({ json })
      return { ...(await answer.json()), thread: thread.trim() }
    },
    onSuccess: () => {
      setContent('')
      setOverlay('')
      void queries.invalidateQueries({ queryKey: ['thread'] })
      void queries.invalidateQueries({ queryKey: ['threads'] })
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    saying.mutate()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        {given === undefined ? (
          <TextInput
            label="Being"
            placeholder="@echo"
            required
            withAsterisk={false}
            data-autofocus
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
        ) : null}
        <Textarea
          label={given === undefined ? 'What you say' : `What you say to ${given}`}
          autosize
          minRows={2}
          maxRows={12}
          required
          withAsterisk={false}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        <Collapse expanded={isOpen}>
          <Stack gap="sm">
            <Switch
              label="expects an answer"
              description="Off: an announcement. Who hears it acts on it before what comes later, and sends nothing back"
              checked={expectsReply}
              onChange={(event) => setExpectsReply(event.currentTarget.checked)}
            />
            <Textarea
              label="Overlay for this call"
              description="How its model is to approach this one call. It is not recorded, and not kept here"
              autosize
              minRows={2}
              maxRows={8}
              value={overlay}
              onChange={(event) => setOverlay(event.currentTarget.value)}
            />
            {within === undefined ? (
              <TextInput
                label="Thread"
                description="The id of a thread that you have a part in; left out, a new one"
                value={thread}
                onChange={(event) => setThread(event.currentTarget.value)}
              />
            ) : null}
            <TextInput
              label="Channel"
              description="The name of the conversation that it is said in"
              value={channel}
              onChange={(event) => setChannel(event.currentTarget.value)}
            />
            <TextInput
              label="Role"
              description="A role that it is asked to wear"
              value={role}
              onChange={(event) => setRole(event.currentTarget.value)}
            />
            <Select label="Priority" clearable data={PRIORITIES} value={priority} onChange={setPriority} />
          </Stack>
        </Collapse>
        <Trouble error={saying.error} />
        {saying.data === undefined ? null : <Sent {...saying.data} />}
        <Group>
          <Button type="submit" loading={saying.isPending} disabled={content.trim() === ''}>
            {label}
          </Button>
          <Button variant="subtle" aria-expanded={isOpen} onClick={() => setOpen((open) => !open)}>
            {isOpen ? 'Less' : 'Thread, overlay and more'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface SentProps {
  readonly correlation: string
  readonly thread: string
  readonly salt: string | null
}

/** What became of what was said, as it happens, and the proof of its overlay, which is shown this once. */
function Sent({ correlation, thread, salt }: SentProps) {
  const id = thread === '' ? correlation : thread
  const { data } = useQuery(threadQuery(id))
  const line = data?.lines.find((one) => one.id === correlation)
  return (
    <div role="status">
      <Text size="sm">
        Said.{' '}
        {line === undefined ? null : line.moment === null ? (
          line.isOpen ? (
            `It waits in the inbox of ${line.to}. `
          ) : (
            ''
          )
        ) : (
          <>
            <Link to="/beings/$name" params={{ name: line.to.slice(1) }} search={{ n: line.moment.n }}>
              Moment {line.moment.n} of {line.to}
            </Link>
            : {line.moment.outcome}.{' '}
          </>
        )}
        <Anchor component={Link} to={`/threads/${id}`} size="sm">
          Follow it in its thread
        </Anchor>
      </Text>
      {salt === null ? null : (
        <Text size="xs" className="quiet">
          Its overlay was sent and is kept nowhere. With this salt you can prove later what it was:{' '}
          <span className="code inert">{salt}</span>
        </Text>
      )}
    </div>
  )
}
