import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  StreamResponse,
  Task,
} from '@a2a-js/sdk'
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { act, answerTo, refusalOf, summon } from '@treeos/client'
import { type BeingName, parseCall, TreeosError } from '@treeos/core'
import type { Portal, Visit } from '../portal.ts'
import { contentIn, taskOf } from './tasks.ts'

/** A client that waits longer asks for the task. */
const WAIT_SECONDS = 60

interface Addressed {
  readonly visit: Visit
  readonly being: BeingName
  readonly card: AgentCard
  readonly signal: AbortSignal
  readonly onError: Portal['onError']
}

/** The methods of A2A as acts of a visitor: a message is a summon, and a task what came of it. */
export class BeingHandler implements A2ARequestHandler {
  readonly #visit: Visit
  readonly #being: BeingName
  readonly #card: AgentCard
  readonly #signal: AbortSignal
  readonly #onError: Portal['onError']

  constructor({ visit, being, card, signal, onError }: Addressed) {
    this.#onError = onError
    this.#visit = visit
    this.#being = being
    this.#card = card
    this.#signal = signal
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError('the card of a being has no extension')
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    const id = await this.#say(message, configuration?.returnImmediately === true ? null : WAIT_SECONDS)
    return this.#task(id)
  }

  async *sendMessageStream({ message }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const { promise: sent, resolve } = Promise.withResolvers<string>()
    const said = this.#say(message, WAIT_SECONDS, resolve)
    said.catch(() => undefined) // a reader that goes away never asks for it
    yield { payload: { $case: 'task', value: await this.#task(await Promise.race([sent, said])) } }
    yield { payload: { $case: 'task', value: await this.#task(await said) } }
  }

  async getTask({ id }: GetTaskRequest): Promise<Task> {
    return this.#task(id)
  }

  /** Cuts the thread: nothing more comes of anything that was said in it. */
  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { at, being: me } = this.#visit
    const { contextId } = await this.#task(id)
    const call = parseCall({ verb: 'do', action: 'cut-thread', target: `thread:${contextId}`, args: {} })
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

  /** @returns the correlation, which is the id of the task */
  async #say(
    message: SendMessageRequest['message'],
    waitSeconds: number | null,
    onSent?: (correlation: string) => void,
  ): Promise<string> {
    if (message === undefined) throw new RequestMalformedError('message is missing')
    const { at, being: as } = this.#visit
    let correlation: string | null = null
    try {
      const sent = await summon(at, {
        target: this.#being,
        content: contentIn(message),
        thread: message.contextId === '' ? undefined : message.contextId,
        as,
        waitSeconds,
        key: message.messageId === '' ? undefined : `a2a ${message.messageId}`,
        signal: this.#signal,
        onSent: (id) => {
          correlation = id
          onSent?.(id)
        },
      })
      return sent.correlation
    } catch (error) {
      // What went wrong after it was sent is the end of its task.
      const isSaid = correlation !== null && refusalOf(error).code !== 'RESOURCE_CONFLICT'
      if (isSaid && correlation !== null && (await this.#isTask(correlation))) return correlation
      return this.#tell(error)
    }
  }

  async #isTask(id: string): Promise<boolean> {
    const { state, being } = await answerTo(this.#visit.at, this.#visit.being, id)
    return being !== null || state === 'working'
  }

  async #task(id: string): Promise<Task> {
    try {
      const state = await answerTo(this.#visit.at, this.#visit.being, id)
      if (state.being !== null && state.being !== this.#being)
        throw new TaskNotFoundError(`task ${id} is not found`)
      return taskOf(id, state)
    } catch (error) {
      if (error instanceof TaskNotFoundError) throw error
      if (error instanceof TreeosError && error.code === 'CORRELATION_NOT_FOUND')
        throw new TaskNotFoundError(`task ${id} is not found`)
      return this.#tell(error)
    }
  }

  /** A refusal is a malformed request to this protocol, which knows no codes of ours. Any other error is told without its words. */
  #tell(error: unknown): never {
    const { code, message } = refusalOf(error)
    if (error instanceof TreeosError) throw new RequestMalformedError(`${code}: ${message}`)
    this.#onError('a2a', error)
    throw new Error(message)
  }
}

async function notPushed(): Promise<never> {
  throw new PushNotificationNotSupportedError()
}
