import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, type JsonObject, masked, messageOfThrown, TreeosError, timerMs } from '@treeos/core'
import { boundedAnswer } from './answer.ts'
import { connect, type ToolConnection } from './connect.ts'
import { digestOfTool, readTools, type SchemaFault, type ToolList } from './definition.ts'
import { START_SECONDS, type ToolCall } from './extension.ts'
import { isForgotten, isGone, isOutOfTime, toolFault } from './fault.ts'
import type { ServerEntry } from './file.ts'
import { loadSchemaFault } from './schema.ts'
import { writtenAnswer, writtenTools } from './wire.ts'

/** What a server is doing, for people. */
export interface ServerState {
  /** `idle`: no call has needed it yet; `down`: it ended, or cannot be reached, and is started again */
  readonly state: 'idle' | 'running' | 'down'
  /** process id of a server that we started */
  readonly pid: number | null
  readonly protocol: string | null
  /** how often it was started again */
  readonly restarts: number
  /** why it is down, or ended last; null when it never did */
  readonly fault: string | null
}

interface OpenConnection extends ToolConnection {
  /** the declarations of its tools; read again when it says that they changed, and after a while */
  list: { readonly at: number; readonly tools: Promise<ToolList> } | null
  readonly secrets: string
  /** set while it has to show that it lives, since it let a call time out */
  suspected: Promise<void> | null
}

/** Servers need not say that a tool changed, so what they declare is asked for again after this time. */
const LIST_MS = 30_000
const LIST_TIMEOUT_MS = 20_000
/** How long a server that let a call time out may take to show that it lives. */
const ALIVE_MS = 3_000
/** How often a call starts a server that ends at once. */
const ATTEMPTS_MAX = 3
const BACKOFF_MS_MIN = 500
const BACKOFF_MS_MAX = 30_000
const FAULT_CHARS_MAX = 300

/**
 * One server of a worker. It is started by the first call, then kept running: when it ends, it is started
 * again.
 */
export class ToolServer {
  readonly #name: string
  readonly #entry: ServerEntry
  #open: Promise<OpenConnection> | null = null
  #current: OpenConnection | null = null
  #shown: Pick<ServerState, 'state' | 'pid' | 'protocol'> = { state: 'idle', pid: null, protocol: null }
  #restarts = 0
  #fault: string | null = null
  #faultOfSchema: SchemaFault | null = null
  #backoffMs = BACKOFF_MS_MIN
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(name: string, entry: ServerEntry) {
    this.#name = name
    this.#entry = entry
  }

