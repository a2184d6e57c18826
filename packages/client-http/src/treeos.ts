import createClient, { type Client } from 'openapi-fetch'
import { eventsIn, SILENCE_SECONDS } from './events.ts'
import type { components, paths } from './generated/schema.ts'
import { Problem, problemIn } from './problem.ts'
import { newKey, pause, pauseBefore, repeating } from './repeated-request.ts'

type Schemas = components['schemas']
type Body<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Json } } }
}
  ? Json
  : never

export interface AccessOptions {
  /** the address of the portal, such as http://localhost:7438 */
  readonly url: string
  /** an access token: `treeos token create` */
  readonly token: string
  /** acts as this being, by its stance, which the person of the token drives: see `inhabit` */
  readonly as?: string
  readonly fetch?: typeof fetch
  /** how long a stream may be silent before it is lost (45); the server writes at least each 10 s */
  readonly silenceSeconds?: number
}

/** A request that is sent again with the same key is done once; left out, it has one of its own. */
interface RequestKey {
  readonly key?: string
}

/** An event of the journal: a moment that ended, or a fact. */
export interface JournalEvent {
  readonly id: string
  readonly type: 'moment' | 'fact'
  readonly [name: string]: unknown
}

/** What comes of a summon whose answer is streamed. */
export type AnswerEvent =
  | { readonly type: 'sent'; readonly correlation: string }
  /** the next words that the model wrote */
  | { readonly type: 'words'; readonly text: string }
  /** the last one */
  | { readonly type: 'answer'; readonly summoned: Schemas['Summoned'] }

/** That a being is driven, and that it is its own again. */
export type LeaseEvent =
  | { readonly event: 'inhabited'; readonly being: string; readonly driver: string; readonly epoch: number }
  | { readonly event: 'released'; readonly being: string; readonly why: 'released' | 'lost' }

/** What a trial tells. `told` has the form that `treeos trial run --json` prints. */
export interface TrialEvent {
  readonly event: 'estimate' | 'line' | 'summary'
  readonly told: unknown
}

/** What a replay tells. `told` of `compared` has the form that `treeos replay --json` prints. */
export interface ReplayEvent {
  readonly event: 'progress' | 'compared'
  readonly told: unknown
}

export interface FollowOptions {
  /** the id of the last one that was seen; left out, only new ones come */
  readonly after?: string
  /** only of this being, by its name */
  readonly being?: string
  readonly signal?: AbortSignal
}

/** How long a lost stream waits before it is opened again. */
const RETRY_MS_MIN = 200
const RETRY_MS_MAX = 5_000
/** How often an answer is asked for again after nothing of it came. */
const RETRIES_MAX = 5

/**
 * A reality as one being sees it. The methods are the four verbs and what goes with them; `api` has every
 * operation of the description, typed.
 * @example
 * const treeos = new Treeos({ url: 'https://portal.example', token })
 * const { reply } = await treeos.summon({ target: '@solomon', content: 'Who are you today?', waitSeconds: 60 })
 */
export class Treeos {
  readonly api: Client<paths>
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof fetch
  readonly #silenceSeconds: number

