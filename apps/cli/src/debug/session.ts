import { frameOf, heightOf, wrapped } from './frame.ts'
import { type DebuggedMoment, type PageLine, pageOf, titleOf } from './page.ts'
import { type DebugState, type Key, press, type Wish } from './steps.ts'
import type { Terminal } from './terminal.ts'

/** The record, as far as the debugger reads it. */
export interface DebugRecord {
  load(n: number, newest: number): Promise<DebuggedMoment>
  newest(): Promise<number>
  stackChange(n: number, by: 1 | -1): Promise<number | null>
  /** address of the event of a moment in Temporal's UI; null where it cannot be said */
  event(moment: DebuggedMoment): Promise<string | null>
}

/** Shows one moment after another until a person wants no more. Keys and news are taken one at a time. */
export class DebugSession {
  readonly #record: DebugRecord
  readonly #terminal: () => Terminal
  #state: DebugState
  #view: DebuggedMoment
  #lines: readonly PageLine[] = []
  #queue: Promise<void> = Promise.resolve()
  #pressed = 0
  #isOver = false
  readonly #over = Promise.withResolvers<void>()

  constructor(record: DebugRecord, terminal: () => Terminal, view: DebuggedMoment) {
    const { n, newest } = view
    this.#record = record
    this.#terminal = terminal
    this.#view = view
    this.#state = { n, newest, top: 0, isFollowing: n === newest, asking: null, query: null, note: null }
  }

  /** Rejects with the error of a read. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  end(): void {
    this.#isOver = true
    this.#over.resolve()
  }

  key(key: Key): void {
    this.#pressed += 1
    this.#then(async () => {
      const extent = { height: heightOf(this.#terminal().size.rows), lines: this.#lines.length }
      const { state, wish } = press(this.#state, key, extent)
      this.#state = state
      if (wish !== null) await this.#grant(wish)
      this.#draw()
    })
  }

  draw(): void {
    this.#then(async () => this.#draw())
  }

  /** Moments have ended. */
  news(): void {
    this.#then(async () => {
      const newest = await this.#record.newest()
      if (newest === this.#state.newest) return
      this.#state = { ...this.#state, newest }
      if (this.#state.isFollowing) await this.#show(newest)
      else this.#view = { ...this.#view, newest }
      this.#draw()
    })
  }

  #then(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => this.#over.reject(error))
  }

  async #grant(wish: Wish): Promise<void> {
    switch (wish.kind) {
      case 'quit':
        return this.end()
      case 'go':
        return this.#show(wish.n)
      case 'stack': {
        const n = await this.#record.stackChange(this.#state.n, wish.by)
        return n === null ? this.#say('the stack does not change any more') : this.#show(n)
      }
      case 'find':
        return this.#find(wish.query, wish.by)
      case 'event': {
        const event = await this.#record.event(this.#view)
        if (event === null) return this.#say('Temporal, as far as it answers, holds no event of this moment')
        // at its end
        return this.#take({ ...this.#view, temporal: { ...this.#view.temporal, event } }, Infinity)
      }
    }
  }

  /** Looks through whole pages, until it finds the text or a key is pressed. */
  async #find(query: string, by: 1 | -1): Promise<void> {
    const begun = this.#pressed
    const wanted = query.toLowerCase()
    for (let n = this.#state.n + by; n >= 1 && n <= this.#state.newest; n += by) {
      if (this.#pressed !== begun) return this.#say(`stopped before moment ${n}`)
      const view = await this.#record.load(n, this.#state.newest)
      const page = pageOf(view)
      const line = page.findIndex(({ text }) => text.toLowerCase().includes(wanted))
      if (line < 0) continue
      const above = wrapped(page.slice(0, line), this.#terminal().size.columns).length
      this.#take(view, above)
      return
    }
    this.#say('no other moment in this direction holds it')
  }

  async #show(n: number): Promise<void> {
    this.#take(await this.#record.load(n, this.#state.newest), 0)
  }

  #take(view: DebuggedMoment, top: number): void {
    this.#view = view
    this.#state = { ...this.#state, n: view.n, top }
  }

  #say(note: string): void {
    this.#state = { ...this.#state, note }
  }

  #draw(): void {
    if (this.#isOver) return // the terminal was given back
    const terminal = this.#terminal()
    const { size } = terminal
    this.#lines = wrapped(pageOf(this.#view), size.columns)
    const top = Math.min(this.#state.top, Math.max(0, this.#lines.length - heightOf(size.rows)))
    this.#state = { ...this.#state, top }
    terminal.show(frameOf(this.#state, titleOf(this.#view), this.#lines, size))
  }
}
