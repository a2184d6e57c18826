/** A TCP proxy between our processes and their servers that misbehaves on demand. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitWatch, HeldAnswer } from './postgres-wire.ts'

export interface Target {
  readonly host: string
  readonly port: number
}

/** What to do with a commit or its acknowledgement. Only with a proxy for Postgres. */
export interface UnheardCommits {
  /** called for every statement; true lets it commit but withholds or delays the acknowledgement */
  readonly wanted: (statement: string) => boolean
  /** ms after which the acknowledgement arrives; without it the connection is cut */
  readonly delayMs?: number
  /** the statement itself is passed on only then, and its answer at once */
  readonly lateness?: Lateness
}

/** Statements that arrive late. */
export interface Lateness {
  readonly until: Promise<void>
  /** called with each answer to a late statement, as text */
  readonly onAnswer: (answer: string) => void
}

export interface ProxyCounts {
  connections: number
  /** connections that this proxy cut, half-open ones included */
  cuts: number
  /** commits whose acknowledgement was withheld or delayed */
  unheardCommits: number
  /** statements that were passed on late, or are still held back */
  lateStatements: number
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  /** its client receives nothing any more, not even the end */
  halfOpen: boolean
  /** its client waits for an answer: the last bytes on the connection were sent by the client */
  asking: boolean
}

/**
 * Where a server listens on TCP. Our own Postgres also listens there, besides its socket, which its URL
 * names.
 */
export function tcpTarget(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: /^%2f/i.test(hostname) ? '127.0.0.1' : hostname, port: Number(port) }
}

export class FaultProxy {
  readonly counts: ProxyCounts = { connections: 0, cuts: 0, unheardCommits: 0, lateStatements: 0 }
  target: Target
  readonly #speaksPostgres: boolean
  readonly #server: Server
  readonly #links = new Set<Link>()
  #unheard: UnheardCommits | null = null
  #refusing = false
  #stall: { readonly over: Promise<void>; readonly end: () => void } | null = null
  #slow: { readonly latencyMs: number; readonly bytesPerSecond: number } | null = null

  private constructor(target: Target, speaksPostgres: boolean) {
    this.target = target
    this.#speaksPostgres = speaksPostgres
    this.#server = createServer((client) => this.#accept(client))
  }

