import type { Artifact, Message, Task, TaskStatus } from '@a2a-js/sdk'
import { Role, TaskState } from '@a2a-js/sdk'
import { type AnswerState, textOf } from '@treeos/client'
import { type Json, TreeosError } from '@treeos/core'

const STATES: Readonly<Record<AnswerState['state'], TaskState>> = {
  working: TaskState.TASK_STATE_WORKING,
  answered: TaskState.TASK_STATE_COMPLETED,
  unanswered: TaskState.TASK_STATE_FAILED,
  failed: TaskState.TASK_STATE_FAILED,
  cut: TaskState.TASK_STATE_CANCELED,
}

/** A summon as a task: its id is the correlation, and its context is the thread. */
export function taskOf(id: string, { state, said, thread, reply, why }: AnswerState): Task {
  return {
    id,
    contextId: thread,
    status: statusOf(id, thread, STATES[state], why),
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
