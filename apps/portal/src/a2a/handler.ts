import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk'
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { type AnswerState, act, answerTo, closeInbox, refusalOf, summon } from '@treeos/client'
import { type BeingName, parseCall, quote, TreeosError } from '@treeos/core'
import { toldByApi } from '../edge/remedies.ts'
import type { Portal, Visit } from '../portal.ts'
import { contentIn, filesIn, taskOf } from './tasks.ts'

/** A client that waits longer asks for the task. */
const WAIT_SECONDS = 60
const POLL_MS_MIN = 25
const POLL_MS_MAX = 500

interface AddressedAgent {
  readonly visit: Visit
  readonly being: BeingName
  readonly card: AgentCard
  /** the page where a person says yes */
  readonly page: string
  readonly signal: AbortSignal
  readonly onError: Portal['onError']
}

/** The methods of A2A as acts of a visitor: a message is a summon, and a task what came of it. */
export class BeingHandler implements A2ARequestHandler {
  readonly #visit: Visit
  readonly #being: BeingName
  readonly #card: AgentCard
  readonly #page: string
  readonly #signal: AbortSignal
  readonly #onError: Portal['onError']

  constructor({ visit, being, card, page, signal, onError }: AddressedAgent) {
    this.#onError = onError
    this.#visit = { ...visit, at: { ...visit.at, isProgram: true } }
    this.#being = being
    this.#card = card
    this.#page = page
    this.#signal = signal
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError('the card of a being has no extension')
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    const id = await this.#receive(message)
    return configuration?.returnImmediately === true ? this.#task(id) : this.#ended(id)
  }

  async *sendMessageStream({ message }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const id = await this.#receive(message)
    yield { payload: { $case: 'task', value: await this.#task(id) } }
    yield { payload: { $case: 'task', value: await this.#ended(id) } }
  }

  async getTask({ id }: GetTaskRequest): Promise<Task> {
    return this.#task(id)
  }

  /** Cuts the thread: nothing more comes of anything that was said in it. */
  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { at, being: me } = this.#visit
    const { contextId } = await this.#task(id)
    const call = parseCall({ verb: 'do', operation: 'cut-thread', target: `thread:${contextId}`, args: {} })
    await act(at, me, call).catch((error: unknown) => this.#tell(error))
    return this.#task(id)
  }

  async *resubscribe({ id }: { readonly id: string }): AsyncGenerator<StreamResponse, void, undefined> {
    yield { payload: { $case: 'task', value: await this.#task(id) } }
  }

  async listTasks(): Promise<never> {
    throw new UnsupportedOperationError('tasks are not listed here: GET /api/v1/threads lists them')
  }

  createTaskPushNotificationConfig = notPushed
  getTaskPushNotificationConfig = notPushed
  listTaskPushNotificationConfigs = notPushed
  deleteTaskPushNotificationConfig = notPushed

  /** @returns the id of its task */
  async #receive(message: SendMessageRequest['message']): Promise<string> {
    if (message === undefined) throw new RequestMalformedError('message is missing')
    try {
      const { taskId } = message
      const asks = taskId === '' ? null : (await this.#state(taskId)).asks
      if (asks === null) return await this.#say(message)
      throw new TreeosError(
        'FORBIDDEN',
        `task ${quote(taskId)} waits for the yes or the no of its person, on the page: ${this.#page}`,
      )
    } catch (error) {
      return this.#tell(error)
    }
  }

  /** @returns the correlation, which is the id of the task */
  async #say(message: Message): Promise<string> {
    const { at, being: as } = this.#visit
    const { correlation } = await summon(at, {
      target: this.#being,
      content: contentIn(message),
      files: filesIn(message),
      thread: message.contextId === '' ? undefined : message.contextId,
      as,
      waitSeconds: null,
      key: messageKey(message),
    })
    return correlation
  }

  /** The task as soon as it waits for nothing but its client, or as it is when that takes too long. */
  async #ended(id: string): Promise<Task> {
    const until = performance.now() + WAIT_SECONDS * 1000
    for (let pauseMs = POLL_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, POLL_MS_MAX)) {
      const state = await this.#state(id)
      const isOver = state.state !== 'working' || performance.now() > until || this.#signal.aborted
      if (isOver) return taskOf(id, state, this.#page)
      await sleep(pauseMs)
    }
  }

  async #task(id: string): Promise<Task> {
    return taskOf(id, await this.#state(id), this.#page)
  }

  /** What became of a task. An answer that its client is given is read. */
  async #state(id: string): Promise<AnswerState> {
    const { at, being: me } = this.#visit
    try {
      const state = await answerTo(at, me, id)
      if (state.being !== null && state.being !== this.#being)
        throw new TaskNotFoundError(`task ${id} is not found`)
      if (state.reply !== null) await closeInbox(at, { as: me, how: 'read', entries: [state.reply.id] })
      return state
    } catch (error) {
      if (error instanceof TaskNotFoundError) throw error
      if (error instanceof TreeosError && error.code === 'CORRELATION_NOT_FOUND')
        throw new TaskNotFoundError(`task ${id} is not found`)
      return this.#tell(error)
    }
  }

  /**
   * A refusal is a malformed request to this protocol, which knows no codes of ours. Any other error is told
   * without its words.
   */
  #tell(error: unknown): never {
    if (error instanceof A2AError) throw error
    const { code, message } = toldByApi(refusalOf(error))
    if (error instanceof TreeosError) throw new RequestMalformedError(`${code}: ${message}`)
    this.#onError('a2a', error)
    throw new Error(message)
  }
}

/** A message that is sent again is not said again. */
const messageKey = ({ messageId }: Message): string | undefined =>
  messageId === '' ? undefined : `a2a ${messageId}`

async function notPushed(): Promise<never> {
  throw new PushNotificationNotSupportedError()
}
