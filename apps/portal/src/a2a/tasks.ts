import type { Artifact, Message, Task, TaskStatus } from '@a2a-js/sdk'
import { Role, TaskState } from '@a2a-js/sdk'
import { type AnswerState, textOf } from '@treeos/client'
import { isJsonObject, type Json, type JsonObject, TreeosError } from '@treeos/core'

const STATES: Readonly<Record<AnswerState['state'], TaskState>> = {
  working: TaskState.TASK_STATE_WORKING,
  asking: TaskState.TASK_STATE_INPUT_REQUIRED,
  answered: TaskState.TASK_STATE_COMPLETED,
  unanswered: TaskState.TASK_STATE_FAILED,
  failed: TaskState.TASK_STATE_FAILED,
  cut: TaskState.TASK_STATE_CANCELED,
}

/** How the client of a task that waits for a yes answers. */
const ASKING =
  'Answer this task with yes or no, or with data: {"approve": true, "args"?, "why"?}. It asks about:'

/** A summon as a task: its id is the correlation, and its context is the thread. */
export function taskOf(id: string, { state, said, thread, reply, why, asks }: AnswerState): Task {
  return {
    id,
    contextId: thread,
    status: statusOf(
      id,
      thread,
      STATES[state],
      asks === null ? why : `${why}\n${ASKING}\n${textOf(asks.call)}`,
    ),
    artifacts: reply === null ? [] : [artifactOf(id, reply.content)],
    history: said === null ? [] : [messageOf(`${id}/said`, { id, thread }, Role.ROLE_USER, textOf(said))],
    metadata: undefined,
  }
}

const statusOf = (id: string, thread: string, state: TaskState, why: string | null): TaskStatus => ({
  state,
  message: why === null ? undefined : messageOf(`${id}/why`, { id, thread }, Role.ROLE_AGENT, why),
  timestamp: new Date().toISOString(),
})

const artifactOf = (id: string, content: Json): Artifact => ({
  artifactId: `${id}/answer`,
  name: 'answer',
  description: '',
  parts: [partOf(textOf(content))],
  metadata: undefined,
  extensions: [],
})

const messageOf = (
  messageId: string,
  { id, thread }: { readonly id: string; readonly thread: string },
  role: Role,
  text: string,
): Message => ({
  messageId,
  contextId: thread,
  taskId: id,
  role,
  parts: [partOf(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})

const partOf = (value: string) => ({
  content: { $case: 'text' as const, value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
})

/** What a message says: its text, or the value of its only part of data. @throws {TreeosError} INVALID_INPUT for anything else */
export function contentIn({ parts }: Message): Json {
  const [only] = parts
  if (parts.length === 1 && only?.content?.$case === 'data') return only.content.value as Json
  const texts = parts.map(({ content }) => {
    if (content?.$case === 'text') return content.value
    throw new TreeosError('INVALID_INPUT', 'a being is told text, or one part of data: it takes no files')
  })
  if (texts.join('') === '') throw new TreeosError('INVALID_INPUT', 'the message says nothing')
  return texts.join('\n')
}

const YES = new Set(['yes', 'approve'])
const NO = new Set(['no', 'deny'])

/**
 * A yes or a no, in one word or as data: `{"approve": boolean, "args"?: object, "why"?: text}`.
 * @throws {TreeosError} INVALID_INPUT for anything else: what is not clear is no yes
 */
export function consentIn(message: Message): {
  readonly action: 'approve' | 'deny'
  readonly args: JsonObject
} {
  const content = contentIn(message)
  if (typeof content === 'string') {
    const word = content.trim().toLowerCase()
    if (YES.has(word)) return { action: 'approve', args: {} }
    if (NO.has(word)) return { action: 'deny', args: {} }
  } else if (isJsonObject(content) && typeof content.approve === 'boolean') {
    const { approve, args, why, ...odd } = content
    const given = approve
      ? { ...(args === undefined ? {} : { args }) }
      : { ...(why === undefined ? {} : { why }) }
    if (Object.keys(odd).length === 0) return { action: approve ? 'approve' : 'deny', args: given }
  }
  throw new TreeosError(
    'INVALID_INPUT',
    'this task waits for a yes or a no: say one of these words, or {"approve": true or false} as data',
  )
}
