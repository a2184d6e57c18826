import type { Artifact, Message, Task, TaskStatus } from '@a2a-js/sdk'
import { Role, TaskState } from '@a2a-js/sdk'
import { type AnswerState, callSentence, type FileInput, spokenText } from '@treeos/client'
import { isJsonObject, type Json, type JsonObject, TreeosError } from '@treeos/core'

const STATES: Readonly<Record<AnswerState['state'], TaskState>> = {
  working: TaskState.TASK_STATE_WORKING,
  asking: TaskState.TASK_STATE_INPUT_REQUIRED,
  answered: TaskState.TASK_STATE_COMPLETED,
  unanswered: TaskState.TASK_STATE_FAILED,
  failed: TaskState.TASK_STATE_FAILED,
  cut: TaskState.TASK_STATE_CANCELED,
}

/** A summon as a task: its id is the correlation, and its context is the thread. */
export function taskOf(id: string, { state, said, thread, reply, why, asks }: AnswerState): Task {
  return {
    id,
    contextId: thread,
    status: taskStatus(id, thread, STATES[state], why, asks),
    artifacts: reply === null ? [] : [artifactOf(id, reply.content)],
    history:
      said === null ? [] : [taskMessage(`${id}/said`, { id, thread }, Role.ROLE_USER, spokenText(said))],
    metadata: asks === null ? undefined : { approval: asks.id },
  }
}

const taskStatus = (
  id: string,
  thread: string,
  state: TaskState,
  why: string | null,
  asks: AnswerState['asks'],
): TaskStatus => {
  const own = { id, thread }
  const words = why ?? (asks === null ? null : 'it waits for your yes')
  const said = words === null ? undefined : taskMessage(`${id}/why`, own, Role.ROLE_AGENT, words)
  return {
    state,
    message:
      said === undefined || asks === null ? said : { ...said, parts: [...said.parts, ...askingOf(asks)] },
    timestamp: new Date().toISOString(),
  }
}

/**
 * What a task asks for, for people and for programs. Its id has to come back: nobody says yes to what was not
 * shown.
 */
const askingOf = ({ id, call }: NonNullable<AnswerState['asks']>) => [
  partOf(`It asks for your yes to: ${callSentence(call)}\nAnswer this task with: yes ${id}, or: no ${id}`),
  dataOf({ approval: id, call }),
]

const artifactOf = (id: string, content: Json): Artifact => ({
  artifactId: `${id}/answer`,
  name: 'answer',
  description: '',
  // a program that asks for data gets it beside the words
  parts: [partOf(spokenText(content)), ...(typeof content === 'string' ? [] : [dataOf(content)])],
  metadata: undefined,
  extensions: [],
})

const taskMessage = (
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

/** A yes or a no to one question. */
export interface Consent {
  /** the question, as its task said it */
  readonly id: string
  readonly operation: 'approve' | 'deny'
  readonly args: JsonObject
}

const WORDS = /^(yes|approve|no|deny) +(\S+)$/i

/**
 * A yes or a no, with the id of the question that the client was shown: `yes ID`, or data `{"approve":
 * boolean, "id": ID, "args"?: object, "why"?: text}`.
 * @throws {TreeosError} INVALID_INPUT for anything else: what is not clear, or names no question, is not a
 *   yes
 */
export function consentIn(message: Message): Consent {
  const content = contentIn(message)
  if (typeof content === 'string') {
    const [, word = '', id] = WORDS.exec(content.trim()) ?? []
    const isYes = /^(yes|approve)$/i.test(word)
    if (id !== undefined) return { id, operation: isYes ? 'approve' : 'deny', args: {} }
  } else if (isJsonObject(content)) {
    const { approve, id, args, why, ...odd } = content
    if (typeof approve === 'boolean' && typeof id === 'string' && Object.keys(odd).length === 0)
      return approve
        ? { id, operation: 'approve', args: args === undefined ? {} : { args } }
        : { id, operation: 'deny', args: why === undefined ? {} : { why } }
  }
  throw new TreeosError(
    'INVALID_INPUT',
    'this task waits for a yes or a no to one question: say `yes ID` or `no ID` with the id that its status has, or ' +
      '{"approve": true or false, "id": ID} as data',
  )
}
