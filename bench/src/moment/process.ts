import { type ChildProcess, fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import type { FromContestant, FromStub, Setup, ToContestant } from './protocol.ts'

type Message = FromContestant | FromStub
type Typed<T extends Message['type']> = Extract<Message, { type: T }>

const STOP_MS_MAX = 20_000

/** A process of this benchmark, and its messages. */
export class Process {
  readonly #child: ChildProcess
  readonly #name: string
  readonly #exited: Promise<void>
  readonly #waiting = new Map<Message['type'], ((message: never) => void)[]>()
  #fail: (error: Error) => void = () => undefined
  /** rejects when the process ends or reports a failure */
  readonly failure: Promise<never>
  onDone: (being: string, n: number) => void = () => undefined

  /** @param module path of the module that it runs */
  constructor(name: string, module: string, args: readonly string[] = []) {
    this.#name = name
    this.failure = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.failure.catch(() => undefined)
    // stdout holds the JSON result only, so the output of contestants goes to stderr.
    this.#child = fork(module, args, { stdio: ['ignore', 2, 2, 'ipc'] })
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code) => {
        this.#fail(new Error(`the process of ${name} ended with ${code}`))
        resolve()
      })
    })
    this.#child.on('message', (message: Message) => this.#hear(message))
  }

  /** @param thinkMs how long it takes for each answer */
  static stub(thinkMs = 0): Process {
    return new Process('stub', join(import.meta.dirname, 'stub.ts'), [String(thinkMs)])
  }

  /**
   * @param checkout root of another checkout of this repository, whose code it runs; it must take its setup
   *   as a message, too
   */
  static contestant(setup: Setup, checkout?: string): Process {
    const folder = checkout === undefined ? import.meta.dirname : join(resolve(checkout), 'bench/src/moment')
    const process = new Process(setup.contestant, join(folder, 'child.ts'))
    process.#child.send(setup) // no argument: the names of 10,000 beings are longer than Linux allows
    return process
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  send(message: ToContestant): void {
    this.#child.send(message)
  }

  /** Sends the question, if there is one, and waits for the next message of a type. */
  async hear<T extends Message['type']>(type: T, question?: ToContestant): Promise<Typed<T>> {
    const heard = new Promise<Typed<T>>((resolve) => {
      const line = this.#waiting.get(type) ?? []
      line.push(resolve as (message: never) => void)
      this.#waiting.set(type, line)
    })
    if (question !== undefined) this.send(question)
    return Promise.race([heard, this.failure])
  }

  #hear(message: Message): void {
    if (message.type === 'done') this.onDone(message.being, message.n)
    else if (message.type === 'failed') this.#fail(new Error(`${this.#name}: ${message.message}`))
    else this.#waiting.get(message.type)?.shift()?.(message as never)
  }

  /** Asks the process to end, and kills it when it does not. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX)
    if (this.#child.connected) this.#child.send({ type: 'stop' } satisfies ToContestant)
    await this.#exited
    clearTimeout(timer)
  }
}
