import { watchLaunchers } from './launcher.ts'

/** What asks a command to stop that holds something: a signal, or a launcher that is gone. Asked early, it stops as soon as it can. */
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

  /** Standard input that ends asks too. */
  atEndOfInput(): void {
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => this.#ask())
    process.stdin.resume()
  }

  /** An open input would keep the process from ending. */
  close(): void {
    process.stdin.destroy()
  }
}