  /** @param speaks with `postgres` the proxy reads the statements that pass */
  static async start(target: Target, speaks: 'postgres' | 'anything'): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, speaks === 'postgres')
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get address(): string {
    return `127.0.0.1:${this.port}`
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#links.size
  }

  /** Half-open connections whose clients still wait for an answer. */
  get deadWaits(): number {
    return [...this.#links].filter(({ halfOpen, asking }) => halfOpen && asking).length
  }

  /** Cuts all connections at once. @returns how many there were */
  cut(): number {
    const links = [...this.#links]
    for (const link of links) this.#cutLink(link)
    return links.length
  }

  /** Resets new connections until `flow` or `refuse(false)`. */
  refuse(refusing: boolean): void {
    this.#refusing = refusing
  }

  /** Lets nothing pass in either direction until `flow`. Connections stay open. */
  stall(): void {
    if (this.#stall !== null) return
    let end: () => void = () => undefined
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#stall = { over, end }
  }

  /** Delays each chunk, then passes it at this rate. */
  slow(latencyMs: number, bytesPerSecond = Number.POSITIVE_INFINITY): void {
    this.#slow = { latencyMs, bytesPerSecond }
  }

  /** Drops the server's side of every connection without telling the client. New connections work. */
  halfOpen(): number {
    let count = 0
    for (const link of this.#links) {
      if (link.halfOpen) continue
      link.halfOpen = true
      link.server.destroy()
      this.counts.cuts += 1
      count += 1
    }
    return count
  }

  /** Withholds the acknowledgements of chosen commits; null ends that. */
  unhear(commits: UnheardCommits | null): void {
    this.#unheard = commits
  }

  /** Ends refusing, stalling, slowing and withholding. Half-open connections stay half-open. */
  flow(): void {
    this.#refusing = false
    this.#slow = null
    this.#unheard = null
    this.#stall?.end()
    this.#stall = null
  }

  async close(): Promise<void> {
    this.flow()
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const { client, server } of this.#links) {
      client.destroy()
      server.destroy()
    }
    await closed
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.resetAndDestroy()
      return
    }
    this.counts.connections += 1
    const server = connect(this.target)
    const link: Link = { client, server, halfOpen: false, asking: false }
    this.#links.add(link)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined) // what broke is told by its close
    }
    client.once('close', () => {
      server.destroy()
      this.#links.delete(link)
    })
    server.once('close', () => {
      if (!link.halfOpen) client.destroy()
    })
    const talk = this.#speaksPostgres ? new Talk() : null
    const sent = async (chunk: Buffer) => {
      link.asking = true
      const late = talk?.sent(chunk, this.#unheard) ?? null
      if (late !== null) {
        this.counts.lateStatements += 1
        await late.until
      }
      return chunk
    }
    void this.#pump(client, server, sent).then(() => server.end())
    const came = (chunk: Buffer) => {
      link.asking = false
      return talk === null ? chunk : this.#hear(talk, link, chunk)
    }
    void this.#pump(server, client, came).then(() => link.halfOpen || client.end())
  }

  /** @returns what to pass to the client; null for nothing, or nothing yet */
  async #hear(talk: Talk, link: Link, chunk: Buffer): Promise<Buffer | null> {
    const answer = talk.came(chunk)
    if (answer === null || !answer.unheard) return answer?.bytes ?? null
    this.counts.unheardCommits += 1
    if (answer.delayMs === null) {
      this.#cutLink(link)
      return null
    }
    await sleep(answer.delayMs)
    return answer.bytes
  }

  async #pump(from: Socket, to: Socket, pass: (chunk: Buffer) => Promise<Buffer | null> | Buffer | null) {
    try {
      for await (const chunk of from) {
        if (this.#stall !== null) await this.#stall.over
        if (this.#slow !== null) {
          const { latencyMs, bytesPerSecond } = this.#slow
          await sleep(latencyMs + (1000 * chunk.length) / bytesPerSecond)
        }
        const bytes = await pass(chunk)
        if (bytes === null || to.destroyed) continue
        if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      }
    } catch {
      // The connection was cut, which ends this direction.
    }
  }

  #cutLink({ client, server }: Link): void {
    this.counts.cuts += 1
    client.resetAndDestroy()
    server.destroy()
  }
}

interface Answer {
  readonly bytes: Buffer
  /** it acknowledges a commit whose acknowledgement is to be withheld or delayed */
  readonly unheard: boolean
  readonly delayMs: number | null
}

/** The statements and answers of one connection to Postgres. */
class Talk {
  readonly #watch = new CommitWatch((statement) => this.#rule?.wanted(statement) ?? false)
  #rule: UnheardCommits | null = null
  #held: {
    readonly answer: HeldAnswer
    readonly delayMs: number | null
    readonly late: Lateness | null
  } | null = null

  /** @returns not null when the chunk is to be passed on late */
  sent(chunk: Buffer, rule: UnheardCommits | null): Lateness | null {
    this.#rule = rule
    if (!this.#watch.sent(chunk) || rule === null) return null
    const late = rule.lateness ?? null
    this.#held = { answer: new HeldAnswer(), delayMs: rule.delayMs ?? null, late }
    return late
  }

  /** @returns null while an answer is held back */
  came(chunk: Buffer): Answer | null {
    if (this.#held === null) return { bytes: chunk, unheard: false, delayMs: null }
    const { answer, delayMs, late } = this.#held
    const end = answer.push(chunk)
    if (end === null) return null
    this.#held = null
    late?.onAnswer(answer.bytes.toString('latin1'))
    if (late !== null) return { bytes: answer.bytes, unheard: false, delayMs: null }
    return { bytes: answer.bytes, unheard: end === 'committed', delayMs }
  }
}