  constructor({ url, token, as, fetch: own = fetch, silenceSeconds = SILENCE_SECONDS }: AccessOptions) {
    this.#silenceSeconds = silenceSeconds
    this.#url = `${url.replace(/\/+$/, '')}/api/v1`
    this.#headers = { authorization: `Bearer ${token}`, ...(as === undefined ? {} : { 'treeos-as': as }) }
    this.#fetch = (...asked) => own(...asked) // browsers call it as a function of their window alone
    this.api = createClient<paths>({
      baseUrl: this.#url,
      headers: this.#headers,
      fetch: repeating(this.#fetch),
    })
  }

  /** Who I am now, and what I may reach. @throws {Problem} as all methods */
  async me(): Promise<Schemas['Self']> {
    return answerOf(await this.api.GET('/me'))
  }

  async see(address: string): Promise<Schemas['Descriptor']> {
    return answerOf(await this.api.GET('/see', { params: { query: { address } } }))
  }

  async do({ key, ...call }: Body<'/do'> & RequestKey): Promise<Schemas['Act']> {
    return answerOf(await this.api.POST('/do', { body: call, params: headerOf(key) }))
  }

  async be({ key, ...call }: Body<'/be'> & RequestKey): Promise<Schemas['Act']> {
    return answerOf(await this.api.POST('/be', { body: call, params: headerOf(key) }))
  }

  /** Speaks to a being. With `waitSeconds` it waits for the answer. */
  async summon({ key, ...said }: Body<'/summon'> & RequestKey): Promise<Schemas['Summoned']> {
    return answerOf(await this.api.POST('/summon', { body: said, params: headerOf(key) }))
  }

  /**
   * Speaks to a being, and hears its answer as it is written. What it wrote counts once the last event, the
   * answer, has come: that may be another text. After a lost connection it goes on listening with the same key,
   * so nothing is said twice; words that came meanwhile are missed.
   */
  async *summonStream({
    key = newKey(),
    signal,
    ...said
  }: Body<'/summon/stream'> & RequestKey & { readonly signal?: AbortSignal }): AsyncGenerator<
    AnswerEvent,
    void
  > {
    let isSent = false
    for (let left = RETRIES_MAX; ; left--) {
      let pauseMs: number | null = RETRY_MS_MIN
      try {
        const response = await this.#fetch(`${this.#url}/summon/stream`, {
          method: 'POST',
          headers: { ...this.#headers, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(said),
          ...(signal === undefined ? {} : { signal }),
        })
        if (!response.ok) {
          pauseMs = pauseBefore(response)
          throw problemIn(response, await response.json().catch(() => null))
        }
        for await (const { event, data } of eventsIn(response, this.#silenceSeconds)) {
          const told = JSON.parse(data)
          if (event === 'problem') pauseMs = null
          if (event === 'problem') throw new Problem(told)
          if (event === 'answer') return yield { type: 'answer', summoned: told }
          if (event === 'words' || (event === 'sent' && !isSent)) yield { type: event, ...told }
          if (event === 'sent') isSent = true
          left = RETRIES_MAX
        }
        throw new TypeError('the stream ended before the answer: ask again with the same key')
      } catch (error) {
        if (left === 0 || pauseMs === null || signal?.aborted === true || !isLoss(error)) throw error
      }
      await pause(pauseMs, signal)
    }
  }

  /**
   * Drives a being for as long as the stream is read: `inhabited`, and `released` at its end. Meanwhile a client
   * with `as` acts as it. By `signal`, or when the loop is left, the being is given back.
   */
  async *inhabit({
    signal,
    ...asked
  }: Body<'/inhabit'> & { readonly signal?: AbortSignal }): AsyncGenerator<LeaseEvent, void> {
    const events = this.#events('/inhabit', asked, signal)
    for await (const { event, data } of events)
      if (event === 'inhabited' || event === 'released') yield { event, ...JSON.parse(data) }
  }

  /** Asks past moments again. Yields the estimate, each line, and at last the summary. */
  async *runTrial({
    signal,
    ...asked
  }: Body<'/trials'> & { readonly signal?: AbortSignal }): AsyncGenerator<TrialEvent, void> {
    for await (const { event, data } of this.#events('/trials', asked, signal)) {
      const told = JSON.parse(data)
      if (event === 'refused') throw new Problem(told)
      if (event === 'estimate' || event === 'line' || event === 'summary') yield { event, told }
    }
  }

  /**
   * Lives every moment of a being again, or of all, and compares with the record. Yields lines of progress, and
   * at last what was found.
   */
  async *replay({
    being,
    signal,
  }: {
    readonly being?: string
    readonly signal?: AbortSignal
  } = {}): AsyncGenerator<ReplayEvent, void> {
    const query = being === undefined ? '' : `?${new URLSearchParams({ being })}`
    for await (const { event, data } of this.#events(`/replay${query}`, null, signal)) {
      const told = JSON.parse(data)
      if (event === 'refused') throw new Problem(told)
      if (event === 'progress' || event === 'compared') yield { event, told }
    }
  }

  /** The events with which a request is answered. @param body null: it reads @throws {Problem} its refusal */
  async *#events(path: string, body: object | null, signal: AbortSignal | undefined) {
    const asked =
      body === null
        ? { headers: this.#headers }
        : {
            method: 'POST',
            headers: { ...this.#headers, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }
    const response = await this.#fetch(`${this.#url}${path}`, {
      ...asked,
      ...(signal === undefined ? {} : { signal }),
    })
    if (!response.ok) throw problemIn(response, await response.json().catch(() => null))
    yield* eventsIn(response, this.#silenceSeconds)
  }

  /** What waits for an answer, oldest first; all pages. */
  async *inbox(): AsyncGenerator<Schemas['InboxEntry'], void> {
    yield* pagesOf((cursor) => this.api.GET('/inbox', { params: { query: queryOf(cursor) } }))
  }

  async reply({ key, ...said }: Body<'/inbox/reply'> & RequestKey): Promise<Schemas['Summoned']> {
    return answerOf(await this.api.POST('/inbox/reply', { body: said, params: headerOf(key) }))
  }

  /** Calls that wait for my yes, oldest first; all pages. */
  async *approvals(): AsyncGenerator<Schemas['Approval'], void> {
    yield* pagesOf((cursor) => this.api.GET('/approvals', { params: { query: queryOf(cursor) } }))
  }

  async approve({ key, ...answer }: Body<'/approvals/approve'> & RequestKey): Promise<Schemas['Act']> {
    return answerOf(await this.api.POST('/approvals/approve', { body: answer, params: headerOf(key) }))
  }

  async deny({ key, ...answer }: Body<'/approvals/deny'> & RequestKey): Promise<Schemas['Act']> {
    return answerOf(await this.api.POST('/approvals/deny', { body: answer, params: headerOf(key) }))
  }

  /** Finished moments of a being, newest first; all pages. */
  async *moments(name: string): AsyncGenerator<Schemas['Moment'], void> {
    yield* pagesOf((cursor) =>
      this.api.GET('/beings/{name}/moments', { params: { path: { name }, query: queryOf(cursor) } }),
    )
  }

  /**
   * What happens, as it happens. A lost connection is opened again after the last event that came, so none is
   * missed and none comes twice. It ends by `signal`, by leaving the loop, or when the token holds no more.
   */
  async *journal({ after, being, signal }: FollowOptions = {}): AsyncGenerator<JournalEvent, void> {
    let last = after
    for (let pauseMs = RETRY_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      const query = new URLSearchParams({ ...(being === undefined ? {} : { being }) })
      const headers = { ...this.#headers, ...(last === undefined ? {} : { 'last-event-id': last }) }
      const asked = { headers, ...(signal === undefined ? {} : { signal }) }
      let told: number | null = null
      try {
        const response = await this.#fetch(`${this.#url}/journal?${query}`, asked)
        told = pauseBefore(response)
        if (!response.ok) throw problemIn(response, await response.json().catch(() => null))
        for await (const { id, event, data } of eventsIn(response, this.#silenceSeconds)) {
          pauseMs = RETRY_MS_MIN
          last = id ?? last
          if (event !== 'begin') yield JSON.parse(data) as JournalEvent
        }
      } catch (error) {
        if (signal?.aborted === true) return
        if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error
      }
      await pause(Math.max(pauseMs, told ?? 0), signal)
      if (signal?.aborted === true) return
    }
  }
}

/** Not an error that whoever reads the stream threw into it, nor a fault of ours. */
const isLoss = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof Problem || error instanceof SyntaxError

interface HttpAnswer<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** What an operation of `api` answered. @throws {Problem} its refusal */
export function answerOf<T>({ data, error, response }: HttpAnswer<T>): T {
  if (data === undefined) throw problemIn(response, error)
  return data
}

const headerOf = (key: string = newKey()) => ({ header: { 'idempotency-key': key } })
const queryOf = (cursor: string | null) => (cursor === null ? {} : { cursor })

interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

/** All of a list of `api`, page by page. @param ask for the page after a cursor; null: for the first */
export async function* pagesOf<T>(
  ask: (cursor: string | null) => Promise<HttpAnswer<Page<T>>>,
): AsyncGenerator<T, void> {
  let cursor: string | null = null
  do {
    const { items, next }: Page<T> = answerOf(await ask(cursor))
    yield* items
    cursor = next
  } while (cursor !== null)
}
