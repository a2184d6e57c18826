import type { Artifact, Message, Part, Task, TaskStatus } from '@a2a-js/sdk'
import { Role, TaskState } from '@a2a-js/sdk'
import { type AnswerState, callSentence, type FileInput, spokenText } from '@treeos/client'
import { type Json, TreeosError } from '@treeos/core'

const STATES: Readonly<Record<AnswerState['state'], TaskState>> = {
  working: TaskState.TASK_STATE_WORKING,
  asking: TaskState.TASK_STATE_AUTH_REQUIRED,
  answered: TaskState.TASK_STATE_COMPLETED,
  unanswered: TaskState.TASK_STATE_FAILED,
  failed: TaskState.TASK_STATE_FAILED,
  cut: TaskState.TASK_STATE_CANCELED,
}

/**
 * A summon as a task: its id is the correlation, and its context is the thread.
 * @param page where a person says yes
 */
export function taskOf(
  id: string,
  { state, said, thread, reply, why, asks }: AnswerState,
  page: string,
): Task {
  return {
    id,
    contextId: thread,
    status: taskStatus({ id, thread }, STATES[state], why, asks === null ? [] : askingOf(asks, page)),
    artifacts: reply === null ? [] : [artifactOf(id, reply.content)],
    history:
      said === null ? [] : [taskMessage(`${id}/said`, { id, thread }, Role.ROLE_USER, spokenText(said))],
    metadata: asks === null ? undefined : { approval: asks.id },
  }
}

const taskStatus = (
  own: TaskOfThread,
  state: TaskState,
  why: string | null,
  asking: readonly Part[],
): TaskStatus => {
  const words = why ?? (asking.length === 0 ? null : 'it waits for your yes')
  const said = words === null ? undefined : taskMessage(`${own.id}/why`, own, Role.ROLE_AGENT, words)
  return {
    state,
    message: said === undefined ? said : { ...said, parts: [...said.parts, ...asking] },
    timestamp: new Date().toISOString(),
  }
}

/** What a task asks for, for people and for programs. Only the person itself says yes, not its client. */
const askingOf = ({ id, call }: NonNullable<AnswerState['asks']>, page: string): Part[] => [
  partOf(`It asks for your yes to: ${callSentence(call)}\nAnswer on the page: ${page}`),
  dataOf({ approval: id, call, page }),
]

interface TaskOfThread {
  readonly id: string
  readonly thread: string
}

const artifactOf = (id: string, content: Json): Artifact => ({
  artifactId: `${id}/answer`,
  name: 'answer',
  description: '',
  // a program that asks for data gets it beside the words
  parts: [partOf(spokenText(content)), ...(typeof content === 'string' ? [] : [dataOf(content)])],
  metadata: undefined,
  extensions: [],
})

const taskMessage = (messageId: string, { id, thread }: TaskOfThread, role: Role, text: string): Message => ({
  messageId,
  contextId: thread,
  taskId: id,
  role,
  parts: [partOf(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})

const dataOf = (value: Json) => ({
  ...partOf(''),
  content: { $case: 'data' as const, value },
  mediaType: 'application/json',
})

const partOf = (value: string) => ({
  content: { $case: 'text' as const, value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
})

/**
 * What a message says: its text, or the value of its only part of data.
 * @throws {TreeosError} INVALID_INPUT for anything else
 */
export function contentIn({ parts }: Message): Json {
  const [only] = parts
  if (parts.length === 1 && only?.content?.$case === 'data') return only.content.value as Json
  const texts = parts.flatMap(({ content }) => {
    if (content?.$case === 'raw') return []
    if (content?.$case === 'text') return [content.value]
    throw new TreeosError(
      'INVALID_INPUT',
      'a being is told text and files, or one part of data: it fetches no files from an address',
    )
  })
  if (texts.length === parts.length && texts.join('') === '')
    throw new TreeosError('INVALID_INPUT', 'the message says nothing')
  return texts.join('\n')
}

/** The files that a message brings. */
export const filesIn = ({ parts }: Message): FileInput[] =>
  parts.flatMap(({ content, filename, mediaType }) =>
    content?.$case === 'raw'
      ? [{ name: filename || 'file', mediaType: mediaType || null, bytes: content.value }]
      : [],
  )
