import { setTimeout as sleep } from 'node:timers/promises'
import { streamWords, type WordNotice, type WordStream } from '@treeos/client'
import { type BeingName, TreeosError } from '@treeos/core'
import type { Portal, Visit } from '../portal.ts'

/** How long a page waits until its stream is ready: Postgres may be away. */
const READY_MS_MAX = 3_000

/** The beings whose words one live stream brings. They change with the page that is shown. */
export class StreamedBeings {
  readonly #visit: Visit
  readonly #listener: Portal['listener']
  readonly #heard: (words: WordNotice) => void
  readonly #streams = new Map<BeingName, WordStream>()
  #isOver = false
  #setting: Promise<unknown> = Promise.resolve()

  constructor(visit: Visit, listener: Portal['listener'], heard: (words: WordNotice) => void) {
    this.#visit = visit
    this.#listener = listener
    this.#heard = heard
  }

  /** Whether a request comes from where the stream was opened. */
  isOf({ cookie, being, handle }: Visit): boolean {
    return cookie === this.#visit.cookie && being === this.#visit.being && handle === this.#visit.handle
  }

  /**
   * From now on brings the words of these beings and of no others.
   * @returns those of them whose past is open; the others may not even exist
   */
  set(beings: readonly BeingName[]): Promise<BeingName[]> {
    // One after the other: a page that changes may ask twice at once, and the last one counts.
    const set = this.#setting.then(() => this.#set(beings))
    this.#setting = set.catch(() => undefined)
    return set
  }

  async #set(beings: readonly BeingName[]): Promise<BeingName[]> {
    for (const [being, { end }] of this.#streams) {
      if (beings.includes(being)) continue
      end()
      this.#streams.delete(being)
    }
    for (const being of beings) await this.#add(being)
    const streamed = beings.filter((being) => this.#streams.has(being))
    const ready = Promise.all(streamed.map((being) => this.#streams.get(being)?.ready))
    await Promise.race([ready, sleep(READY_MS_MAX, undefined, { ref: false })])
    return streamed
  }

  end(): void {
    this.#isOver = true
    for (const { end } of this.#streams.values()) end()
    this.#streams.clear()
  }

  async #add(being: BeingName): Promise<void> {
    if (this.#streams.has(being)) return
    const { at, being: as } = this.#visit
    const stream = await streamWords(at, { as, being, listener: this.#listener, heard: this.#heard }).catch(
      (error: unknown) => {
        if (error instanceof TreeosError) return null
        throw error
      },
    )
    if (stream === null) return
    if (this.#isOver)
      stream.end() // the stream has ended meanwhile
    else this.#streams.set(being, stream)
  }
}