  get state(): ServerState {
    return { ...this.#shown, restarts: this.#restarts, fault: this.#fault }
  }

  /**
   * @returns the answer, also one that says that the tool failed (`isError`)
   * @throws {TreeosError} when nothing was called, or the server refused; any other error when it may have
   *   done it
   */
  async call(call: ToolCall): Promise<JsonObject> {
    try {
      return await this.#callIn(await this.#ready(call), call)
    } catch (error) {
      if (!(error instanceof ForgottenSessionError)) throw error
    }
    // The server refused the session, so it did not take the call: it is asked again, once, in a new one.
    return this.#callIn(await this.#ready(call), call)
  }

  async #callIn(open: OpenConnection, call: ToolCall): Promise<JsonObject> {
    const { tool, args, key, signal, keep } = call
    signal.throwIfAborted() // its attempt ended while the server started, so nobody would hear the answer
    const { silenceSeconds, timeoutSeconds } = this.#entry
    // An end by a signal is told to the server, also while it reports progress.
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(timerMs(timeoutSeconds))])
    try {
      const answer = await open.client.callTool(
        { name: tool, arguments: args, _meta: { 'treeos/key': key } },
        {
          signal: inTime,
          timeout: timerMs(silenceSeconds),
          resetTimeoutOnProgress: true,
          onprogress: () => undefined, // asks for progress, which the timeout of silence hears
          // What it answers is data like any other text: it is bounded, and not held to the schema of its
          // server.
          toolDefinition: { name: tool, inputSchema: { type: 'object' } },
        },
      )
      return await boundedAnswer(writtenAnswer(answer), keep)
    } catch (error) {
      if (isForgotten(error, open.hasSession())) {
        this.#drop(open, messageOfThrown(error))
        throw new ForgottenSessionError(`${this.#name}:${tool} was not called: its server forgot the session`)
      }
      const isLate = isOutOfTime(error) || inTime.aborted
      if (isLate) open.suspected = this.#endIfHung(open)
      if (isGone(error, open.hasSession())) this.#drop(open, messageOfThrown(error))
      throw toolFault(`${this.#name}:${tool}`, error, isLate)
    }
  }

  /** What it declares now. @throws {TreeosError} SERVICE_UNAVAILABLE */
  async list(secrets: Readonly<Record<string, string>>): Promise<ToolList> {
    return this.#listOf(await this.#reached(secrets))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    const open = await this.#open?.catch(() => null)
    await open?.client.close()
  }

  /**
   * The running server, if its tool is the one that was accepted. Nothing is called when that takes too long.
   */
  async #ready(call: ToolCall): Promise<OpenConnection> {
    const timer = new AbortController()
    const late = sleep(1000 * START_SECONDS, null, { signal: timer.signal })
    const reached = this.#reached(call.secrets).then(async (open) => {
      await this.#requireAccepted(open, call)
      return open
    })
    try {
      const open = await Promise.race([reached, late])
      if (open === null) throw this.#away(`it is not ready within ${START_SECONDS} s`)
      return open
    } finally {
      timer.abort()
      for (const left of [late, reached]) left.catch(() => undefined) // nobody waits for it any more
    }
  }

  async #requireAccepted(open: OpenConnection, { tool, digest }: ToolCall): Promise<void> {
    const { tools, leftOut } = await this.#listOf(open)
    const now = Object.hasOwn(tools, tool) ? tools[tool] : undefined
    const named = `${this.#name}:${tool}`
    if (now === undefined)
      throw new TreeosError(
        'FORBIDDEN',
        `${named} is not called: ${Object.hasOwn(leftOut, tool) ? leftOut[tool] : 'its server has no such tool any more'}`,
      )
    if (digestOfTool(tool, now) === digest) return
    throw new TreeosError(
      'FORBIDDEN',
      `${named} is not called: its server declares it in another way than the operator accepted. The operator can compare both, and accept it as it is now`,
    )
  }

  #listOf(open: OpenConnection): Promise<ToolList> {
    if (open.list !== null && performance.now() - open.list.at < LIST_MS) return open.list.tools
    const tools = this.#ask(open)
    const list = { at: performance.now(), tools }
    open.list = list
    tools.catch(() => {
      if (open.list === list) open.list = null
    })
    return tools
  }

  async #ask(open: OpenConnection): Promise<ToolList> {
    try {
      const { tools } = await open.client.listTools(undefined, {
        cacheMode: 'bypass',
        timeout: LIST_TIMEOUT_MS,
      })
      this.#faultOfSchema ??= await loadSchemaFault()
      // A mind and its record are told what it declares, so a secret in there is masked before that is accepted.
      return readTools(masked(writtenTools(tools) as Json[], JSON.parse(open.secrets)), this.#faultOfSchema)
    } catch (error) {
      this.#drop(open, messageOfThrown(error))
      if (isForgotten(error, open.hasSession()))
        throw new ForgottenSessionError(`nothing was called: the server ${this.#name} forgot the session`)
      throw this.#away(`it does not list its tools: ${messageOfThrown(error)}`)
    }
  }

  /** The running server. Another value of a secret starts it anew. */
  async #reached(secrets: Readonly<Record<string, string>>): Promise<OpenConnection> {
    const given = JSON.stringify(secrets)
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      const open = await (this.#open ?? this.#start(secrets))
      await open.suspected
      if (this.#current !== open) continue
      if (open.secrets === given) return open
      this.#drop(open, 'its secrets have other values now')
    }
    throw this.#away(this.#fault ?? 'it ends as soon as it is started')
  }

  #start(secrets: Readonly<Record<string, string>>): Promise<OpenConnection> {
    if (this.#isClosed) throw this.#away('this worker stops')
    const starting = this.#connect(secrets)
    this.#open = starting
    starting.catch((error: unknown) => {
      if (this.#open === starting) this.#open = null
      this.#shown = { state: 'down', pid: null, protocol: null }
      this.#fault = short(error, secrets)
    })
    return starting.catch((error: unknown) => {
      throw this.#away(short(error, secrets))
    })
  }

  async #connect(secrets: Readonly<Record<string, string>>): Promise<OpenConnection> {
    const connected = await connect(this.#entry, secrets)
    const open: OpenConnection = {
      ...connected,
      list: null,
      suspected: null,
      secrets: JSON.stringify(secrets),
    }
    const { client, pid, protocol } = connected
    this.#current = open
    client.onclose = () =>
      this.#lost(open, open.told() === '' ? 'it ended' : `it ended; it wrote: ${open.told()}`)
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      open.list = null
    })
    this.#shown = { state: 'running', pid, protocol }
    this.#backoffMs = BACKOFF_MS_MIN
    return open
  }

  /** Leaves a connection that is of no use any more: the next call finds another one. */
  #drop(open: OpenConnection, why: string): void {
    this.#lost(open, why)
    void open.client.close().catch(() => undefined) // it is gone already
  }

  /** Not of a connection that was left before. */
  #lost(open: OpenConnection, why: string): void {
    if (this.#current !== open) return
    this.#open = null
    this.#current = null
    this.#fault = short(why, JSON.parse(open.secrets))
    this.#shown = { state: 'down', pid: null, protocol: null }
    if (!this.#isClosed) this.#startAgain(JSON.parse(open.secrets))
  }

  #startAgain(secrets: Readonly<Record<string, string>>): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#isClosed || this.#open !== null) return
      this.#restarts += 1
      this.#start(secrets).catch(() => this.#startAgain(secrets))
    }, this.#backoffMs)
    this.#timer.unref()
    this.#backoffMs = Math.min(2 * this.#backoffMs, BACKOFF_MS_MAX)
  }

  /**
   * A server that answers nothing after a call timed out is ended, so that the next call finds one that does.
   */
  async #endIfHung(open: OpenConnection): Promise<void> {
    try {
      await open.client.listTools(undefined, { cacheMode: 'bypass', timeout: ALIVE_MS })
    } catch {
      this.#drop(open, 'it hung: it answered nothing any more')
    }
  }

  #away(why: string): TreeosError {
    return new TreeosError(
      'SERVICE_UNAVAILABLE',
      `nothing was called: the server ${this.#name} is away: ${short(why)}`,
    )
  }
}

/** The server did not take the call, and takes it perhaps in a new session. */
class ForgottenSessionError extends TreeosError {
  constructor(message: string) {
    super('SERVICE_UNAVAILABLE', message)
  }
}

/** For `treeos status`. A server may write its secrets into its errors. */
const short = (why: unknown, secrets: Readonly<Record<string, string>> = {}): string =>
  masked(messageOfThrown(why), secrets).slice(0, FAULT_CHARS_MAX)
