import type { BeingName } from '@treeos/core'
import type { Random } from './random.ts'

/** What the load needs from an experiment. */
interface Asking {
  readonly random: Random
  readonly persons: readonly BeingName[]
  readonly scripted: readonly BeingName[]
  readonly llm: readonly BeingName[]
  /** share of letters among the questions, from 0 to 1 */
  readonly letters: number
  /** share of what a rule asks about, from 0 to 1 */
  readonly spends: number
  /** number of unanswered questions */
  readonly open: number
  ask(target: BeingName, person: BeingName): Promise<unknown>
  have(person: BeingName): Promise<unknown>
  post(person: BeingName): Promise<unknown>
  spend(person: BeingName): Promise<unknown>
  progress(): Promise<void>
}

/** Asks random beings and keeps at most this many questions open. */
export class Load {
  #stopped = false
  readonly #done: Promise<void>
  readonly #at: Asking

  constructor(at: Asking, open: number) {
    this.#at = at
    this.#done = this.#run(open)
    this.#done.catch(() => undefined) // told by `stop`
  }

  async #run(open: number): Promise<void> {
    const at = this.#at
    const random = at.random.fork()
    while (!this.#stopped) {
      while (!this.#stopped && at.open < open) await this.#ask(random)
      if (!this.#stopped) await at.progress()
    }
  }

  #ask(random: Random): Promise<unknown> {
    const at = this.#at
    const person = random.pick(at.persons)
    if (at.letters > 0 && random.chance(at.letters)) return at.post(person)
    if (at.spends > 0 && random.chance(at.spends)) return at.spend(person)
    const what = random.next()
    if (what < 0.2) return at.have(person)
    return at.ask(random.pick(what < 0.7 ? at.scripted : at.llm), person)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#at.open > 0) await this.#done
  }
}
