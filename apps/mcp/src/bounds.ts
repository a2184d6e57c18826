import { pace } from '@treeos/client'
import { type BeingName, stanceOf, TreeosError } from '@treeos/core'

/** The size limit of one message, over either transport. It is checked before the message is parsed. */
export const MESSAGE_BYTES_MAX = 1024 * 1024
/** Calls under way of one person, over all tokens for it: each of them uses Postgres. */
const CALLS_MAX_PER_PERSON = 32

/**
 * What bounds how much each person may ask for, over all tokens that are for it. Each server has its own
 * counts.
 */
export class PersonBounds {
  /** Counts a request over HTTP. @throws {TreeosError} RATE_LIMITED */
  readonly request = pace({ points: 40, burst: 200 })
  /** Counts an act. @throws {TreeosError} RATE_LIMITED */
  readonly act: (person: BeingName) => Promise<void>
  readonly #calls = new Map<BeingName, number>()

  constructor(act: (person: BeingName) => Promise<void>) {
    this.act = act
  }

  /** @returns ends the call @throws {TreeosError} RATE_LIMITED */
  beginCall(person: BeingName): () => void {
    const under = this.#calls.get(person) ?? 0
    if (under >= CALLS_MAX_PER_PERSON)
      throw new TreeosError(
        'RATE_LIMITED',
        `${CALLS_MAX_PER_PERSON} calls by tokens of ${stanceOf(person)} are under way: wait for one of them to end`,
      )
    this.#calls.set(person, under + 1)
    return () => {
      const left = (this.#calls.get(person) ?? 1) - 1
      if (left === 0) this.#calls.delete(person)
      else this.#calls.set(person, left)
    }
  }
}
