import { watchLaunchers } from './launcher.ts'

/** Tells a command that holds something when to stop: at a signal, or when its launcher has ended. */
export class Stop {
  readonly asked: Promise<void>
  #ask: () => void = () => undefined

  constructor() {
    this.asked = new Promise((resolve) => {
      this.#ask = resolve
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => this.#ask())
    watchLaunchers(() => this.#ask())
  }

  /** The end of standard input stops it too. */
  atEndOfInput(): void {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => this.#ask())
    process.stdin.resume()
  }

  /** An open input would keep the process from ending. */
  close(): void {
    process.stdin.destroy()
  }
}
